package dev.tidemark.retention.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LapsTest {
  private static final UUID QUEUE = UUID.randomUUID();
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final Laps laps = new Laps();
  private Instant cutoff = START.plusSeconds(1_000_000);

  @BeforeEach
  void begin() {
    laps.beginCycle();
  }

  @Test
  void aScanGoesOnWhereTheCycleLeftIt() {
    pass(5, false);
    DuePartition last = pass(6, false);
    laps.beginCycle();
    assertThat(laps.positions()).isEqualTo(Map.of(QUEUE, last.position()));
    assertThat(laps.underWay()).isTrue();
    laps.ended(QUEUE);
    assertThat(laps.underWay()).isFalse();
  }

  @Test
  void aLapThatMetNothingIsNotUnderWayAndStartsAgain() {
    laps.ended(QUEUE);
    assertThat(laps.underWay()).isFalse();
    laps.beginCycle();
    pass(1, false);
    assertThat(laps.underWay()).isTrue();
  }

  @Test
  void aShortLapStartsAgainInTheNextCycleEvenWhenItFoundNothing() {
    pass(Laps.SHORT, 0, false);
    laps.ended(QUEUE);
    assertThat(restsFor()).isZero();
  }

  @Test
  void aLongLapThatFoundNothingRestsEightCyclesThenTwiceAsManyUpToFiveHundredAndTwelve() {
    List<Integer> rests = new ArrayList<>();
    for (int lap = 0; lap < 9; lap++) {
      pass(Laps.SHORT + 1, 0, false);
      laps.ended(QUEUE);
      rests.add(restsFor());
    }
    assertThat(rests).containsExactly(8, 16, 32, 64, 128, 256, 512, 512, 512);
  }

  @Test
  void aLongLapThatFoundSomethingRestsEightCyclesAndTheNextFruitlessOneNoMore() {
    List<Integer> rests = new ArrayList<>();
    for (boolean found : new boolean[] {false, false, true, true, false, false}) {
      pass(Laps.SHORT, 0, false);
      pass(1, found);
      laps.ended(QUEUE);
      rests.add(restsFor());
    }
    assertThat(rests).containsExactly(8, 16, 8, 8, 8, 16);
  }

  @Test
  void whatTheTailWouldHaveFoundDoesNotKeepALapGoing() {
    List<Integer> rests = new ArrayList<>();
    int newest = Laps.SHORT + 1;
    for (int lap = 0; lap < 3; lap++) {
      pass(Laps.SHORT + 1, 0, false);
      // Fell due since the lap before came to its end.
      pass(newest++, true);
      laps.ended(QUEUE);
      rests.add(restsFor());
    }
    assertThat(rests).as("the first lap is the only one to find it").containsExactly(8, 8, 16);
  }

  @Test
  void whileALapRestsTheTailIsScannedAndDoesNotPutTheNextLapOff() {
    pass(Laps.SHORT + 1, 0, false);
    laps.ended(QUEUE);
    for (int cycle = 0; cycle < 8; cycle++) {
      laps.beginCycle();
      DuePartition fresh = pass(Laps.SHORT + 10 + cycle, true);
      laps.ended(QUEUE);
      assertThat(laps.positions()).containsValue(fresh.position());
    }
    laps.beginCycle();
    assertThat(laps.positions()).isEmpty();
  }

  @Test
  void aLapIsCompleteAtTheCutoffItBeganWithThoughTheTailNeverEnds() {
    cutoff = START.plusSeconds(Laps.SHORT + 1);
    pass(Laps.SHORT + 1, 0, false);
    laps.beginCycle();
    cutoff = cutoff.plusSeconds(5);
    pass(Laps.SHORT + 1, false);
    assertThat(restsFor()).isEqualTo(8);
  }

  @Test
  void anEditedQueueBeginsAnewAndAnotherOneDoesNot() {
    DuePartition entry = pass(1, false);
    laps.taken(entry);
    assertThat(laps.keepOnly(Set.of(QUEUE, UUID.randomUUID()))).isFalse();
    assertThat(laps.positions()).hasSize(1);
    assertThat(laps.unfinished()).hasSize(1);

    assertThat(laps.keepOnly(Set.of())).isTrue();
    assertThat(laps.positions()).isEmpty();
    assertThat(laps.unfinished()).isEmpty();
    assertThat(laps.keepOnly(Set.of())).as("nothing was scanning").isFalse();
  }

  @Test
  void whatWasTakenIsKeptUntilItIsFinished() {
    DuePartition first = entry(1);
    DuePartition second = entry(2);
    laps.taken(first);
    laps.taken(second);
    laps.finished(first);
    laps.beginCycle();
    assertThat(laps.unfinished()).isEqualTo(Map.of(QUEUE, List.of(second)));
  }

  @Test
  void whatIsTakenBeyondTheCapacityWaitsForTheNextLap() {
    for (int i = 0; i <= Laps.CAPACITY; i++) {
      laps.taken(entry(i));
    }
    assertThat(laps.unfinished().get(QUEUE)).hasSize(Laps.CAPACITY);
  }

  /** Cycles in which the scan stays where it is. */
  private int restsFor() {
    int cycles = 0;
    laps.beginCycle();
    while (!laps.positions().isEmpty() && cycles < 1_000) {
      cycles++;
      laps.beginCycle();
    }
    return cycles;
  }

  private void pass(int entries, int from, boolean canGo) {
    for (int i = 0; i < entries; i++) {
      pass(from + i, canGo);
    }
  }

  private DuePartition pass(int second, boolean canGo) {
    DuePartition entry = entry(second);
    laps.passed(entry, canGo, cutoff);
    return entry;
  }

  private static DuePartition entry(int second) {
    return new DuePartition(Lane.CONSUMPTION, QUEUE, UUID.randomUUID(), START.plusSeconds(second));
  }
}

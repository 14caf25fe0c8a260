package dev.tidemark.retention.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class NoOpBackoffTest {
  private static final UUID QUEUE = UUID.randomUUID();

  /** More than any skip: a test that waits for longer has failed. */
  private static final int MANY_CYCLES = 1_000;

  private final NoOpBackoff backoff = new NoOpBackoff();
  private final WindowEdits edits = new WindowEdits();
  private final DuePartition partition = partition();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  @Test
  void aPartitionNeverVisitedIsAdmitted() {
    cycle(60);
    assertThat(backoff.admits(partition)).isTrue();
  }

  @Test
  void fruitlessVisitsSkipEightCyclesThenTwiceAsManyUpToFiveHundredAndTwelve() {
    cycle(60);
    List<Integer> skipped = new ArrayList<>();
    for (int visit = 0; visit < 9; visit++) {
      backoff.fruitless(partition);
      skipped.add(cyclesUntilAdmitted());
    }
    assertThat(skipped).containsExactly(8, 16, 32, 64, 128, 256, 512, 512, 512);
  }

  @Test
  void progressForgetsThePartition() {
    cycle(60);
    backoff.fruitless(partition);
    backoff.progress(partition);
    assertThat(backoff.admits(partition)).isTrue();

    backoff.fruitless(partition);
    assertThat(cyclesUntilAdmitted()).isEqualTo(8);
  }

  @Test
  void lanesBackOffApart() {
    cycle(60);
    backoff.fruitless(partition);
    for (Lane other : List.of(Lane.CONSUMPTION, Lane.SIDECAR, Lane.WAIT)) {
      assertThat(
              backoff.admits(
                  new DuePartition(other, QUEUE, partition.partitionId(), Instant.EPOCH)))
          .isTrue();
    }
  }

  @Test
  void aChangedWindowClearsThatQueuesEntries() {
    cycle(60);
    backoff.fruitless(partition);
    cycle(60);
    assertThat(backoff.admits(partition)).isFalse();
    cycle(61);
    assertThat(backoff.admits(partition)).isTrue();
  }

  @Test
  void aQueueThatWentAwayTakesOnlyItsOwnEntriesWithIt() {
    backoff.fruitless(partition);
    backoff.fruitless(
        new DuePartition(Lane.AGE, UUID.randomUUID(), UUID.randomUUID(), Instant.EPOCH));

    backoff.beginCycle(Set.of(QUEUE));

    assertThat(backoff.size()).isOne();
    assertThat(backoff.admits(partition)).isFalse();
  }

  @Test
  void whenFullItFailsOpen() {
    cycle(60);
    for (int i = 0; i < NoOpBackoff.CAPACITY; i++) {
      backoff.fruitless(partition());
    }
    assertThat(backoff.size()).isEqualTo(NoOpBackoff.CAPACITY);

    backoff.fruitless(partition);

    assertThat(backoff.size()).isEqualTo(NoOpBackoff.CAPACITY);
    assertThat(backoff.admits(partition)).isTrue();
  }

  @Test
  void heldPartitionsLeaveRoomForVisitsThatFailed() {
    cycle(60);
    for (int i = 0; i < NoOpBackoff.CAPACITY; i++) {
      backoff.held(partition());
    }
    assertThat(backoff.size()).isEqualTo(NoOpBackoff.HELD_CAPACITY);

    backoff.fruitless(partition);

    assertThat(backoff.admits(partition)).isFalse();
  }

  @Test
  void entriesOfPartitionsThatNeverComeBackAreDroppedInTheEnd() {
    cycle(60);
    backoff.fruitless(partition);
    int cycles = 0;
    for (; backoff.size() > 0 && cycles < MANY_CYCLES; cycles++) {
      cycle(60);
    }
    int longestSkip = NoOpBackoff.FIRST_SKIP + NoOpBackoff.LONGEST_SKIP + 1;
    assertThat(cycles).isBetween(longestSkip, longestSkip + NoOpBackoff.SWEEP);
  }

  private int cyclesUntilAdmitted() {
    int skipped = 0;
    cycle(60);
    while (!backoff.admits(partition) && skipped < MANY_CYCLES) {
      skipped++;
      cycle(60);
    }
    return skipped;
  }

  /** The clock moves between cycles; the windows stay unless a test says otherwise. */
  private void cycle(int retentionSeconds) {
    now = now.plusSeconds(5);
    QueueRule rule =
        new QueueRule(
            QUEUE,
            "q",
            now.minusSeconds(retentionSeconds),
            null,
            now.minus(Duration.ofHours(1)),
            null);
    backoff.beginCycle(edits.unchanged(new WorkList(now, Map.of(QUEUE, rule), Map.of())));
  }

  private static DuePartition partition() {
    return new DuePartition(Lane.AGE, QUEUE, UUID.randomUUID(), Instant.EPOCH);
  }
}

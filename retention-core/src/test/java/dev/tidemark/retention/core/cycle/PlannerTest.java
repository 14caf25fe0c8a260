package dev.tidemark.retention.core.cycle;

import static dev.tidemark.retention.core.cycle.FakeDatabase.NOW;
import static dev.tidemark.retention.core.cycle.FakeDatabase.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.core.plan.DuePartition;
import dev.tidemark.retention.core.plan.Lane;
import dev.tidemark.retention.core.plan.NoOpBackoff;
import dev.tidemark.retention.core.plan.Phase;
import dev.tidemark.retention.core.plan.QueueRule;
import dev.tidemark.retention.core.plan.WorkList;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@NullUnmarked
class PlannerTest {
  private static final int CAP = 10;

  /** Entries of a lap that is long enough to rest. */
  private static final int LONG_LAP = 600;

  private final FakeDatabase database = new FakeDatabase();
  private final NoOpBackoff backoff = new NoOpBackoff();
  private final Clock clock = Clock.fixed(Instant.EPOCH, ZoneOffset.UTC);
  private Limits limits = limits(Duration.ofSeconds(1));
  private Planner planner;
  private WorkList list;
  private Tally tally;

  @BeforeEach
  void begin() {
    capped(CAP);
  }

  @Test
  void aPartitionBehindMoreHeldOnesThanTheCapIsVisitedInTheSameCycle() {
    database.held(QUEUE, 25 * CAP);
    UUID young = database.due(Lane.CONSUMPTION, QUEUE, 1);

    assertThat(ids(plan(Phase.RETENTION))).containsExactly(young);
    assertThat(tally.visits()).isEqualTo(new CycleReport.Visits(25 * CAP + 1, 25 * CAP, 0, 0));
  }

  @Test
  void twoHundredThousandHeldOnesHideNothingForMoreThanThreeCycles() {
    database.held(QUEUE, 200_000);
    UUID young = database.due(Lane.CONSUMPTION, QUEUE, 1);

    assertThat(plan(Phase.RETENTION)).isEmpty();
    assertThat(probes()).isEqualTo(PhasePlan.PROBES);
    assertThat(planner.scanUnfinished()).isTrue();
    assertThat(plan(Phase.RETENTION)).isEmpty();
    assertThat(probes()).isEqualTo(PhasePlan.PROBES);
    assertThat(ids(plan(Phase.RETENTION))).containsExactly(young);
    assertThat(probes()).isOne();
    assertThat(planner.scanUnfinished()).isFalse();
  }

  @Test
  void whileALongLapRestsACycleReadsTheTailAndProbesWhatIsNewInIt() {
    database.held(QUEUE, 20_000);
    plan(Phase.RETENTION);
    for (int cycle = 0; cycle < 8; cycle++) {
      UUID fresh = database.due(Lane.CONSUMPTION, QUEUE, 1);
      assertThat(ids(plan(Phase.RETENTION))).containsExactly(fresh);
      assertThat(tally.visits().due()).isOne();
      assertThat(probes()).isOne();
    }
  }

  @Test
  void aLapThatVisitsNothingRestsTwiceAsLong() {
    database.held(QUEUE, LONG_LAP);
    assertThat(cyclesOfLaps(1, 30, 0)).containsExactly(1, 10, 27);
  }

  @Test
  void aLapThatVisitsSomethingRestsNoLonger() {
    database.held(QUEUE, LONG_LAP + 1);
    assertThat(cyclesOfLaps(1, 9, 0)).containsExactly(1);
    database.held.remove(database.index.get(Lane.CONSUMPTION).get(1).partitionId());
    assertThat(cyclesOfLaps(10, 27, 1)).containsExactly(10, 19);
  }

  @Test
  void whatIsUnfinishedAnywayDoesNotKeepALapGoing() {
    database.due(Lane.CONSUMPTION, QUEUE, 1);
    database.held(QUEUE, LONG_LAP);
    assertThat(cyclesOfLaps(1, 40, 0))
        .as("only the first one found it")
        .containsExactly(1, 10, 19, 36);
  }

  @Test
  void aShortLapIsReadEveryCycleAndBackedOffOnesAreNotProbed() {
    database.held(QUEUE, 3 * CAP);
    plan(Phase.RETENTION);
    assertThat(probes()).isEqualTo(3 * CAP);
    for (int cycle = 0; cycle < 8; cycle++) {
      plan(Phase.RETENTION);
      assertThat(tally.visits()).isEqualTo(new CycleReport.Visits(3 * CAP, 3 * CAP, 0, 0));
      assertThat(probes()).isZero();
    }
    plan(Phase.RETENTION);
    assertThat(probes()).as("after eight cycles").isEqualTo(3 * CAP);
  }

  @Test
  void anOldPartitionThatAppearsBehindTheScanIsFoundByTheNextLap() {
    database.held(QUEUE, 20_000);
    plan(Phase.RETENTION);
    UUID imported =
        database.due(
            new DuePartition(Lane.CONSUMPTION, QUEUE, UUID.randomUUID(), NOW.minusSeconds(60)), 1);
    database.index.get(Lane.CONSUMPTION).sort(Comparator.comparing(DuePartition::watermark));
    for (int cycle = 0; cycle < 8; cycle++) {
      assertThat(plan(Phase.RETENTION)).isEmpty();
    }
    assertThat(ids(plan(Phase.RETENTION))).containsExactly(imported);
  }

  @Test
  void whoeverWaitsLongestIsTheNextCyclesHeadInEveryPhase() {
    for (Phase phase : Phase.values()) {
      UUID old = database.due(phase, 1);
      UUID young = database.due(phase, 1);
      list = planner.list();
      List<Visit> visits = planner.visits(phase, list, limits, tally());
      assertThat(ids(visits)).containsExactly(old, young);
      // The old one has had its turn and went behind the young one, which the budget did not reach.
      planner.drained(phase, visits, List.of(visits.get(1), visits.get(0)));

      assertThat(ids(plan(phase))).as(phase.name()).containsExactly(young, old);
    }
  }

  @Test
  void whatTheDrainLeftIsTheNextCyclesHeadAndIsNotTakenTwice() {
    List<UUID> all = new ArrayList<>();
    for (int i = 0; i < 3 * CAP; i++) {
      all.add(database.due(Lane.CONSUMPTION, QUEUE, 1));
    }
    List<Visit> first = plan(Phase.RETENTION, CAP / 2);
    assertThat(ids(first)).isEqualTo(all.subList(0, CAP));
    assertThat(ids(plan(Phase.RETENTION, CAP)))
        .as("the left ones, then the scan goes on")
        .isEqualTo(all.subList(CAP / 2, CAP + CAP / 2));
    assertThat(ids(plan(Phase.RETENTION, 0)))
        .as("nothing was finished, so nothing new has a place")
        .isEqualTo(all.subList(CAP + CAP / 2, 2 * CAP + CAP / 2));
    assertThat(ids(plan(Phase.RETENTION, 0)))
        .isEqualTo(all.subList(CAP + CAP / 2, 2 * CAP + CAP / 2));
  }

  @Test
  void aLeftPartitionThatTheScanMeetsAgainHasOnePlace() {
    UUID deep = database.due(Lane.CONSUMPTION, QUEUE, 1);
    assertThat(ids(plan(Phase.RETENTION, 0))).containsExactly(deep);
    // Its first segments have gone: the scan is before its new head.
    database.index.get(Lane.CONSUMPTION).clear();
    database.due(new DuePartition(Lane.CONSUMPTION, QUEUE, deep, NOW.minusSeconds(40)), 1);

    assertThat(ids(plan(Phase.RETENTION, 0))).containsExactly(deep);
    assertThat(probes()).isZero();
    assertThat(tally.visits()).isEqualTo(new CycleReport.Visits(1, 0, 0, 0));
  }

  @Test
  void whatWasPlannedWhenTheCycleFailedIsPlannedAgain() {
    UUID partition = database.due(Lane.CONSUMPTION, QUEUE, 1);
    list = planner.list();
    planner.visits(Phase.RETENTION, list, limits, tally());
    database.index.get(Lane.CONSUMPTION).clear();

    assertThat(ids(plan(Phase.RETENTION))).containsExactly(partition);
    assertThat(plan(Phase.RETENTION)).isEmpty();
  }

  @Test
  void otherPhasesFinishNothingOfPhaseOne() {
    UUID partition = database.due(Lane.CONSUMPTION, QUEUE, 1);
    database.due(new DuePartition(Lane.SIDECAR, QUEUE, partition, NOW.minusSeconds(9000)), 1);
    list = planner.list();
    tally = tally();
    List<Visit> visits = planner.visits(Phase.RETENTION, list, limits, tally);
    planner.drained(Phase.RETENTION, visits, visits);
    planner.drained(
        Phase.TXNS_PURGE, planner.visits(Phase.TXNS_PURGE, list, limits, tally), List.of());
    database.index.get(Lane.CONSUMPTION).clear();

    assertThat(ids(plan(Phase.RETENTION))).containsExactly(partition);
  }

  @ParameterizedTest
  @EnumSource(names = {"AGE", "SIDECAR", "WAIT"})
  void poisonedPartitionsMoreThanTheCapHideNothing(Lane lane) {
    for (int i = 0; i < 250 * CAP; i++) {
      database.due(lane, QUEUE, 1);
    }
    UUID young = database.due(lane, QUEUE, 1);
    list = planner.list();
    database.index.get(lane).stream()
        .filter(entry -> !entry.partitionId().equals(young))
        .forEach(backoff::fruitless);

    List<Visit> visits = planner.visits(lane.phase(), list, limits, tally());

    assertThat(ids(visits)).containsExactly(young);
    assertThat(database.calls("probe")).isEmpty();
  }

  @Test
  void aHeldPartitionThatCrossesTheAgeCutoffIsVisitedAtOnce() {
    database.held(QUEUE, 1);
    assertThat(plan(Phase.RETENTION)).isEmpty();
    DuePartition held = database.index.remove(Lane.CONSUMPTION).get(0);
    database.due(
        new DuePartition(Lane.AGE, QUEUE, held.partitionId(), held.watermark().minusSeconds(1)), 1);

    assertThat(ids(plan(Phase.RETENTION))).containsExactly(held.partitionId());
  }

  @Test
  void thePlacesOfAQueueGoToWhatAgeTakesFirst() {
    UUID consumed = database.due(Lane.CONSUMPTION, QUEUE, 1);
    List<UUID> aged = new ArrayList<>();
    for (int i = 0; i < CAP; i++) {
      aged.add(database.due(Lane.AGE, QUEUE, 1));
    }
    assertThat(ids(plan(Phase.RETENTION))).isEqualTo(aged);

    database.index.get(Lane.AGE).clear();
    assertThat(ids(plan(Phase.RETENTION))).containsExactly(consumed);
  }

  @Test
  void aQueueOfHeldPartitionsDoesNotTakeTheProbesOfAnother() {
    UUID other = database.queue("other");
    database.held(QUEUE, 150_000);
    database.held(other, 3_000);
    UUID young = database.due(Lane.CONSUMPTION, other, 1);

    assertThat(ids(plan(Phase.RETENTION))).containsExactly(young);
    assertThat(probes()).isEqualTo(PhasePlan.PROBES);
  }

  @Test
  void theOldestOverAllQueuesHaveThePlacesOfAPhaseAndComeFirst() {
    capped(PhasePlan.VISITS);
    UUID other = database.queue("other");
    for (int i = 0; i < PhasePlan.VISITS; i++) {
      database.due(Lane.SIDECAR, i % 2 == 0 ? QUEUE : other, 1);
    }
    database.due(Lane.SIDECAR, QUEUE, 1);

    List<Visit> visits = planner.visits(Phase.TXNS_PURGE, planner.list(), limits, tally());

    assertThat(visits).hasSize(PhasePlan.VISITS);
    List<UUID> oldest =
        database.index.get(Lane.SIDECAR).stream()
            .limit(PhasePlan.VISITS - DueLine.PAGE)
            .map(DuePartition::partitionId)
            .toList();
    assertThat(ids(visits).subList(0, oldest.size()).equals(oldest)).as("to a page").isTrue();
  }

  @Test
  void anEditedWindowSendsTheScanToTheHeadAtOnce() {
    database.held(QUEUE, 20_000);
    plan(Phase.RETENTION);
    database.held.clear();
    QueueRule before = database.rule;
    database.rule =
        new QueueRule(
            QUEUE,
            "q",
            before.allCutoff(),
            before.completedCutoff().plusSeconds(1),
            before.txnsCutoff(),
            before.maxWaitCutoff());

    List<UUID> oldest =
        database.index.get(Lane.CONSUMPTION).stream()
            .limit(CAP)
            .map(DuePartition::partitionId)
            .toList();
    assertThat(ids(plan(Phase.RETENTION))).isEqualTo(oldest);
  }

  @Test
  void afterTheDeadlineOnlyWhatIsListedAndNeedsNoProbeIsVisited() {
    limits = limits(Duration.ZERO);
    UUID aged = database.due(Lane.AGE, QUEUE, 1);
    database.due(Lane.CONSUMPTION, QUEUE, 1);

    assertThat(ids(plan(Phase.RETENTION))).containsExactly(aged);
    assertThat(database.calls).containsExactly("list 10 50000");
  }

  @Test
  void aQueueThatTheListHasNoRoomForIsReadFromTheHeadOfEachLane() {
    capped(Planner.LISTED);
    database.held(QUEUE, LONG_LAP);
    plan(Phase.RETENTION);
    UUID other = database.queue("other");
    for (int i = 0; i < Planner.LISTED; i++) {
      database.due(Lane.AGE, other, 1);
    }
    UUID aged = database.due(Lane.AGE, QUEUE, 1);

    assertThat(ids(plan(Phase.RETENTION, 0)).contains(aged)).isTrue();
  }

  @Test
  void aDueRowWhoseRuleIsOffIsDropped() {
    database.due(Lane.WAIT, database.queue("without max wait"), 1);
    assertThat(plan(Phase.MAX_WAIT)).isEmpty();
  }

  private void capped(int dueCap) {
    planner =
        new Planner(database, backoff, Knobs.defaults().with(Knob.DUE_CAP, String.valueOf(dueCap)));
  }

  private List<Visit> plan(Phase phase) {
    return plan(phase, Integer.MAX_VALUE);
  }

  /** One cycle that finishes so many visits; what is finished is not due any more. */
  private List<Visit> plan(Phase phase, int finished) {
    database.calls.clear();
    list = planner.list();
    tally = tally();
    List<Visit> visits = planner.visits(phase, list, limits, tally);
    int done = Math.min(finished, visits.size());
    visits
        .subList(0, done)
        .forEach(v -> database.index.get(v.partition().lane()).remove(v.partition()));
    planner.drained(phase, visits, visits.subList(done, visits.size()));
    return visits;
  }

  /** The cycles, by number, in which the lap was read. */
  private List<Integer> cyclesOfLaps(int from, int to, int finished) {
    List<Integer> laps = new ArrayList<>();
    for (int cycle = from; cycle <= to; cycle++) {
      plan(Phase.RETENTION, finished);
      if (tally.visits().due() >= LONG_LAP) {
        laps.add(cycle);
      }
    }
    return laps;
  }

  private static Tally tally() {
    return new Tally(Progress.UNWATCHED);
  }

  private int probes() {
    return database.calls("probe").stream().mapToInt(c -> Integer.parseInt(c.substring(6))).sum();
  }

  private static List<UUID> ids(List<Visit> visits) {
    return visits.stream().map(v -> v.partition().partitionId()).toList();
  }

  private Limits limits(Duration time) {
    return new Limits(Deadline.in(clock, time), Permission.unscheduled(new StopSignal()));
  }
}

package dev.tidemark.retention.core.cycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.retention.core.database.DatabaseUnavailableException;
import dev.tidemark.retention.core.database.StepFailedException;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.core.plan.Phase;
import dev.tidemark.retention.core.plan.QueueRule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

@NullUnmarked
class RetentionCycleTest {
  private final FakeDatabase database = new FakeDatabase();
  private final TestClock clock = database.clock;
  private Knobs knobs = Knobs.defaults();
  private final List<String> progress = new ArrayList<>();
  private int width;
  private RetentionCycle cycle;

  @Test
  void aBusyLockIsAnOutcomeAndNothingIsListed() {
    database.busy = true;

    assertThat(run()).isInstanceOf(CycleOutcome.Busy.class);
    assertThat(database.calls).isEmpty();
  }

  @Test
  void phasesRunInOrderWithTheCutoffsOfTheRuleAndTheTailLast() {
    UUID live = database.due(Phase.RETENTION, 3);
    UUID side = database.due(Phase.TXNS_PURGE, 4);
    UUID wait = database.due(Phase.MAX_WAIT, 5);

    CycleReport report = sweep();

    QueueRule rule = database.rule;
    assertThat(database.calls)
        .containsExactly(
            "list 5000 50000",
            "RETENTION " + live + " 100 " + rule.allCutoff() + " " + rule.completedCutoff(),
            "TXNS_PURGE " + side + " 100 " + rule.txnsCutoff(),
            "MAX_WAIT " + wait + " 100 " + rule.maxWaitCutoff(),
            "cleanup " + FakeDatabase.NOW.minus(Duration.ofDays(30)) + " 1000 of 10000 after 0",
            "roll-up "
                + FakeDatabase.NOW.minus(Duration.ofDays(90))
                + " "
                + FakeDatabase.NOW.minus(Duration.ofHours(24))
                + " 1000",
            "metrics " + FakeDatabase.NOW.minus(Duration.ofDays(90)) + " 1000");
    assertThat(report.segmentsDeleted()).isEqualTo(3);
    assertThat(report.txnsPurged()).isEqualTo(4);
    assertThat(report.maxWaitEvicted()).isEqualTo(5);
    assertThat(report.byQueue())
        .isEqualTo(
            Map.of(
                "q",
                Map.of("retention", new Deleted(3, 30), CycleReport.MAX_WAIT, new Deleted(5, 50))));
    assertThat(report.visits()).isEqualTo(new CycleReport.Visits(3, 0, 0, 0));
    assertThat(report.deletedSomething()).isTrue();
  }

  @Test
  void theLockIsFreeAndEverySessionClosedAfterACycle() {
    database.due(Phase.RETENTION, 3);
    sweep();

    assertThat(database.locked).isFalse();
    assertThat(database.sessions).hasValue(0);
  }

  @Test
  void theLockIsFreeWhenTheFirstStatementFails() {
    database.listFailure = new DatabaseUnavailableException("gone", "57014", null);

    assertThatThrownBy(this::run).isSameAs(database.listFailure);
    assertThat(database.locked).isFalse();
  }

  @Test
  void aDrainStartsAtATenthDoublesAndStopsWhenTheStepSaysDone() {
    UUID deep = database.due(Phase.RETENTION, 1650);

    CycleReport report = sweep();

    assertThat(sizes(deep)).containsExactly(100, 200, 400, 800, 1000);
    assertThat(report.segmentsDeleted()).isEqualTo(1650);
  }

  @Test
  void aBatchSizeOfOneStillMoves() {
    knobs = knobs.with(Knob.BATCH_SIZE, "1");
    UUID deep = database.due(Phase.RETENTION, 3);

    assertThat(sweep().segmentsDeleted()).isEqualTo(3);
    assertThat(sizes(deep)).containsExactly(1, 1, 1);
  }

  @Test
  void afterTenFullBatchesAPartitionGoesBehindTheOthers() {
    knobs = knobs.with(Knob.BATCH_SIZE, "10");
    UUID deep = database.due(Phase.RETENTION, 200);
    UUID shallow = database.due(Phase.RETENTION, 1);

    sweep();

    List<String> visited = database.calls("RETENTION").stream().map(c -> word(c, 1)).toList();
    assertThat(visited.indexOf(shallow.toString())).isEqualTo(Turns.TURN);
    assertThat(visited.subList(Turns.TURN + 1, visited.size()))
        .isNotEmpty()
        .containsOnly(deep.toString());
  }

  @Test
  void aPoisonedPartitionIsCountedAndBackedOffAndTheOthersAreServed() {
    UUID poisoned = database.due(Phase.RETENTION, 5);
    database.poison.put(poisoned, new StepFailedException("trigger says no", "P0001", null));
    database.due(Phase.RETENTION, 7);

    CycleReport report = sweep();

    assertThat(report.visits().failed()).isEqualTo(1);
    assertThat(report.segmentsDeleted()).isEqualTo(7);
    assertThat(sweep().visits()).isEqualTo(new CycleReport.Visits(2, 1 + 0, 0, 0));
  }

  @Test
  void aFailureOfTheDatabaseItselfEndsTheCycleAndFreesEverything() {
    UUID first = database.due(Phase.RETENTION, 5);
    DatabaseUnavailableException gone = new DatabaseUnavailableException("gone", "08006", null);
    database.poison.put(first, gone);
    database.due(Phase.RETENTION, 7);

    assertThatThrownBy(this::run).isSameAs(gone);
    assertThat(database.locked).isFalse();
    assertThat(database.sessions).hasValue(0);
    assertThat(database.calls("cleanup")).isEmpty();
  }

  @Test
  void aFruitlessVisitIsSkippedForEightCyclesAndCounted() {
    database.due(Phase.RETENTION, 0);

    assertThat(sweep().visits().backedOff()).isZero();
    for (int i = 0; i < 8; i++) {
      assertThat(sweep().visits().backedOff()).isEqualTo(1);
    }
    assertThat(sweep().visits().backedOff()).isZero();
    assertThat(database.calls("RETENTION")).hasSize(2);
  }

  @Test
  void aStepThatDeletesNothingIsThePartitionsLastWhateverIsLeft() {
    database.stuck.add(database.due(Phase.RETENTION, 5));

    sweep();

    assertThat(database.calls("RETENTION")).hasSize(1);
  }

  @Test
  void aPartitionWhoseHeadACursorHoldsCostsNoStep() {
    database.held(FakeDatabase.QUEUE, 1);

    CycleReport report = sweep();

    assertThat(report.visits()).isEqualTo(new CycleReport.Visits(1, 1, 0, 0));
    assertThat(database.calls("RETENTION")).isEmpty();
  }

  @Test
  void aDueRowWithoutARuleIsDroppedNeverDefaulted() {
    database.due(Phase.RETENTION, 5);
    database.rule = null;

    CycleReport report = sweep();

    assertThat(report.visits()).isEqualTo(new CycleReport.Visits(0, 0, 0, 0));
    assertThat(database.calls("RETENTION")).isEmpty();
  }

  @Test
  void theBudgetEndsADrainBetweenTwoStepsAndLaterPhasesStillGetTheirShare() {
    knobs = knobs.with(Knob.BATCH_SIZE, "10").with(Knob.CYCLE_BUDGET_MS, "10000");
    database.due(Phase.RETENTION, 1_000_000);
    database.due(Phase.TXNS_PURGE, 5);
    database.onCall = call -> clock.pass(Duration.ofSeconds(call.startsWith("RETENTION") ? 1 : 0));

    CycleReport report = sweep();

    assertThat(database.calls("RETENTION")).hasSize(6);
    assertThat(report.txnsPurged()).isEqualTo(5);
    assertThat(report.visits().left()).isEqualTo(1);
    assertThat(database.calls("cleanup")).hasSize(1);
    assertThat(database.calls("metrics")).hasSize(1);
  }

  @Test
  void whoHadNoStepWhenTheBudgetEndedHasTheFirstOfTheNextCycle() {
    knobs = knobs.with(Knob.BATCH_SIZE, "10").with(Knob.CYCLE_BUDGET_MS, "10000");
    UUID deep = database.due(Phase.RETENTION, 1_000_000);
    UUID young = database.due(Phase.RETENTION, 1);
    database.onCall = call -> clock.pass(Duration.ofSeconds(call.startsWith("RETENTION") ? 7 : 0));

    sweep();
    assertThat(database.calls("RETENTION")).hasSize(1).allMatch(c -> c.contains(deep.toString()));
    sweep();
    assertThat(database.calls("RETENTION").get(1)).contains(young.toString());
  }

  @Test
  void progressEndsTheBackoff() {
    UUID partition = database.due(Phase.RETENTION, 0);
    sweep();
    database.deletable.get(Phase.RETENTION).put(partition, 5L);
    for (int i = 0; i < 10; i++) {
      sweep();
    }
    assertThat(database.calls("RETENTION")).as("fruitless, with progress, fruitless").hasSize(3);
    for (int i = 0; i < 9; i++) {
      sweep();
    }
    assertThat(database.calls("RETENTION")).as("and again after eight, not sixteen").hasSize(4);
  }

  @Test
  void aListThatTookLongLeavesPhaseOneItsTime() {
    database.due(Phase.RETENTION, 5);
    database.onCall = call -> clock.pass(Duration.ofMinutes(call.startsWith("list") ? 5 : 0));

    assertThat(sweep().segmentsDeleted()).isEqualTo(5);
  }

  @Test
  void aClockThatWasSetBackDoesNotStopTheCleanupForAsLong() {
    sweep();
    clock.pass(Duration.ofDays(-300));
    sweep();
    assertThat(database.calls("cleanup")).hasSize(2);
  }

  @Test
  void theCleanupRunsAtMostOnceAMinute() {
    sweep();
    clock.pass(Duration.ofSeconds(59));
    sweep();
    assertThat(database.calls("cleanup")).hasSize(1);

    clock.pass(Duration.ofSeconds(1));
    sweep();
    assertThat(database.calls("cleanup")).hasSize(2);
    assertThat(database.calls("metrics")).hasSize(3);
  }

  @Test
  void theCleanupCanBeSwitchedOffAndItsWindowIsTheKnobs() {
    knobs = knobs.with(Knob.CLEANUP_ENABLED, "false");
    sweep();
    assertThat(database.calls("cleanup")).isEmpty();

    knobs = Knobs.defaults().with(Knob.CLEANUP_DAYS, "0");
    cycle = null;
    sweep();
    assertThat(database.calls("cleanup"))
        .containsExactly(
            "cleanup " + FakeDatabase.NOW.minus(Duration.ofDays(1)) + " 1000 of 10000 after 0");
  }

  @Test
  void theTailLoopsFullBatchesUntilDone() {
    database.deadPartitions = 2500;
    database.oldHistory = 2000;
    database.oldMetrics = 1001;

    CycleReport report = sweep();

    assertThat(database.calls("cleanup")).hasSize(3);
    assertThat(database.calls("roll-up")).hasSize(3);
    assertThat(report.rollUp()).isEqualTo(new CycleReport.RollUp(2000, ""));
    assertThat(database.calls("metrics")).hasSize(2);
    assertThat(report.partitionsDeleted()).isEqualTo(2500);
    assertThat(report.metrics().rows()).isEqualTo(1001);
  }

  @Test
  void aPurgeThatOthersKeepFromEveryRowIsLeftToTheNextCycle() {
    database.oldMetrics = 1;
    database.metricsHeld = true;

    assertThat(sweep().metrics().rows()).isZero();
    assertThat(database.calls("metrics")).hasSize(1);
  }

  @Test
  void theCleanupGoesOnPastWhatIsKeptAndBeginsAgainAfterItsLap() {
    database.keptPartitions = 25_000;
    database.deadPartitions = 1;

    assertThat(sweep().partitionsDeleted()).isEqualTo(1);
    assertThat(cleanedAfter()).containsExactly(0, 10_000, 20_000);

    clock.pass(Duration.ofMinutes(1));
    sweep();
    assertThat(cleanedAfter()).containsExactly(0, 10_000, 20_000, 0, 10_000, 20_000);
  }

  @Test
  void aLapThatTheBudgetEndedIsTakenUpByTheNextCleanup() {
    database.keptPartitions = 35_000;
    database.deadPartitions = 1;
    database.onCall = call -> clock.pass(Duration.ofSeconds(call.startsWith("cleanup") ? 20 : 0));

    assertThat(sweep().partitionsDeleted()).isZero();
    assertThat(cleanedAfter()).containsExactly(0, 10_000);

    clock.pass(Duration.ofMinutes(1));
    assertThat(sweep().partitionsDeleted()).isEqualTo(1);
    assertThat(cleanedAfter()).containsExactly(0, 10_000, 20_000, 30_000);
  }

  @Test
  void aLapThatFailedBeginsAgain() {
    database.keptPartitions = 15_000;
    database.onCall =
        call ->
            database.cleanupFailure =
                database.calls("cleanup").size() == 2
                    ? new StepFailedException("no", "P0001", null)
                    : null;
    sweep();

    clock.pass(Duration.ofMinutes(1));
    sweep();
    assertThat(cleanedAfter()).containsExactly(0, 10_000, 0, 10_000);
  }

  @Test
  void aFailingMetricsPurgeIsReportedAndTheCycleStillSucceeds() {
    database.metricsFailure = new StepFailedException("no", "P0001", null);

    assertThat(sweep().metrics()).isEqualTo(new CycleReport.MetricsPurge(0, "P0001 no"));
  }

  @Test
  void aFailingRollUpIsReportedAndThePurgeStillRuns() {
    database.rollUpFailure = new StepFailedException("no", "P0001", null);
    database.oldMetrics = 1;

    CycleReport report = sweep();

    assertThat(report.rollUp()).isEqualTo(new CycleReport.RollUp(0, "P0001 no"));
    assertThat(report.metrics()).isEqualTo(new CycleReport.MetricsPurge(1, ""));
    assertThat(report.visits().failed()).isZero();
  }

  @Test
  void aFailingCleanupIsCountedAndTheMetricsPurgeStillRuns() {
    database.cleanupFailure = new StepFailedException("no", "P0001", null);

    assertThat(sweep().visits().failed()).isEqualTo(1);
    assertThat(database.calls("metrics")).hasSize(1);
  }

  @Test
  void noMoreWorkersAreStartedThanThereArePartitions() {
    knobs = knobs.with(Knob.PARALLELISM, "4");
    database.due(Phase.RETENTION, 1);
    database.due(Phase.RETENTION, 1);
    sweep();
    assertThat(width).isEqualTo(2);
  }

  @Test
  void aWorkerWithoutAConnectionLeavesItsWorkToTheOthers() {
    knobs = knobs.with(Knob.PARALLELISM, "2");
    database.due(Phase.RETENTION, 1);
    database.due(Phase.RETENTION, 1);
    database.onOpen = nr -> refuseAfter(1, nr);

    assertThat(sweep().segmentsDeleted()).isEqualTo(2);
  }

  @Test
  void aPhaseInWhichNoWorkerHasAConnectionFails() {
    database.due(Phase.RETENTION, 1);
    database.onOpen = nr -> refuseAfter(0, nr);

    assertThatThrownBy(this::run).isInstanceOf(DatabaseUnavailableException.class);
    assertThat(database.locked).isFalse();
  }

  private static void refuseAfter(int connections, int nr) {
    if (nr > connections) {
      throw new DatabaseUnavailableException("too many", "53300", null);
    }
  }

  @Test
  void progressIsToldAfterEveryStepWithWhatWentSoFar() {
    database.due(Phase.RETENTION, 150);
    database.due(Phase.TXNS_PURGE, 4);
    database.due(Phase.MAX_WAIT, 5);
    sweep();
    assertThat(progress).containsExactly("100 0", "150 0", "150 4", "155 4");
  }

  @Test
  void anIdleCycleDeletesNothingAndSaysSo() {
    assertThat(sweep().deletedSomething()).isFalse();
  }

  /** How many kept partitions each cleanup went on behind. */
  private List<Integer> cleanedAfter() {
    return database.calls("cleanup").stream().map(c -> Integer.valueOf(word(c, 6))).toList();
  }

  private CycleReport sweep() {
    return ((CycleOutcome.Swept) run()).report();
  }

  private CycleOutcome run() {
    if (cycle == null) {
      cycle = new RetentionCycle(database, database, this::inline, knobs, clock);
    }
    return cycle.run(
        Permission.unscheduled(new StopSignal()),
        (segments, rows) -> progress.add(segments + " " + rows));
  }

  /** Workers one after the other: the second finds what the first left. */
  private void inline(int wanted, Runnable worker) {
    width = wanted;
    for (int i = 0; i < wanted; i++) {
      worker.run();
    }
  }

  private List<Integer> sizes(UUID partition) {
    return database.calls.stream()
        .filter(c -> c.contains(partition.toString()))
        .map(c -> Integer.valueOf(word(c, 2)))
        .toList();
  }

  private static String word(String call, int index) {
    return List.of(call.split(" ", -1)).get(index);
  }
}

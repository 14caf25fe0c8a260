package dev.tidemark.retention.core.cycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.core.database.Claim;
import dev.tidemark.retention.core.database.Standing;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.core.plan.Phase;
import dev.tidemark.retention.core.plan.QueueRule;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

/** What ends a running cycle before its time, and how soon. */
@NullUnmarked
class CycleStopTest {
  private static final Claim CLAIM = new Claim("retention", "me", 7);

  private final FakeDatabase database = new FakeDatabase();
  private final TestClock clock = database.clock;
  private final StopSignal signal = new StopSignal();
  private final RetentionCycle cycle =
      new RetentionCycle(
          database,
          database,
          (width, worker) -> worker.run(),
          Knobs.defaults()
              .with(Knob.BATCH_SIZE, "10")
              .with(Knob.CYCLE_BUDGET_MS, "60000")
              .with(Knob.DUE_CAP, "1000"),
          clock);

  @Test
  void theClaimIsAskedForBeforeEveryChunkOfSixtyFourPartitions() {
    for (int i = 0; i < 2 * DrainPhase.CHUNK + 1; i++) {
      database.due(Phase.RETENTION, 1);
    }

    assertThat(run()).isInstanceOf(CycleOutcome.Swept.class);
    assertThat(database.checks)
        .as("three chunks, cleanup, roll-up and metrics")
        .hasSize(3 + 3)
        .containsOnly(CLAIM);
  }

  @Test
  void theClaimIsAskedForAgainAfterHalfASecond() {
    database.due(Phase.RETENTION, 100);
    database.onCall = call -> clock.pass(Duration.ofMillis(call.startsWith("RETENTION") ? 125 : 0));

    run();

    int steps = database.calls("RETENTION").size();
    assertThat(steps).isEqualTo(13);
    assertThat(database.checks).as("every fourth step, and the tail").hasSize((steps + 3) / 4 + 3);
  }

  @Test
  void aStolenLeaseStopsTheCycleBeforeTheNextChunk() {
    stopsAtTheThirdCheck(Standing.Lease.LOST, StopSignal.Reason.LEASE_LOST);
  }

  @Test
  void aPausedTaskStopsTheCycleBeforeTheNextChunk() {
    stopsAtTheThirdCheck(Standing.Lease.PAUSED, StopSignal.Reason.PAUSED);
  }

  private void stopsAtTheThirdCheck(Standing.Lease lease, StopSignal.Reason reason) {
    for (int i = 0; i < 5 * DrainPhase.CHUNK; i++) {
      database.due(Phase.RETENTION, 1);
    }
    database.due(Phase.TXNS_PURGE, 1);
    database.onCheck = nr -> database.lease = nr < 3 ? Standing.Lease.HELD : lease;

    CycleOutcome.Stopped stopped = (CycleOutcome.Stopped) run();

    assertThat(stopped.reason()).isEqualTo(reason);
    assertThat(database.calls("RETENTION")).hasSize(2 * DrainPhase.CHUNK);
    assertThat(stopped.report().visits().left()).isEqualTo(3L * DrainPhase.CHUNK + 1);
    assertThat(database.calls("TXNS_PURGE")).isEmpty();
    assertThat(database.calls("cleanup")).isEmpty();
    assertThat(database.calls("metrics")).isEmpty();
    assertThat(database.checks).as("and nobody asks again").hasSize(3);
    assertThat(database.locked).isFalse();
    assertThat(database.sessions).hasValue(0);
  }

  @Test
  void aSignalStopsTheCycleBeforeTheNextCall() {
    database.due(Phase.RETENTION, 100);
    database.stepsACall = 2;
    database.onCall =
        call -> {
          if (database.calls("RETENTION").size() == 2) {
            signal.stop(StopSignal.Reason.CLOSING);
          }
        };

    CycleOutcome.Stopped stopped = (CycleOutcome.Stopped) run();

    assertThat(stopped.reason()).isEqualTo(StopSignal.Reason.CLOSING);
    assertThat(database.calls("RETENTION")).hasSize(2);
    assertThat(stopped.report().segmentsDeleted()).isEqualTo(3);
  }

  @Test
  void losingTheLockStopsTheCycle() {
    database.due(Phase.RETENTION, 100);
    database.onCall = call -> database.lockLost.run();

    assertThat(((CycleOutcome.Stopped) run()).reason()).isEqualTo(StopSignal.Reason.LOCK_LOST);
    assertThat(database.calls("RETENTION")).isEmpty();
  }

  @Test
  void theFirstReasonStays() {
    signal.stop(StopSignal.Reason.LOCK_LOST);
    signal.stop(StopSignal.Reason.CLOSING);

    assertThat(signal.reason()).contains(StopSignal.Reason.LOCK_LOST);
  }

  @Test
  void aWindowDisabledInTheMiddleStopsTheDrainsOfItsQueueAtTheNextChunk() {
    QueueRule r = database.rule;
    stopsTheQueue(
        new QueueRule(
            r.queueId(), "q", null, r.completedCutoff(), r.txnsCutoff(), r.maxWaitCutoff()));
  }

  @Test
  void aWindowWidenedInTheMiddleStopsTheDrainsOfItsQueueAtTheNextChunk() {
    QueueRule r = database.rule;
    stopsTheQueue(
        new QueueRule(
            r.queueId(),
            "q",
            r.allCutoff().minusSeconds(1),
            r.completedCutoff(),
            r.txnsCutoff(),
            r.maxWaitCutoff()));
  }

  private void stopsTheQueue(QueueRule edited) {
    UUID deep = database.due(Phase.RETENTION, 1_000);
    UUID side = database.due(Phase.TXNS_PURGE, 5);
    database.onCall = call -> clock.pass(DrainPhase.CHUNK_TIME);
    database.onCheck = nr -> database.ruleNow = nr < 3 ? database.rule : edited;

    CycleOutcome.Swept swept = (CycleOutcome.Swept) run();

    assertThat(database.calls("RETENTION " + deep)).hasSize(2);
    assertThat(swept.report().visits().left()).isEqualTo(1);
    assertThat(database.calls("TXNS_PURGE " + side)).as("a rule that was not touched").hasSize(3);
  }

  @Test
  void aQueueDeletedInTheMiddleIsLeft() {
    database.due(Phase.RETENTION, 1_000);
    database.onCall = call -> clock.pass(DrainPhase.CHUNK_TIME);
    database.onCheck = nr -> database.gone = nr > 1;

    run();

    assertThat(database.calls("RETENTION")).hasSize(1);
  }

  @Test
  void aTailBatchIsAChunkToo() {
    database.oldMetrics = 1_000;
    database.onCheck = nr -> database.lease = nr < 5 ? Standing.Lease.HELD : Standing.Lease.PAUSED;

    assertThat(run()).isInstanceOf(CycleOutcome.Stopped.class);
    assertThat(database.calls("metrics")).hasSize(2);
  }

  @Test
  void aCycleBesideTheScheduleAsksWithoutAClaim() {
    database.due(Phase.RETENTION, 1);

    cycle.run(Permission.unscheduled(signal), Progress.UNWATCHED);

    assertThat(database.checks).isNotEmpty().containsOnlyNulls();
  }

  private CycleOutcome run() {
    return cycle.run(new Permission(signal, CLAIM), Progress.UNWATCHED);
  }
}

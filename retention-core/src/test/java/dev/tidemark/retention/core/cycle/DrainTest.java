package dev.tidemark.retention.core.cycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.core.database.Drain;
import dev.tidemark.retention.core.database.StepFailedException;
import dev.tidemark.retention.core.database.TimedOutException;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.core.plan.Lane;
import dev.tidemark.retention.core.plan.Phase;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

/** What a phase asks of the drain, and what it does when a whole call fails. */
@NullUnmarked
class DrainTest {
  private final FakeDatabase database = new FakeDatabase();
  private final RetentionCycle cycle =
      new RetentionCycle(
          database,
          database,
          (width, worker) -> worker.run(),
          Knobs.defaults()
              .with(Knob.BATCH_SIZE, "1000")
              .with(Knob.LOCK_HOLD_MS, "7")
              .with(Knob.CYCLE_BUDGET_MS, "60000"),
          database.clock);

  @Test
  void oneCallServesSixtyFourPartitionsOfAQueue() {
    for (int i = 0; i < 100; i++) {
      database.due(Phase.RETENTION, 1);
    }

    sweep();

    assertThat(database.drains).extracting(d -> d.targets().size()).containsExactly(64, 36);
    Drain first = database.drains.get(0);
    assertThat(first.rule()).isEqualTo(database.rule);
    assertThat(first.bounds()).isEqualTo(new Drain.Bounds(1000, Duration.ofMillis(7), 10));
    assertThat(first.time()).isEqualTo(Duration.ofMillis(500));
    assertThat(first.targets()).allMatch(target -> target.rows() == 0);
  }

  @Test
  void theQueuesOfAChunkHaveACallEach() {
    UUID other = database.queue("other");
    UUID a = database.due(Phase.RETENTION, 1);
    UUID b = database.due(Lane.AGE, other, 1);
    UUID c = database.due(Phase.RETENTION, 1);

    sweep();

    assertThat(partitions()).containsExactly(List.of(a, c), List.of(b));
  }

  @Test
  void aPartitionGoesOnWithTheBatchItCameTo() {
    database.due(Phase.RETENTION, 5_000);
    database.stepsACall = 2;

    sweep();

    assertThat(database.drains)
        .extracting(d -> d.targets().get(0).rows())
        .startsWith(0, 400, 1000, 1000);
  }

  @Test
  void aPartitionThatIsAloneIsNotSentBehindItself() {
    database.due(Phase.RETENTION, 50_000);

    sweep();

    assertThat(database.drains).hasSize(1);
    assertThat(database.calls("RETENTION")).hasSizeGreaterThan(Turns.TURN);
  }

  @Test
  void slowStepsEndATurnWithTheTimeOfTheirChunk() {
    database.due(Phase.RETENTION, 50_000);
    UUID young = database.due(Phase.RETENTION, 1);
    database.onCall =
        call -> database.clock.pass(Duration.ofMillis(call.startsWith("RETENTION") ? 200 : 0));

    sweep();

    assertThat(database.calls("RETENTION").indexOf(database.calls("RETENTION " + young).get(0)))
        .as("after one chunk")
        .isEqualTo(3);
  }

  @Test
  void theTimeOfACallEndsWithItsPhase() {
    database.due(Phase.RETENTION, 1_000_000);
    database.onCall =
        call -> database.clock.pass(Duration.ofMillis(call.startsWith("RETENTION") ? 350 : 0));

    sweep();

    Duration last = database.drains.get(database.drains.size() - 1).time();
    assertThat(last).isBetween(Duration.ofMillis(1), Duration.ofMillis(499));
  }

  @Test
  void aCallThatRanOutOfTimeIsMadeAgainByStepsOfATenth() {
    UUID a = database.due(Phase.RETENTION, 25);
    UUID b = database.due(Phase.RETENTION, 5);
    failOnce(new TimedOutException("too long", "57014", null));

    CycleReport report = sweep();

    assertThat(database.calls("RETENTION"))
        .extracting(call -> call.split(" ")[1] + " " + call.split(" ")[2])
        .containsExactly(a + " 10", b + " 10", a + " 10", a + " 20");
    assertThat(report.segmentsDeleted()).isEqualTo(30);
    assertThat(report.visits().failed()).isZero();
  }

  @Test
  void aBatchThatHadGrownIsMadeAgainAtATenthOfWhatItWas() {
    database.due(Phase.RETENTION, 1_500);
    database.stepsACall = 3;
    database.onCall =
        call -> {
          if (database.calls("RETENTION").size() == 3) {
            failOnce(new TimedOutException("too long", "57014", null));
          }
        };

    sweep();

    assertThat(database.calls("RETENTION"))
        .extracting(call -> call.split(" ")[2])
        .startsWith("100", "200", "400", "80", "80", "160");
  }

  @Test
  void onlyThePartitionWhoseSmallStepFailsTooHasFailed() {
    UUID poisoned = database.due(Phase.RETENTION, 5);
    UUID other = database.due(Phase.RETENTION, 5);
    failOnce(new TimedOutException("too long", "57014", null));
    database.poison.put(poisoned, new TimedOutException("still too long", "57014", null));

    CycleReport report = sweep();

    assertThat(report.visits().failed()).isEqualTo(1);
    assertThat(report.segmentsDeleted()).isEqualTo(5);
    assertThat(database.calls("RETENTION")).hasSize(2).anyMatch(c -> c.contains(other.toString()));
    database.poison.clear();
    assertThat(sweep().visits().backedOff()).isEqualTo(1);
  }

  @Test
  void aCallThatAlwaysFailsLeavesNothingUndone() {
    database.drainFailure = new StepFailedException("no procedures here", "2D000", null);
    database.onDrain = nr -> database.clock.pass(DrainPhase.CHUNK_TIME);
    database.due(Phase.RETENTION, 25);
    database.due(Phase.TXNS_PURGE, 15);

    CycleReport report = sweep();

    assertThat(report.segmentsDeleted()).isEqualTo(25);
    assertThat(report.txnsPurged()).isEqualTo(15);
  }

  @Test
  void theSmallStepsAskFirstWhetherTheyAreWanted() {
    database.due(Phase.RETENTION, 25);
    failOnce(new TimedOutException("too long", "57014", null));
    database.onCheck = nr -> database.gone = true;

    CycleReport report = sweep();

    assertThat(database.calls("RETENTION")).isEmpty();
    assertThat(report.visits().left()).isEqualTo(1);
  }

  private void failOnce(RuntimeException failure) {
    int calls = database.drains.size();
    database.drainFailure = failure;
    database.onDrain = nr -> database.drainFailure = nr == calls + 1 ? failure : null;
  }

  private List<List<UUID>> partitions() {
    return database.drains.stream()
        .map(d -> d.targets().stream().map(Drain.Target::partitionId).toList())
        .toList();
  }

  private CycleReport sweep() {
    CycleOutcome outcome = cycle.run(Permission.unscheduled(new StopSignal()), Progress.UNWATCHED);
    return ((CycleOutcome.Swept) outcome).report();
  }
}

package dev.tidemark.retention.core.cycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.core.database.StepFailedException;
import dev.tidemark.retention.core.database.StepResult;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.core.plan.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

/** The roll-up of the history: from where, how far, and for how long. */
@NullUnmarked
class TailPhasesTest {
  private static final Instant NOW = FakeDatabase.NOW;
  private static final Duration BUDGET = Duration.ofSeconds(10);

  private final FakeDatabase database = new FakeDatabase();
  private final TestClock clock = new TestClock();
  private final Tally tally = new Tally(Progress.UNWATCHED);
  private final StopSignal signal = new StopSignal();
  private Knobs knobs = Knobs.defaults().with(Knob.BATCH_SIZE, "10");
  private TailPhases tail;

  @Test
  void theRollUpGoesOnWhereItEnded() {
    database.oldHistory = 25;
    run(NOW);
    run(NOW.plusSeconds(5));

    Instant oldest = NOW.minus(Duration.ofDays(90));
    assertThat(rollUps())
        .containsExactly(
            oldest + " " + detail(NOW),
            oldest.plusSeconds(10) + " " + detail(NOW),
            oldest.plusSeconds(20) + " " + detail(NOW),
            oldest.plusSeconds(25) + " " + detail(NOW.plusSeconds(5)));
  }

  @Test
  void onceAnHourItBeginsAtTheOldestRowAgain() {
    database.oldHistory = 5;
    run(NOW);
    clock.pass(Duration.ofMinutes(59));
    run(NOW);
    clock.pass(Duration.ofMinutes(1));
    run(NOW);

    Instant oldest = NOW.minus(Duration.ofDays(90));
    assertThat(rollUps())
        .containsExactly(
            oldest + " " + detail(NOW),
            oldest.plusSeconds(5) + " " + detail(NOW),
            oldest + " " + detail(NOW));
  }

  @Test
  void whatThePurgeTakesIsNotRolledUpBefore() {
    run(NOW);
    run(NOW.plus(Duration.ofDays(1)));

    assertThat(rollUps().get(1))
        .startsWith(NOW.plus(Duration.ofDays(1)).minus(Duration.ofDays(90)) + " ");
  }

  @Test
  void aHistoryThatIsNotKeptForLongerThanItsDetailIsOnlyPurged() {
    for (String hours : List.of("48", "49", "87600")) {
      set(Knob.METRICS_DAYS, "2");
      set(Knob.HISTORY_DETAIL_HOURS, hours);
      run(NOW);
    }
    assertThat(rollUps()).isEmpty();
    assertThat(database.calls("metrics")).hasSize(3);

    set(Knob.HISTORY_DETAIL_HOURS, "47");
    run(NOW);
    assertThat(rollUps())
        .containsExactly(NOW.minus(Duration.ofDays(2)) + " " + NOW.minus(Duration.ofHours(47)));
  }

  @Test
  void theRollUpLeavesHalfOfTheTimeToThePurge() {
    database.oldHistory = 1000;
    database.oldMetrics = 1000;
    database.onCall = call -> clock.pass(Duration.ofSeconds(1));

    run(NOW);

    // Of 10 s the cleanup took 1.
    assertThat(rollUps()).hasSize(5);
    assertThat(database.calls("metrics")).hasSize(4);
  }

  @Test
  void withoutTimeEachTakesOneBatch() {
    database.oldHistory = 1000;
    database.oldMetrics = 1000;
    clock.pass(BUDGET);

    assertThat(run(NOW, BUDGET.negated()).rollUp().rows()).isEqualTo(10);

    assertThat(database.calls("metrics")).hasSize(1);
  }

  @Test
  void withoutTimeEachStillTakesWhatTheCycleWrote() {
    database.oldHistory = 1000;
    database.oldMetrics = 1000;
    database.deadPartitions = 9;
    steps(Phase.RETENTION, 12);
    steps(Phase.MAX_WAIT, 8);
    steps(Phase.TXNS_PURGE, 100);

    TailPhases.Outcome outcome = run(NOW, BUDGET.negated());

    assertThat(outcome.rollUp().rows()).isEqualTo(20);
    assertThat(outcome.metrics().rows()).as("29, in whole batches").isEqualTo(30);
  }

  @Test
  void aStepThatDeletedNothingWroteNothing() {
    database.oldHistory = 1000;
    for (int i = 0; i < 20; i++) {
      tally.step(
          Phase.RETENTION, "q", new StepResult(0, 0, OptionalLong.empty(), Optional.empty(), true));
    }

    assertThat(run(NOW, BUDGET.negated()).rollUp().rows()).isEqualTo(10);
  }

  @Test
  void whatWasRolledUpBeforeAFailureIsCounted() {
    database.oldHistory = 25;
    database.onCall =
        call -> {
          if (database.calls("roll-up").size() == 3) {
            database.rollUpFailure = new StepFailedException("no", "P0001", null);
          }
        };

    assertThat(run(NOW).rollUp()).isEqualTo(new CycleReport.RollUp(20, "P0001 no"));
  }

  @Test
  void aStopEndsTheRollUpAndThePurge() {
    database.oldHistory = 1000;
    database.oldMetrics = 1000;
    steps(Phase.RETENTION, 500);
    database.onCall =
        call -> {
          if (call.startsWith("roll-up")) {
            signal.stop(StopSignal.Reason.PAUSED);
          }
        };

    assertThat(run(NOW).rollUp().rows()).isEqualTo(10);
    assertThat(database.calls("metrics")).isEmpty();
  }

  @Test
  void afterAStopNothingBegins() {
    signal.stop(StopSignal.Reason.PAUSED);

    assertThat(run(NOW))
        .isEqualTo(
            new TailPhases.Outcome(
                0, new CycleReport.RollUp(0, ""), new CycleReport.MetricsPurge(0, "")));
    assertThat(database.calls).isEmpty();
  }

  private void steps(Phase phase, int deleting) {
    String rule = phase == Phase.MAX_WAIT ? CycleReport.MAX_WAIT : "retention";
    for (int i = 0; i < deleting; i++) {
      tally.step(phase, "q", new StepResult(3, 6, OptionalLong.of(3), Optional.of(rule), true));
    }
  }

  /** Another start, with another value. */
  private void set(Knob knob, String value) {
    knobs = knobs.with(knob, value);
    tail = null;
  }

  private TailPhases.Outcome run(Instant listedAt) {
    return run(listedAt, BUDGET);
  }

  private TailPhases.Outcome run(Instant listedAt, Duration left) {
    if (tail == null) {
      tail = new TailPhases(knobs, clock);
    }
    Limits limits = new Limits(Deadline.in(clock, left), Permission.unscheduled(signal));
    return tail.run(database::openTail, listedAt, limits, tally);
  }

  private List<String> rollUps() {
    return database.calls("roll-up").stream()
        .map(call -> call.substring("roll-up ".length(), call.lastIndexOf(' ')))
        .toList();
  }

  private static Instant detail(Instant listedAt) {
    return listedAt.minus(Duration.ofHours(24));
  }
}

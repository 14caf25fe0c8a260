package dev.tidemark.retention.core.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.retention.core.cycle.Permission;
import dev.tidemark.retention.core.cycle.StopSignal;
import dev.tidemark.retention.core.cycle.TestClock;
import dev.tidemark.retention.core.database.Claim;
import dev.tidemark.retention.core.database.DatabaseUnavailableException;
import dev.tidemark.retention.core.database.StepFailedException;
import dev.tidemark.retention.core.database.TableDatabase;
import dev.tidemark.retention.core.database.TableRun;
import dev.tidemark.retention.core.database.TableRun.End;
import dev.tidemark.retention.core.database.TimedOutException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

@NullUnmarked
class TablePassTest {
  private static final Claim CLAIM = new Claim("table_retention", "me", 1);

  private final Tables tables = new Tables();
  private final StopSignal signal = new StopSignal();

  @Test
  void everyPolicyRunsUntilItIsDoneAndItsRunsAreSummed() {
    tables.has("a", deleted(10, End.TIME), deleted(5, End.DONE));
    tables.has("b", deleted(0, End.DONE));

    TableReport report = pass(Duration.ofMinutes(1));

    assertThat(tables.calls).containsExactly("a 1000", "b 1000", "a 1000");
    assertThat(report.policies().keySet()).containsExactly("a", "b");
    assertThat(report.policies().get("a").deleted()).isEqualTo(15);
    assertThat(report.policies().get("a").end()).isEqualTo(End.DONE);
    assertThat(report.deleted()).isEqualTo(15);
    assertThat(report.waiting()).isZero();
    assertThat(report.failed()).isZero();
    assertThat(report.stopped()).isEmpty();
    assertThat(report.elapsed()).isEqualTo(Duration.ofSeconds(3));
    assertThat(tables.claims).containsOnly(CLAIM);
  }

  @Test
  void whatIsArchivedAddsUpAndWhatIsSkippedIsOfTheLastRun() {
    tables.has(
        "a",
        new TableRun(10, 10, 3, End.TIME, Optional.empty()),
        new TableRun(4, 4, 1, End.STUCK, Optional.empty()));

    TableReport report = pass(Duration.ofMinutes(1));

    assertThat(report.archived()).isEqualTo(14);
    assertThat(report.policies().get("a").skipped()).isEqualTo(1);
    assertThat(report.waiting()).as("what cannot go now does not come again").isZero();
  }

  @Test
  void aTableThatFailsStopsNoOther() {
    StepFailedException trigger = new StepFailedException("no", "P0001", null);
    tables.has("a", new TableRun(7, 0, 0, End.FAILED, Optional.of(trigger)));
    tables.failure.put("b", new TimedOutException("too slow", "57014", null));
    tables.has("c", deleted(2, End.DONE));

    TableReport report = pass(Duration.ofMinutes(1));

    assertThat(report.policies().get("a").failure()).containsSame(trigger);
    assertThat(report.policies().get("b").failure().orElseThrow().sqlState()).isEqualTo("57014");
    assertThat(report.failed()).isEqualTo(2);
    assertThat(report.deleted()).isEqualTo(9);
    assertThat(tables.notes).as("what failed inside the call was noted there").hasSize(1);
  }

  @Test
  void aCallThatFailedAsAWholeIsNotedWithItsBegin() {
    tables.failure.put("a", new TimedOutException("too slow", "57014", null));
    Instant began = tables.clock.instant();

    pass(Duration.ofMinutes(1));

    assertThat(tables.notes).containsExactly("a " + began + " 57014");
  }

  @Test
  void aNoteThatCannotBeWrittenStopsNoOther() {
    tables.noteFails = true;
    tables.failure.put("a", new TimedOutException("too slow", "57014", null));
    tables.has("b", deleted(2, End.DONE));

    assertThat(pass(Duration.ofMinutes(1)).deleted()).isEqualTo(2);
  }

  @Test
  void aPolicyThatFailedAndWorkedAgainHasNotFailed() {
    assertThat(
            new TableReport.Totals(
                    1, 0, 0, End.FAILED, Optional.of(new StepFailedException("no", "P0001", null)))
                .then(TableReport.Totals.of(deleted(2, End.DONE))))
        .isEqualTo(new TableReport.Totals(3, 0, 0, End.DONE, Optional.empty()));
  }

  @Test
  void twoPassesAreSummedAndTheSecondSaysWhatIsWaiting() {
    tables.callTakes = Duration.ofSeconds(2);
    tables.has("a", deleted(1, End.TIME), deleted(2, End.DONE));
    tables.has("b", deleted(4, End.DONE));
    TableReport first = pass(Duration.ofSeconds(1));
    assertThat(first.waiting()).isEqualTo(2);

    TableReport both = first.then(pass(Duration.ofMinutes(1)));

    assertThat(both.deleted()).isEqualTo(7);
    assertThat(both.policies().get("a").end()).isEqualTo(End.DONE);
    assertThat(both.waiting()).isZero();
    assertThat(both.elapsed()).isEqualTo(Duration.ofSeconds(6));
  }

  @Test
  void onlyTheseIsOnlyThese() {
    tables.has("a");
    tables.has("b", deleted(1, End.DONE));

    TableReport report =
        new TablePass(tables, Duration.ofMinutes(1), tables.clock)
            .run(new Permission(signal, CLAIM), List.of("b"));

    assertThat(report.policies().keySet()).containsExactly("b");
  }

  @Test
  void aDatabaseThatIsGoneEndsThePass() {
    DatabaseUnavailableException gone = new DatabaseUnavailableException("gone", "08006", null);
    tables.failure.put("a", gone);

    assertThatThrownBy(() -> pass(Duration.ofMinutes(1))).isSameAs(gone);
  }

  @Test
  void theBudgetEndsThePassAndTheLastSliceIsShorter() {
    tables.callTakes = Duration.ofMillis(1_500);
    tables.has("a", deleted(1, End.TIME), deleted(1, End.TIME));
    tables.has("b", deleted(1, End.TIME));
    tables.has("c");

    TableReport report = pass(Duration.ofSeconds(2));

    assertThat(tables.calls).containsExactly("a 1000", "b 500");
    assertThat(report.waiting()).as("a and b have more, c got no turn").isEqualTo(3);
    assertThat(report.policies()).doesNotContainKey("c");
    assertThat(report.stopped()).as("the budget is no reason to stay due").isEmpty();
  }

  @Test
  void aPausedTaskAndALostClaimStopThePass() {
    tables.has("a", deleted(1, End.PAUSED));
    tables.has("b");

    assertThat(pass(Duration.ofMinutes(1)).stopped()).contains(StopSignal.Reason.PAUSED);
    assertThat(tables.calls).containsExactly("a 1000");

    StopSignal lost = new StopSignal();
    Tables others = new Tables();
    others.has("a", deleted(1, End.LOST));
    others.has("b");
    assertThat(
            new TablePass(others, Duration.ofMinutes(1), others.clock)
                .run(new Permission(lost, CLAIM))
                .stopped())
        .contains(StopSignal.Reason.LEASE_LOST);
  }

  @Test
  void aSignalStopsThePassBeforeTheNextTable() {
    tables.has("a", deleted(1, End.DONE));
    tables.has("b");
    tables.onCall = () -> signal.stop(StopSignal.Reason.CLOSING);

    TableReport report = pass(Duration.ofMinutes(1));

    assertThat(tables.calls).hasSize(1);
    assertThat(report.stopped()).contains(StopSignal.Reason.CLOSING);
    assertThat(report.waiting()).isEqualTo(1);
  }

  private TableReport pass(Duration budget) {
    return new TablePass(tables, budget, tables.clock).run(new Permission(signal, CLAIM));
  }

  private static TableRun deleted(long rows, End end) {
    return new TableRun(rows, 0, 0, end, Optional.empty());
  }

  /** Tables whose runs are written down before. */
  private static final class Tables implements TableDatabase {
    final Map<String, Deque<TableRun>> runs = new LinkedHashMap<>();
    final Map<String, RuntimeException> failure = new LinkedHashMap<>();
    final List<String> calls = new ArrayList<>();
    final List<Claim> claims = new ArrayList<>();
    final TestClock clock = new TestClock();
    final List<String> notes = new ArrayList<>();
    boolean noteFails;
    Duration callTakes = Duration.ofSeconds(1);
    Runnable onCall = () -> {};

    void has(String policy, TableRun... answers) {
      runs.put(policy, new ArrayDeque<>(List.of(answers)));
    }

    @Override
    public List<String> enabledPolicies() {
      List<String> names = new ArrayList<>(runs.keySet());
      failure.keySet().stream().filter(name -> !names.contains(name)).forEach(names::add);
      return names;
    }

    @Override
    public TableRun run(String policy, Duration time, Claim claim) {
      calls.add(policy + " " + time.toMillis());
      claims.add(claim);
      clock.pass(callTakes);
      onCall.run();
      if (failure.containsKey(policy)) {
        throw failure.get(policy);
      }
      return runs.get(policy).remove();
    }

    @Override
    public void noteFailure(String policy, Instant started, StepFailedException failed) {
      notes.add(policy + " " + started + " " + failed.sqlState());
      if (noteFails) {
        throw new StepFailedException("held", "55P03", null);
      }
    }
  }
}

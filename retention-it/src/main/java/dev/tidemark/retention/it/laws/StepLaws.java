package dev.tidemark.retention.it.laws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.step.Cut;
import dev.tidemark.retention.it.step.StepAction;
import dev.tidemark.retention.it.step.StepAction.Append;
import dev.tidemark.retention.it.step.StepAction.Commit;
import dev.tidemark.retention.it.step.StepAction.Evict;
import dev.tidemark.retention.it.step.StepAction.Purge;
import dev.tidemark.retention.it.step.StepAction.Step;
import dev.tidemark.retention.it.suite.Law;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestLog.History;
import dev.tidemark.retention.it.support.TestLog.Row;
import dev.tidemark.retention.it.support.TestLog.Segment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** The invariants of one partition, each over random histories of its own. */
public class StepLaws {
  private static final int TRIES = 60;
  private static final int AT_LENGTH = 1_000;
  private static final Duration LONG_AGO = Duration.ofDays(2);

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;

  @BeforeContainer
  static void open() {
    database = Target.open();
    sql = database.connect();
    log = new TestLog(sql);
  }

  @AfterContainer
  static void close() {
    database.close();
  }

  /** Invariants 1, 3, 4 and 6 after every action. */
  @Law(tries = TRIES, atLength = AT_LENGTH)
  void logStartIsTheFirstLiveBaseOffset(@ForAll("histories") List<StepAction> history) {
    run(
        history,
        (action, before, after) ->
            assertThat(Invariants.broken(sql)).as("after %s", action).isEmpty());
  }

  /** Invariant 2. */
  @Law(tries = TRIES, atLength = AT_LENGTH)
  void theWatermarkNeverMovesBack(@ForAll("histories") List<StepAction> history) {
    run(
        history,
        (action, before, after) -> {
          assertThat(after.row().logStart())
              .as("log_start after %s", action)
              .isGreaterThanOrEqualTo(before.row().logStart());
          assertThat(after.row().txnsStart())
              .as("txns_start after %s", action)
              .isGreaterThanOrEqualTo(before.row().txnsStart());
          assertThat(after.row().lastOffset())
              .as("last_offset after %s", action)
              .isGreaterThanOrEqualTo(before.row().lastOffset());
        });
  }

  /**
   * Invariant 5: with rule 1 off, a segment with a message some group has not committed stays; with
   * no group all stay.
   */
  @Law(tries = TRIES, atLength = AT_LENGTH)
  void unconsumedDataSurvivesRuleTwo(@ForAll("consumedOnlyHistories") List<StepAction> history) {
    run(
        history,
        (action, before, after) -> {
          long consumed = before.slowest();
          List<Segment> needed =
              before.segments().stream().filter(s -> s.end() > consumed).toList();
          assertThat(after.segments())
              .as("after %s, consumed up to %s", action, consumed)
              .containsAll(needed);
        });
  }

  /**
   * A segment at or after every cutoff of the step stays, to the microsecond; and no more than a
   * batch goes.
   */
  @Law(tries = TRIES, atLength = AT_LENGTH)
  void whatIsFreshSurvivesAndABatchIsABound(@ForAll("histories") List<StepAction> history) {
    run(
        history,
        (action, before, after) -> {
          if (action instanceof Step step) {
            Instant all = before.cutoff(step.all());
            Instant completed = before.cutoff(step.completed());
            Instant newest = all.isAfter(completed) ? all : completed;
            List<Segment> fresh =
                before.segments().stream().filter(s -> !s.createdAt().isBefore(newest)).toList();
            assertThat(after.segments()).as("after %s", action).containsAll(fresh);
            assertThat(before.segments().size() - after.segments().size())
                .as("after %s", action)
                .isLessThanOrEqualTo(step.maxRows());
          }
        });
  }

  /** Invariant 7: the history says exactly what went, to the message. */
  @Law(tries = TRIES, atLength = AT_LENGTH)
  void historyCountsWhatWent(@ForAll("histories") List<StepAction> history) {
    run(
        history,
        (action, before, after) -> {
          long segments =
              before.segments().stream().filter(s -> !after.segments().contains(s)).count();
          long messages =
              before.segments().stream()
                  .filter(s -> !after.segments().contains(s))
                  .mapToLong(Segment::messages)
                  .sum();
          List<History> written =
              after.history().subList(before.history().size(), after.history().size());
          if (segments == 0) {
            assertThat(written).as("after %s", action).isEmpty();
          } else {
            assertThat(written)
                .as("after %s", action)
                .singleElement()
                .satisfies(
                    h ->
                        assertThat(List.of(h.segments(), h.messages()))
                            .isEqualTo(List.of(segments, messages)));
          }
        });
  }

  @Provide
  Arbitrary<List<StepAction>> histories() {
    return Arbitraries.oneOf(appends(), appends(), commits(), anySteps(), purges(), evictions())
        .list()
        .ofMinSize(1)
        .ofMaxSize(25);
  }

  @Provide
  Arbitrary<List<StepAction>> consumedOnlyHistories() {
    Arbitrary<StepAction> consumedOnly =
        Combinators.combine(cuts(), batches())
            .as((completed, rows) -> new Step(null, completed, rows));
    return Arbitraries.oneOf(appends(), appends(), commits(), consumedOnly, purges())
        .list()
        .ofMinSize(1)
        .ofMaxSize(25);
  }

  @Provide
  Arbitrary<Step> steps() {
    return Combinators.combine(cuts().injectNull(0.3), cuts().injectNull(0.3), batches())
        .as(Step::new);
  }

  private Arbitrary<StepAction> anySteps() {
    return steps().map(s -> s);
  }

  private static Arbitrary<StepAction> appends() {
    return Combinators.combine(
            Arbitraries.integers().between(0, 5), Arbitraries.integers().between(1, 4))
        .as(Append::new);
  }

  private static Arbitrary<StepAction> commits() {
    return Combinators.combine(
            Arbitraries.of("fast", "slow"), Arbitraries.integers().between(0, 100))
        .as(Commit::new);
  }

  private static Arbitrary<StepAction> purges() {
    return Combinators.combine(cuts().injectNull(0.1), batches()).as(Purge::new);
  }

  private static Arbitrary<StepAction> evictions() {
    return Combinators.combine(cuts(), batches()).as(Evict::new);
  }

  private static Arbitrary<Cut> cuts() {
    return Combinators.combine(
            Arbitraries.integers().between(0, 100), Arbitraries.of(-1L, 0L, 1L, 60_000_000L))
        .as(Cut::new);
  }

  private static Arbitrary<Integer> batches() {
    return Arbitraries.of(1, 2, 3, 7, 1000);
  }

  private static void run(List<StepAction> history, Check check) {
    UUID partition = log.partition("histories", UUID.randomUUID().toString());
    Instant begin = log.ago(LONG_AGO);
    State before = State.of(partition, begin);
    for (StepAction action : history) {
      action.on(log, partition, begin);
      State after = State.of(partition, begin);
      check.after(action, before, after);
      before = after;
    }
    // Partitions of earlier histories would make the check of invariants slower with every try.
    sql.run("delete from queen.log_txns where partition_id = ?", partition);
    sql.run("delete from queen.log_partitions where id = ?", partition);
  }

  private interface Check {
    void after(StepAction action, State before, State after);
  }

  private record State(
      Row row, List<Segment> segments, List<History> history, long slowest, Instant begin) {
    Instant cutoff(Cut cut) {
      return cut == null
          ? Instant.MIN
          : cut.of(segments.stream().map(Segment::createdAt).toList(), begin);
    }

    static State of(UUID partition, Instant begin) {
      long slowest =
          sql.number(
              "select coalesce(min(committed), -1) from queen.log_consumers where partition_id = ?",
              partition);
      return new State(
          log.row(partition), log.segments(partition), log.history(partition), slowest, begin);
    }
  }
}

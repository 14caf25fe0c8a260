package dev.tidemark.retention.it.laws;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.suite.Depth;
import dev.tidemark.retention.it.suite.Law;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.RolledHistory;
import dev.tidemark.retention.it.support.RolledHistory.Row;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

/**
 * History that is rolled up into minutes says what it said before: no row is lost, none is counted
 * twice, and what is young or a partition event is not touched.
 */
public class HistoryRollUpLaws {
  private static final int TRIES = 60;
  private static final int AT_LENGTH = 1_000;

  /** Long before anything else in this database happened. */
  private static final Instant BEGIN = Instant.parse("2001-02-03T23:58:00Z");

  private static final Duration SPAN = Duration.ofMinutes(4);
  private static final String QUEUE = "rolled-up";

  private static TestDatabase database;
  private static Sql sql;
  private static RolledHistory history;

  /** A queue that is there, one that is gone, and none. */
  private static List<@Nullable UUID> queues;

  private final List<Sql> sessions = new ArrayList<>();

  @BeforeContainer
  static void open() {
    database = Target.open();
    sql = database.connect();
    history = new RolledHistory(sql);
    new TestLog(sql).configure(QUEUE, "{}");
    queues = new ArrayList<>();
    queues.add(sql.value("select id from queen.queues where name = ?", QUEUE));
    queues.add(UUID.randomUUID());
    queues.add(null);
  }

  @AfterContainer
  static void close() {
    sql.json("select queen.delete_queue_v1(p_name => ?)", QUEUE);
    database.close();
  }

  /** Sessions first: what one of them still holds, nobody could forget. */
  @AfterTry
  void forget() {
    sessions.forEach(Sql::close);
    history.forget();
  }

  private Sql session() {
    Sql session = Sql.connect(database.url());
    sessions.add(session);
    return session;
  }

  /** Invariant 7, after every action of any story. */
  @Law(tries = TRIES, atLength = AT_LENGTH)
  void everyTotalIsTheSameBeforeAndAfter(
      @ForAll("rows") List<Row> rows, @ForAll("actions") List<Action> actions) {
    List<Row> all = new ArrayList<>(rows);
    history.add(rows);
    for (Action action : actions) {
      action.happens(history);
      all.addAll(action.adds());
      assertThat(history.totals()).as("after %s", action).isEqualTo(RolledHistory.totals(all));
    }
  }

  /** As many as were asked for, the oldest first, none at or after the cutoff, and no event. */
  @Law(tries = TRIES, atLength = AT_LENGTH)
  void theOldestStepsBeforeTheCutoffAreTakenAndNothingElse(
      @ForAll("rows") List<Row> rows, @ForAll("rollUps") List<RollUp> rollUps) {
    history.add(rows);
    for (RollUp rollUp : rollUps) {
      List<Row> before = history.rows();
      List<Row> may =
          before.stream()
              .filter(row -> !row.isEvent() && row.at().isBefore(rollUp.cutoff()))
              .filter(row -> rollUp.from() == null || !row.at().isBefore(rollUp.from()))
              .sorted(Comparator.comparing(Row::at))
              .toList();
      List<Instant> taken = may.stream().limit(rollUp.maxRows()).map(Row::at).sorted().toList();

      JsonNode answer = rollUp.on(history);

      List<Row> gone = new ArrayList<>(before);
      history.rows().forEach(gone::remove);
      assertThat(gone.stream().map(Row::at).sorted()).as("%s", rollUp).isEqualTo(taken);
      assertThat(may).as("%s", rollUp).containsAll(gone);
      assertThat(answer.get("rolled").asInt()).isEqualTo(taken.size());
      assertThat(answer.get("minutes").asInt()).isEqualTo(RolledHistory.totals(gone).size());
      assertThat(answer.get("done").asBoolean()).isEqualTo(taken.size() < rollUp.maxRows());
      Instant last = taken.isEmpty() ? rollUp.from() : taken.get(taken.size() - 1);
      assertThat(instant(answer.get("last_at"))).as("%s", rollUp).isEqualTo(last);
    }
  }

  /** Batches of any size, each from where the last one ended, leave nothing behind. */
  @Law(tries = TRIES, atLength = AT_LENGTH)
  void batchesThatGoOnFromOneToTheNextTakeAll(
      @ForAll("rows") List<Row> rows, @ForAll @IntRange(min = 1, max = 7) int maxRows) {
    history.add(rows);
    Instant from = null;
    boolean done = false;
    for (int batch = 0; !done; batch++) {
      assertThat(batch).as("batches without an end").isLessThanOrEqualTo(rows.size());
      JsonNode answer = history.rollUp(from, BEGIN.plus(SPAN).plusSeconds(1), maxRows);
      from = instant(answer.get("last_at"));
      done = answer.get("done").asBoolean();
    }
    assertThat(history.rows()).allMatch(Row::isEvent);
    assertThat(history.totals()).isEqualTo(RolledHistory.totals(rows));
  }

  /** Where a range begins and ends with a minute, nobody can tell what was rolled up. */
  @Law(tries = TRIES, atLength = AT_LENGTH)
  void aTimeSeriesOfWholeMinutesIsTheSameBeforeAndAfter(
      @ForAll("rows") List<Row> rows,
      @ForAll("rollUps") List<RollUp> rollUps,
      @ForAll @IntRange(min = -1, max = 4) int from,
      @ForAll @IntRange(min = 1, max = 500) int minutes) {
    history.add(rows);
    Instant begin = BEGIN.plus(Duration.ofMinutes(from));
    List<String> before = answers(begin, begin.plus(Duration.ofMinutes(minutes)));
    for (RollUp rollUp : rollUps) {
      rollUp.on(history);
      assertThat(answers(begin, begin.plus(Duration.ofMinutes(minutes))))
          .as("%s", rollUp)
          .isEqualTo(before);
    }
  }

  /** Each of them in a transaction, each with rows that the other one passes. */
  @Example
  void twoAtOnceDoNotWaitForEachOthersRows() {
    List<Row> rows = List.of(row(0, 1), row(70, 2), row(80, 4));
    history.add(rows);
    Sql first = session();
    Sql second = session();
    second.run("set lock_timeout = '1ms'");
    first.begin();

    JsonNode one = new RolledHistory(first).rollUp(null, BEGIN.plus(SPAN), 1);
    JsonNode other = new RolledHistory(second).rollUp(null, BEGIN.plus(SPAN), 10);

    assertThat(one.get("rolled").asInt()).isOne();
    assertThat(other.get("rolled").asInt()).isEqualTo(2);
    first.commit();
    assertThat(history.totals()).isEqualTo(RolledHistory.totals(rows));
    assertThat(history.rows()).isEmpty();
  }

  /** A row of history that somebody holds keeps nobody from the others, and goes later. */
  @Example
  void aRowThatSomebodyHoldsIsPassedAndNotLost() {
    List<Row> rows = List.of(row(0, 1), row(1, 2));
    history.add(rows);
    Sql holder = session();
    holder.begin();
    holder.row("select 1 from queen.retention_history where executed_at = ? for update", BEGIN);

    JsonNode answer = history.rollUp(null, BEGIN.plus(SPAN), 10);

    assertThat(answer.get("rolled").asInt()).isOne();
    assertThat(answer.get("done").asBoolean()).isTrue();
    holder.rollback();
    assertThat(history.rows()).containsExactly(rows.get(0));
    assertThat(history.rollUp(null, BEGIN.plus(SPAN), 10).get("rolled").asInt()).isOne();
    assertThat(history.totals()).isEqualTo(RolledHistory.totals(rows));
  }

  /** Both add to one minute: the second waits, and adds to what the first one left. */
  @Example
  void twoInTheSameMinuteAddUpAndOneThatIsUndoneCountsNothing() {
    List<Row> rows = List.of(row(0, 1), row(1, 2), row(2, 4), row(3, 8));
    history.add(rows);
    Sql first = session();
    Sql second = session();

    first.begin();
    new RolledHistory(first).rollUp(null, BEGIN.plus(SPAN), 1);
    Waiting.Elsewhere<JsonNode> adds =
        Waiting.blocked(sql, second, s -> new RolledHistory(s).rollUp(null, BEGIN.plus(SPAN), 1));
    first.commit();
    assertThat(adds.get().get("rolled").asInt()).isOne();
    assertThat(history.totals()).isEqualTo(RolledHistory.totals(rows));

    first.begin();
    new RolledHistory(first).rollUp(null, BEGIN.plus(SPAN), 1);
    adds =
        Waiting.blocked(sql, second, s -> new RolledHistory(s).rollUp(null, BEGIN.plus(SPAN), 1));
    first.rollback();
    assertThat(adds.get().get("rolled").asInt()).isOne();
    assertThat(history.rows()).containsExactly(rows.get(2));
    assertThat(history.totals()).isEqualTo(RolledHistory.totals(rows));
  }

  /** Four at once, in batches of different sizes, while rows still come and some are undone. */
  @Example
  void manyAtOnceCountEveryRowOnce() {
    int each = Depth.of(2_000, 50_000);
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < each; i++) {
      rows.add(new Row(queues.get(i % 3), "r" + i % 2, i, i % 5, BEGIN.plusMillis(i % 97 * 1_000)));
    }
    history.add(rows);
    long deadlocks = deadlocks();

    List<Waiting.Elsewhere<Boolean>> callers = new ArrayList<>();
    for (int batch : new int[] {7, 23, 61, 97}) {
      Sql session = session();
      callers.add(Waiting.elsewhere(() -> rolledUp(session, batch)));
    }
    Sql writer = session();
    for (int i = 0; i < 200; i++) {
      List<Row> more = List.of(row(i % 60, i), row(i % 41, 2 * i));
      writer.begin();
      new RolledHistory(writer).add(more);
      if (i % 3 == 0) {
        writer.rollback();
      } else {
        writer.commit();
        rows.addAll(more);
      }
    }
    callers.forEach(caller -> assertThat(caller.get()).isTrue());

    assertThat(history.totals()).isEqualTo(RolledHistory.totals(rows));
    assertThat(rolledUp(sql, 1_000)).isTrue();
    assertThat(history.rows()).isEmpty();
    assertThat(history.totals()).isEqualTo(RolledHistory.totals(rows));
    assertThat(deadlocks()).isEqualTo(deadlocks);
  }

  private static boolean rolledUp(Sql session, int batch) {
    RolledHistory own = new RolledHistory(session);
    boolean done = false;
    while (!done) {
      done = own.rollUp(null, BEGIN.plus(SPAN), batch).get("done").asBoolean();
    }
    return true;
  }

  private static long deadlocks() {
    sql.run("select pg_stat_force_next_flush()");
    return sql.number("select deadlocks from pg_stat_database where datname = current_database()");
  }

  private static Row row(int seconds, long messages) {
    return new Row(queues.get(0), "retention", messages, 1, BEGIN.plusSeconds(seconds));
  }

  private static @Nullable Instant instant(JsonNode at) {
    return at.isNull() ? null : OffsetDateTime.parse(at.asText()).toInstant();
  }

  /** Of all queues, of the one that is there, and the sums by queue. */
  private static List<String> answers(Instant from, Instant to) {
    String range = "\"from\": \"%s\", \"to\": \"%s\"".formatted(from, to);
    List<String> answers = new ArrayList<>();
    for (String filter : List.of("", ", \"queue\": \"" + QUEUE + "\"")) {
      answers.add(
          sql.json(
                  "select queen.get_retention_timeseries_v1(p_filters => ?::jsonb)",
                  "{" + range + filter + "}")
              .toString());
    }
    sql.rows(
            "select queue_id, retention_type, segments_deleted, messages_deleted, events"
                + " from queen.retention_history_totals_v1(?) where retention_type <> '__x__'"
                + " order by queue_id, retention_type",
            from)
        .forEach(row -> answers.add(row.toString()));
    return answers;
  }

  @Provide
  Arbitrary<List<Row>> rows() {
    return row().list().ofMaxSize(25);
  }

  @Provide
  Arbitrary<List<RollUp>> rollUps() {
    return rollUp().list().ofMinSize(1).ofMaxSize(5);
  }

  @Provide
  Arbitrary<List<Action>> actions() {
    Arbitrary<Action> add = row().list().ofMaxSize(6).map(Add::new).map(Action.class::cast);
    return Arbitraries.frequencyOf(Tuple.of(3, rollUp().map(Action.class::cast)), Tuple.of(1, add))
        .list()
        .ofMinSize(1)
        .ofMaxSize(8);
  }

  private static Arbitrary<Row> row() {
    Arbitrary<Long> counts =
        Arbitraries.oneOf(
            Arbitraries.longs().between(0, 20), Arbitraries.of(Long.MAX_VALUE, Long.MAX_VALUE - 1));
    return Combinators.combine(
            Arbitraries.of(0, 1, 2),
            Arbitraries.of("retention", "completed_retention", "_x_", "__x", "__x__", "____"),
            counts,
            counts,
            times())
        .as(
            (queue, rule, messages, segments, at) ->
                new Row(queues.get(queue), rule, messages, segments, at));
  }

  private static Arbitrary<RollUp> rollUp() {
    return Combinators.combine(times().injectNull(0.5), times(), Arbitraries.of(1, 2, 3, 5, 1_000))
        .as(RollUp::new);
  }

  /** Any moment, and often a microsecond before, at and after the turn of a minute. */
  private static Arbitrary<Instant> times() {
    long span = SPAN.toNanos() / 1_000;
    Arbitrary<Long> edges =
        Combinators.combine(
                Arbitraries.longs().between(0, SPAN.toMinutes()), Arbitraries.of(-1L, 0L, 1L))
            .as((minute, micros) -> minute * 60_000_000 + micros);
    return Arbitraries.oneOf(Arbitraries.longs().between(0, span), edges)
        .map(micros -> BEGIN.plus(micros, ChronoUnit.MICROS));
  }

  /** Something that happens to the history. */
  sealed interface Action {
    void happens(RolledHistory history);

    default List<Row> adds() {
      return List.of();
    }
  }

  record Add(List<Row> adds) implements Action {
    @Override
    public void happens(RolledHistory history) {
      history.add(adds);
    }
  }

  record RollUp(@Nullable Instant from, Instant cutoff, int maxRows) implements Action {
    JsonNode on(RolledHistory history) {
      return history.rollUp(from, cutoff, maxRows);
    }

    @Override
    public void happens(RolledHistory history) {
      on(history);
    }
  }
}

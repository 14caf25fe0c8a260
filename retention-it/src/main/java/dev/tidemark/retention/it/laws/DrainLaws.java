package dev.tidemark.retention.it.laws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.step.Cut;
import dev.tidemark.retention.it.step.Drain;
import dev.tidemark.retention.it.step.Drain.Cutoffs;
import dev.tidemark.retention.it.step.Drain.Fate;
import dev.tidemark.retention.it.step.Drain.Turn;
import dev.tidemark.retention.it.step.Drain.What;
import dev.tidemark.retention.it.step.StepAction;
import dev.tidemark.retention.it.step.StepAction.Append;
import dev.tidemark.retention.it.step.StepAction.Commit;
import dev.tidemark.retention.it.suite.Law;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestLog.History;
import dev.tidemark.retention.it.support.TestLog.Row;
import dev.tidemark.retention.it.support.TestLog.Segment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** However a drain is cut into steps and whatever befalls it between two, it ends the same way. */
public class DrainLaws {
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

  /**
   * The same partitions twice: one set is drained in turns, the other swept at once by plain
   * statements.
   */
  @Law(tries = 40, atLength = 2_000)
  void batchesOfAnySizeEndWhereOneSweepEnds(
      @ForAll("fills") List<List<StepAction>> fills,
      @ForAll("windows") Windows windows,
      @ForAll("turns") List<Turn> turns,
      @ForAll("batches") int lastBatches) {
    Instant begin = log.ago(LONG_AGO);
    List<UUID> drained = filled(fills, begin);
    List<UUID> swept = filled(fills, begin);
    Cutoffs cutoffs = windows.of(drained, begin);

    try (Drain drain = new Drain(database, sql, drained, cutoffs)) {
      turns.forEach(drain::take);
      drain.finish(lastBatches);
    }
    swept.forEach(partition -> sweep(partition, cutoffs));

    for (int i = 0; i < fills.size(); i++) {
      assertThat(State.of(drained.get(i)))
          .as("partition %d, swept with %s", i, cutoffs)
          .isEqualTo(State.of(swept.get(i)));
    }
    Collections.addAll(drained, swept.toArray(UUID[]::new));
    sql.run("delete from queen.log_txns where partition_id = any (?)", ids(drained));
    sql.run("delete from queen.log_partitions where id = any (?)", ids(drained));
    sql.run("delete from queen.retention_history where partition_id = any (?)", ids(drained));
  }

  private static Object ids(List<UUID> partitions) {
    return partitions.toArray(UUID[]::new);
  }

  private static List<UUID> filled(List<List<StepAction>> fills, Instant begin) {
    List<UUID> partitions = new ArrayList<>();
    for (List<StepAction> fill : fills) {
      UUID partition = log.partition("drains", UUID.randomUUID().toString());
      fill.forEach(action -> action.on(log, partition, begin));
      partitions.add(partition);
    }
    return partitions;
  }

  /**
   * What the rules say, without the engine: everything old enough goes at once, and the row says
   * what is left.
   */
  private static void sweep(UUID partition, Cutoffs cutoffs) {
    Map<String, Object> gone =
        sql.row(
            """
            with gone as (
                delete from queen.log_segments s
                 where s.partition_id = ?
                   and (s.created_at < ?::timestamptz
                        or s.created_at < ?::timestamptz
                        or s.created_at < ?::timestamptz
                           and s.end_offset <= (select min(c.committed) from queen.log_consumers c where c.partition_id = s.partition_id))
                returning s.end_offset - s.base_offset + 1 as messages)
            select count(*) as segments, coalesce(sum(messages), 0)::bigint as messages from gone
            """,
            partition,
            cutoffs.all(),
            cutoffs.maxWait(),
            cutoffs.completed());
    sql.run(
        "delete from queen.log_txns where partition_id = ? and created_at < ?::timestamptz",
        partition,
        cutoffs.txns());
    sql.run(
        """
        update queen.log_partitions p
           set log_start = coalesce((select min(s.base_offset) from queen.log_segments s where s.partition_id = p.id), p.last_offset + 1),
               oldest_live_at = (select min(s.created_at) from queen.log_segments s where s.partition_id = p.id),
               txns_start = coalesce((select min(t.base_offset) from queen.log_txns t where t.partition_id = p.id), p.last_offset + 1),
               oldest_txn_at = (select min(t.created_at) from queen.log_txns t where t.partition_id = p.id)
         where p.id = ?
        """,
        partition);
    sql.run(
        "insert into queen.retention_history"
            + " (partition_id, segments_deleted, messages_deleted, retention_type)"
            + " values (?, ?, ?, 'sweep')",
        partition,
        gone.get("segments"),
        gone.get("messages"));
  }

  @Provide
  Arbitrary<List<List<StepAction>>> fills() {
    Arbitrary<StepAction> appends =
        Combinators.combine(
                Arbitraries.integers().between(0, 5), Arbitraries.integers().between(1, 4))
            .as(Append::new);
    Arbitrary<StepAction> commits =
        Combinators.combine(
                Arbitraries.of("fast", "slow", "__QUEUE_MODE__"),
                Arbitraries.integers().between(0, 100))
            .as(Commit::new);
    return Arbitraries.frequencyOf(Tuple.of(4, appends), Tuple.of(1, commits))
        .list()
        .ofMinSize(1)
        .ofMaxSize(20)
        .list()
        .ofMinSize(1)
        .ofMaxSize(3);
  }

  @Provide
  Arbitrary<Windows> windows() {
    Arbitrary<Cut> cuts =
        Combinators.combine(
                Arbitraries.integers().between(0, 100), Arbitraries.of(1L, 0L, -1L, 60_000_000L))
            .as(Cut::new);
    return Combinators.combine(
            cuts.injectNull(0.4), cuts.injectNull(0.2), cuts.injectNull(0.2), cuts.injectNull(0.7))
        .as(Windows::new);
  }

  @Provide
  Arbitrary<List<Turn>> turns() {
    return Combinators.combine(
            Arbitraries.integers().between(0, 2),
            Arbitraries.of(What.class),
            batches(),
            Arbitraries.frequency(
                Tuple.of(6, Fate.COMMITTED),
                Tuple.of(2, Fate.ROLLED_BACK),
                Tuple.of(1, Fate.BACKEND_TERMINATED)),
            Arbitraries.of(false, true))
        .as(Turn::new)
        .list()
        .ofMaxSize(12);
  }

  @Provide
  Arbitrary<Integer> batches() {
    return Arbitraries.of(1000, 1, 2, 3, 7);
  }

  /** Cutoffs beside the times of all segments; null = off. */
  private record Windows(Cut all, Cut completed, Cut txns, Cut maxWait) {
    Cutoffs of(List<UUID> partitions, Instant begin) {
      List<Instant> times =
          partitions.stream()
              .flatMap(partition -> log.segments(partition).stream())
              .map(Segment::createdAt)
              .sorted()
              .toList();
      return new Cutoffs(
          of(all, times, begin),
          of(completed, times, begin),
          of(txns, times, begin),
          of(maxWait, times, begin));
    }

    private static Instant of(Cut cut, List<Instant> times, Instant begin) {
      return cut == null ? null : cut.of(times, begin);
    }
  }

  private record State(
      Row row, List<Segment> segments, List<Object> sidecar, long deletedSegments, long messages) {
    static State of(UUID partition) {
      List<History> history = log.history(partition);
      return new State(
          log.row(partition),
          log.segments(partition),
          sql.column(
              "select base_offset || '-' || end_offset || ' ' || created_at from queen.log_txns"
                  + " where partition_id = ? order by base_offset",
              partition),
          history.stream().mapToLong(History::segments).sum(),
          history.stream().mapToLong(History::messages).sum());
    }
  }
}

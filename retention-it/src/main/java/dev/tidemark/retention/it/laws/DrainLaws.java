package dev.tidemark.retention.it.laws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.step.Cut;
import dev.tidemark.retention.it.step.Drain;
import dev.tidemark.retention.it.step.Drain.Cutoffs;
import dev.tidemark.retention.it.step.Drain.Fate;
import dev.tidemark.retention.it.step.Drain.Turn;
import dev.tidemark.retention.it.step.Drain.What;
import dev.tidemark.retention.it.step.DueQueue;
import dev.tidemark.retention.it.step.PartitionState;
import dev.tidemark.retention.it.step.ServerDrains;
import dev.tidemark.retention.it.step.ServerDrains.ServerTurn;
import dev.tidemark.retention.it.step.StepAction;
import dev.tidemark.retention.it.step.StepAction.Append;
import dev.tidemark.retention.it.step.StepAction.Commit;
import dev.tidemark.retention.it.step.Sweep;
import dev.tidemark.retention.it.suite.Law;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestLog.Segment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
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
  private static DueQueue queue;

  @BeforeContainer
  static void open() {
    database = Target.open();
    sql = database.connect();
    log = new TestLog(sql);
    queue = DueQueue.of(sql);
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
    swept.forEach(partition -> Sweep.over(sql, partition, cutoffs));

    endAlike(drained, swept, cutoffs);
  }

  /**
   * The same by calls of the drains on the server: each of some partitions, with bounds of its own,
   * until they say that nothing is left.
   */
  @Law(tries = 30, atLength = 1_000)
  void drainsOnTheServerEndWhereOneSweepEnds(
      @ForAll("fills") List<List<StepAction>> fills,
      @ForAll("windows") Windows windows,
      @ForAll("calls") List<ServerTurn> turns,
      @ForAll("batches") int lastBatches) {
    Instant begin = log.ago(LONG_AGO);
    List<UUID> drained = filled(fills, begin);
    List<UUID> swept = filled(fills, begin);
    Cutoffs cutoffs = windows.of(drained, begin);

    ServerDrains drains = new ServerDrains(sql, queue.id(), drained, cutoffs);
    turns.forEach(drains::take);
    drains.finish(lastBatches);
    swept.forEach(partition -> Sweep.over(sql, partition, cutoffs));

    endAlike(drained, swept, cutoffs);
  }

  private static void endAlike(List<UUID> drained, List<UUID> swept, Cutoffs cutoffs) {
    for (int i = 0; i < drained.size(); i++) {
      assertThat(PartitionState.of(sql, drained.get(i)))
          .as("partition %d, swept with %s", i, cutoffs)
          .isEqualTo(PartitionState.of(sql, swept.get(i)));
    }
    List<UUID> all = new ArrayList<>(drained);
    all.addAll(swept);
    sql.run("delete from queen.log_txns where partition_id = any (?)", ids(all));
    sql.run("delete from queen.log_partitions where id = any (?)", ids(all));
    sql.run("delete from queen.retention_history where partition_id = any (?)", ids(all));
  }

  private static Object ids(List<UUID> partitions) {
    return partitions.toArray(UUID[]::new);
  }

  private static List<UUID> filled(List<List<StepAction>> fills, Instant begin) {
    List<UUID> partitions = new ArrayList<>();
    for (List<StepAction> fill : fills) {
      UUID partition = log.partition(queue.name(), UUID.randomUUID().toString());
      fill.forEach(action -> action.on(log, partition, begin));
      partitions.add(partition);
    }
    return partitions;
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
  Arbitrary<List<ServerTurn>> calls() {
    return Combinators.combine(
            Arbitraries.integers().between(0, 2),
            Arbitraries.of(What.class),
            batches(),
            Arbitraries.of(1, 2, 10),
            Arbitraries.of(1, 500),
            Arbitraries.of(true, false))
        .as(ServerTurn::new)
        .list()
        .ofMaxSize(8);
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
}

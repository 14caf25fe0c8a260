package dev.tidemark.retention.cli.bench;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * A cycle with nothing due, among many partitions and among few, and with many queues and with few.
 * Each cycle is the first of its service, so that each has its cleanup scan.
 */
final class IdleRow implements Row {
  private final PartitionSets sets;
  private final int cycles;

  /**
   * @param cycles of which the median is one measurement
   */
  IdleRow(PartitionSets sets, int cycles) {
    this.sets = sets;
    this.cycles = cycles;
  }

  @Override
  public String name() {
    return "idle";
  }

  @Override
  public List<RowResult> measure(Bench bench) throws SQLException, InterruptedException {
    for (String set : List.of(PartitionSets.MANY, PartitionSets.FEW, PartitionSets.MANY_QUEUES)) {
      empty(bench, set);
    }
    return List.of(
        compare(
            bench,
            PartitionSets.MANY,
            Optional.of(Target.atMost(1.5)),
            shape -> shape.partitions() + " partitions"),
        compare(
            bench,
            PartitionSets.MANY_QUEUES,
            Optional.empty(),
            shape -> shape.queues() + " queues"));
  }

  /** Takes what is due, so that nothing is. */
  private void empty(Bench bench, String set) throws SQLException {
    BenchDatabase database = sets.database(bench, set);
    try (Cycles cycles = new Cycles(database, Cycles.knobs(sets.shape(set).due()))) {
      while (cycles.run().deletedSomething()) {
        bench.progress().accept("idle: emptying " + set);
      }
    }
    bench.settle(database);
    database.checkpoint();
  }

  private RowResult compare(
      Bench bench, String large, Optional<Target> target, Function<LogShape, String> label)
      throws SQLException, InterruptedException {
    String over = label.apply(sets.shape(large));
    String under = label.apply(sets.shape(PartitionSets.FEW));
    Map<String, List<Double>> millis =
        bench.alternate(
            name(),
            List.of(
                new Rounds.Side<>(over, () -> idleMillis(sets.database(bench, large))),
                new Rounds.Side<>(
                    under, () -> idleMillis(sets.database(bench, PartitionSets.FEW)))));
    return new RowResult(
            name(),
            "a cycle with nothing due, " + over + " to " + under,
            target,
            Statistics.ratios(Medians.of(millis, over), Medians.of(millis, under)),
            Map.of("ms a cycle", Medians.of(millis)))
        .variant(target.isPresent() ? "" : "queues");
  }

  private double idleMillis(BenchDatabase database) {
    List<Double> millis = new ArrayList<>();
    for (int i = 0; i < cycles; i++) {
      try (Cycles runner = new Cycles(database, Cycles.knobs(0))) {
        long start = System.nanoTime();
        if (runner.run().deletedSomething()) {
          throw new IllegalStateException("a cycle that should find nothing deleted something");
        }
        millis.add(Cycles.seconds(start) * 1000);
      }
    }
    return Statistics.median(millis);
  }
}

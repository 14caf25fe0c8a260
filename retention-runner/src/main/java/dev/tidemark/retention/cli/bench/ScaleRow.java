package dev.tidemark.retention.cli.bench;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A whole cycle with the same partitions due, among many and among few. */
final class ScaleRow implements Row {
  private final PartitionSets sets;

  ScaleRow(PartitionSets sets) {
    this.sets = sets;
  }

  @Override
  public String name() {
    return "scale";
  }

  @Override
  public List<RowResult> measure(Bench bench) throws SQLException, InterruptedException {
    Map<String, List<Double>> seconds =
        bench.alternate(
            name(), List.of(side(bench, PartitionSets.MANY), side(bench, PartitionSets.FEW)));
    String many = label(PartitionSets.MANY);
    String few = label(PartitionSets.FEW);
    return List.of(
        new RowResult(
            name(),
            "a cycle with "
                + sets.shape(PartitionSets.FEW).due()
                + " partitions due, among "
                + many
                + " to among "
                + few,
            Optional.of(Target.atMost(1.3)),
            Statistics.ratios(Medians.of(seconds, many), Medians.of(seconds, few)),
            Map.of("s a cycle", Medians.of(seconds))));
  }

  private Rounds.Side<Double> side(Bench bench, String set) {
    LogShape shape = sets.shape(set);
    return new Rounds.Side<>(
        label(set),
        () -> {
          sets.restore(bench, set);
          return Cycles.secondsToDelete(
              sets.database(bench, set), Cycles.knobs(shape.due()), shape.deletable());
        });
  }

  private String label(String set) {
    return sets.shape(set).partitions() + " partitions";
  }
}

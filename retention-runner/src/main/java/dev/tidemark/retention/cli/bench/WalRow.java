package dev.tidemark.retention.cli.bench;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * WAL bytes for each deleted row: the runner's, with all it writes beside, against the bare
 * DELETE's. {@code walwide} has one segment a partition, {@code waldeep} all in one.
 */
final class WalRow implements Row {
  private static final String RUNNER = "runner";
  private static final String BARE = "bare DELETE";

  private final String name;
  private final List<Integer> blobs;
  private final IntFunction<LogShape> shape;

  private WalRow(String name, List<Integer> blobs, IntFunction<LogShape> shape) {
    this.name = name;
    this.blobs = blobs;
    this.shape = shape;
  }

  static WalRow wide(int partitions, List<Integer> blobs) {
    return new WalRow("walwide", blobs, blob -> LogShape.due(partitions, 1, blob));
  }

  static WalRow deep(int segments, List<Integer> blobs) {
    return new WalRow("waldeep", blobs, blob -> LogShape.due(1, segments, blob));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public List<RowResult> measure(Bench bench) throws SQLException, InterruptedException {
    List<RowResult> results = new ArrayList<>();
    BenchDatabase database = bench.server().database(name);
    for (int blob : blobs) {
      results.add(measure(bench, database, shape.apply(blob)).variant(blob + " B"));
    }
    bench.server().drop(name);
    return results;
  }

  private RowResult measure(Bench bench, BenchDatabase database, LogShape log)
      throws SQLException, InterruptedException {
    Map<String, List<Double>> bytes =
        bench.alternate(
            name,
            List.of(
                bench.side(
                    RUNNER,
                    database,
                    log,
                    () -> {
                      long before = database.walBytes();
                      Cycles.secondsToDelete(database, Cycles.knobs(log.due()), log.deletable());
                      return perRow(database, before, log);
                    }),
                bench.side(
                    BARE,
                    database,
                    log,
                    () -> {
                      long before = database.walBytes();
                      BareDelete.seconds(database, log.deletable());
                      return perRow(database, before, log);
                    })));
    return new RowResult(
        name,
        "WAL bytes a row of the runner to those of a bare DELETE, blobs of "
            + log.blobBytes()
            + " B",
        Optional.empty(),
        Statistics.ratios(Medians.of(bytes, RUNNER), Medians.of(bytes, BARE)),
        Map.of("WAL bytes a row", Medians.of(bytes)));
  }

  private static double perRow(BenchDatabase database, long before, LogShape log)
      throws SQLException {
    return (double) (database.walBytes() - before) / log.deletable();
  }
}

package dev.tidemark.retention.cli.bench;

import dev.tidemark.retention.core.knob.Knobs;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One partition with very many small segments: cycles until it is empty, against one bare DELETE of
 * the same rows with its commit.
 */
final class DeepRow implements Row {
  private static final String RUNNER = "runner";
  private static final String BARE = "bare DELETE";

  private final LogShape shape;

  DeepRow(int segments, int blobBytes) {
    this.shape = LogShape.due(1, segments, blobBytes);
  }

  @Override
  public String name() {
    return "deep";
  }

  @Override
  public List<RowResult> measure(Bench bench) throws SQLException, InterruptedException {
    BenchDatabase database = bench.server().database(name());
    Map<String, List<Double>> rows =
        bench.alternate(
            name(),
            List.of(
                bench.side(
                    RUNNER,
                    database,
                    shape,
                    () ->
                        shape.deletable()
                            / Cycles.secondsToDelete(
                                database, Knobs.defaults(), shape.deletable())),
                bench.side(
                    BARE,
                    database,
                    shape,
                    () -> shape.deletable() / BareDelete.seconds(database, shape.deletable()))));
    bench.server().drop(name());
    return List.of(
        new RowResult(
            name(),
            "rows/s of the runner to rows/s of a bare DELETE",
            Optional.of(Target.atLeast(0.9)),
            Statistics.ratios(Medians.of(rows, RUNNER), Medians.of(rows, BARE)),
            Map.of("rows/s", Medians.of(rows))));
  }
}

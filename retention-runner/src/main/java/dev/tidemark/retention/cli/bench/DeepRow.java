package dev.tidemark.retention.cli.bench;

import dev.tidemark.retention.core.knob.Knob;
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

  /** What a step costs beside its rows: ten times fewer of them. */
  private static final String LARGE_BATCH = "10000";

  private static final String LARGE = "runner, larger batches";
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
                bench.side(RUNNER, database, shape, () -> drain(database, Knobs.defaults())),
                bench.side(
                    LARGE,
                    database,
                    shape,
                    () -> drain(database, Knobs.defaults().with(Knob.BATCH_SIZE, LARGE_BATCH))),
                bench.side(
                    BARE,
                    database,
                    shape,
                    () -> shape.deletable() / BareDelete.seconds(database, shape.deletable()))));
    bench.server().drop(name());
    return List.of(
        result(rows, RUNNER, Optional.of(Target.atLeast(0.9))),
        result(rows, LARGE, Optional.empty()).variant("batches of " + LARGE_BATCH));
  }

  private RowResult result(Map<String, List<Double>> rows, String side, Optional<Target> target) {
    return new RowResult(
        name(),
        "rows/s of the " + side + " to rows/s of a bare DELETE",
        target,
        Statistics.ratios(Medians.of(rows, side), Medians.of(rows, BARE)),
        Map.of("rows/s", Medians.of(rows)));
  }

  private double drain(BenchDatabase database, Knobs knobs) {
    return Cycles.segmentsPerSecond(database, knobs, shape.deletable());
  }
}

package dev.tidemark.retention.cli.bench;

import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.core.knob.Knobs;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The same backlog with one worker and with more. */
final class FanoutRow implements Row {
  private static final List<Integer> WORKERS = List.of(1, 2, 4);

  private final LogShape shape;

  FanoutRow(int partitions, int segments) {
    this.shape = LogShape.due(partitions, segments, 200);
  }

  @Override
  public String name() {
    return "fanout";
  }

  @Override
  public List<RowResult> measure(Bench bench) throws SQLException, InterruptedException {
    BenchDatabase database = bench.server().database(name());
    Map<String, List<Double>> rows =
        bench.alternate(
            name(), WORKERS.stream().map(workers -> side(bench, database, workers)).toList());
    bench.server().drop(name());
    List<RowResult> results = new ArrayList<>();
    for (int workers : WORKERS.subList(1, WORKERS.size())) {
      results.add(
          new RowResult(
                  name(),
                  "rows/s with " + workers + " workers to rows/s with one",
                  Optional.empty(),
                  Statistics.ratios(Medians.of(rows, label(workers)), Medians.of(rows, label(1))),
                  Map.of("rows/s", Medians.of(rows)))
              .variant(String.valueOf(workers)));
    }
    return results;
  }

  private Rounds.Side<Double> side(Bench bench, BenchDatabase database, int workers) {
    Knobs knobs = Knobs.defaults().with(Knob.PARALLELISM, String.valueOf(workers));
    return bench.side(
        label(workers),
        database,
        shape,
        () -> Cycles.segmentsPerSecond(database, knobs, shape.deletable()));
  }

  private static String label(int workers) {
    return "parallelism " + workers;
  }
}

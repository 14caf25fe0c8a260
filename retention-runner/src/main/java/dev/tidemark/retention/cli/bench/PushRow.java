package dev.tidemark.retention.cli.bench;

import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.core.knob.Knobs;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * How long pushes take into the very partitions that are drained: with retention against without,
 * and against the one-transaction sweep that it replaced.
 */
final class PushRow implements Row {
  private static final String WITH = "retention";
  private static final String WITHOUT = "nothing";
  private static final String SWEEP = "one-transaction sweep";
  private static final double MICROS = 1000;

  /** A cycle ends within the window. */
  private static final Knobs SHORT_CYCLES = Knobs.defaults().with(Knob.CYCLE_BUDGET_MS, "1000");

  private static final int THREADS = 2;
  private static final int BLOB = 200;

  private final LogShape shape;
  private final int rate;
  private final Duration window;

  /**
   * @param segments the backlog of each partition
   * @param rate pushes a second
   * @param window how long one measurement lasts at most; shorter with retention if the backlog is
   *     gone before
   */
  PushRow(int partitions, int segments, int rate, Duration window) {
    this.shape = LogShape.due(partitions, segments, BLOB);
    this.rate = rate;
    this.window = window;
  }

  @Override
  public String name() {
    return "push";
  }

  @Override
  public List<RowResult> measure(Bench bench) throws SQLException, InterruptedException {
    BenchDatabase database = bench.server().database(name());
    Map<String, List<Histogram>> latencies;
    try (Pushers pushers = Pushers.intoLog(database, shape.partitions(), THREADS, rate, BLOB)) {
      latencies =
          bench.alternate(
              name(),
              List.of(
                  bench.side(
                      WITHOUT,
                      database,
                      shape,
                      () -> pushers.during(() -> Thread.sleep(window.toMillis()))),
                  bench.side(WITH, database, shape, () -> pushers.during(() -> cycles(database))),
                  bench.side(SWEEP, database, shape, () -> pushers.during(() -> sweep(database)))));
    }
    bench.server().drop(name());
    return List.of(
        result(latencies, WITH, Optional.of(Target.atMost(2))),
        result(latencies, SWEEP, Optional.empty()).variant("sweep"));
  }

  private void cycles(BenchDatabase database) {
    long end = System.nanoTime() + window.toNanos();
    try (Cycles cycles = new Cycles(database, SHORT_CYCLES)) {
      long deleted = 1;
      while (deleted > 0 && System.nanoTime() < end) {
        deleted = cycles.run().segmentsDeleted();
      }
    }
  }

  private static void sweep(BenchDatabase database) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        PreparedStatement sweep = connection.prepareStatement("select bench.sweep(?)")) {
      sweep.setObject(1, WideRow.cutoff(connection));
      sweep.execute();
    }
  }

  private RowResult result(
      Map<String, List<Histogram>> latencies, String side, Optional<Target> target) {
    Map<String, Map<String, Double>> values = new LinkedHashMap<>();
    values.put("p50 ms", medians(latencies, h -> h.getValueAtPercentile(50) / MICROS));
    values.put("p99 ms", medians(latencies, PushRow::p99));
    values.put("max ms", medians(latencies, h -> h.getMaxValue() / MICROS));
    values.put("pushes a round", medians(latencies, Histogram::getTotalCount));
    return new RowResult(
        name(),
        "p99 of pushes beside "
            + (side.equals(WITH) ? "retention" : "the " + side)
            + " to beside nothing",
        target,
        Statistics.ratios(
            Medians.of(latencies, side).stream().map(PushRow::p99).toList(),
            Medians.of(latencies, WITHOUT).stream().map(PushRow::p99).toList()),
        values);
  }

  private static double p99(Histogram latencies) {
    return latencies.getValueAtPercentile(99) / MICROS;
  }

  private static Map<String, Double> medians(
      Map<String, List<Histogram>> latencies, ToDoubleFunction<Histogram> value) {
    Map<String, Double> medians = new LinkedHashMap<>();
    latencies.forEach(
        (side, histograms) ->
            medians.put(
                side,
                Statistics.median(histograms.stream().map(h -> value.applyAsDouble(h)).toList())));
    return medians;
  }
}

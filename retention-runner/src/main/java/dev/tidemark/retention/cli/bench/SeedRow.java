package dev.tidemark.retention.cli.bench;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * The everyday case: rows come in at a steady rate, and the policy runs every few seconds, for a
 * window that is as short. Autovacuum is on. Phases with runs take turns with phases without, on a
 * table that stays the same, so that a run also meets what a phase without has left to it.
 */
final class SeedRow implements Row {
  /** What a batch took where this case was first described, on eight times as many cores. */
  private static final double LONGEST_MS = 35;

  private static final String WITH = "with runs";
  private static final String WITHOUT = "without";
  private static final double MICROS = 1000;
  private static final double MEGABYTE = 1e6;

  private final int rate;
  private final int keepSeconds;
  private final Duration every;

  /**
   * @param rate inserts a second
   * @param keepSeconds the policy's window; the table begins with it full
   * @param every from one run to the next; two of them are a phase
   */
  SeedRow(int rate, int keepSeconds, Duration every) {
    this.rate = rate;
    this.keepSeconds = keepSeconds;
    this.every = every;
  }

  @Override
  public String name() {
    return "seed";
  }

  @Override
  public List<RowResult> measure(Bench bench) throws SQLException, InterruptedException {
    BenchDatabase database = bench.server().database(name());
    new EventTable(database, 0, rate * keepSeconds).load(keepSeconds);
    Map<String, List<SeedTraffic.Phase>> phases;
    List<Double> sizes;
    bench.server().autovacuum(true, 1);
    try (SeedTraffic traffic = new SeedTraffic(database, rate, every)) {
      phases =
          bench.alternate(
              name(),
              List.of(
                  new Rounds.Side<>(WITH, () -> traffic.phase(true)),
                  new Rounds.Side<>(WITHOUT, () -> traffic.phase(false))));
      sizes = traffic.sizes();
    } finally {
      bench.server().autovacuum(false);
    }
    bench.server().drop(name());
    return List.of(batches(Medians.of(phases, WITH)), inserts(phases), size(sizes));
  }

  private RowResult batches(List<SeedTraffic.Phase> runs) {
    List<Double> held = new ArrayList<>();
    runs.forEach(phase -> held.addAll(phase.heldMillis()));
    return new RowResult(
            name(),
            "the longest of all batches to 35 ms",
            Optional.of(Target.atMost(1)),
            List.of(Collections.max(held) / LONGEST_MS),
            Map.of(
                "ms a batch",
                Map.of("longest", Collections.max(held), "median", Statistics.median(held))))
        .variant("batch");
  }

  private RowResult inserts(Map<String, List<SeedTraffic.Phase>> phases) {
    Map<String, Map<String, Double>> values = new LinkedHashMap<>();
    values.put("p50 ms", medians(phases, phase -> percentile(phase, 50)));
    values.put("p99 ms", medians(phases, phase -> percentile(phase, 99)));
    values.put("max ms", medians(phases, phase -> percentile(phase, 100)));
    values.put("inserts/s", medians(phases, SeedTraffic.Phase::rate));
    return new RowResult(
            name(),
            "p99 of inserts with runs to without",
            Optional.of(Target.atMost(1.5)),
            Statistics.ratios(p99(phases, WITH), p99(phases, WITHOUT)),
            values)
        .variant("inserts");
  }

  private RowResult size(List<Double> sizes) {
    // The first third is left out: the table is as large as its fullest moment, which comes every
    // four phases, only after it.
    List<Double> counted = sizes.subList(sizes.size() / 3, sizes.size());
    int half = counted.size() / 2;
    double first = Collections.max(counted.subList(0, half));
    double second = Collections.max(counted.subList(half, counted.size()));
    return new RowResult(
        name(),
        "size",
        "the table at its largest in the second half of the phases to the first half",
        Optional.of(Target.atMost(1.1)),
        List.of(second / first),
        Map.of("MB", Map.of("first half", first / MEGABYTE, "second half", second / MEGABYTE)),
        Map.of("MB", sizes.stream().map(bytes -> bytes / MEGABYTE).toList()));
  }

  private static List<Double> p99(Map<String, List<SeedTraffic.Phase>> phases, String side) {
    return Medians.of(phases, side).stream().map(phase -> percentile(phase, 99)).toList();
  }

  private static double percentile(SeedTraffic.Phase phase, double percent) {
    return phase.latencies().getValueAtPercentile(percent) / MICROS;
  }

  private static Map<String, Double> medians(
      Map<String, List<SeedTraffic.Phase>> phases, ToDoubleFunction<SeedTraffic.Phase> value) {
    Map<String, Double> medians = new LinkedHashMap<>();
    phases.forEach(
        (side, measured) ->
            medians.put(
                side,
                Statistics.median(measured.stream().map(p -> value.applyAsDouble(p)).toList())));
    return medians;
  }
}

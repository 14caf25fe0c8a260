package dev.tidemark.retention.cli.bench;

import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * Pushes at a steady rate behind which the scheduled runner keeps a few seconds, for minutes:
 * unhindered for a quarter of the time, then half of it with a snapshot held open by another
 * session, then a quarter after it has ended. Autovacuum is on.
 */
final class SoakRow implements Row {
  private static final int PARTITIONS = 50;
  private static final int BLOB = 1000;
  private static final int THREADS = 2;

  private final Duration length;
  private final int rate;
  private final int keepSeconds;

  /**
   * @param rate pushes a second
   * @param keepSeconds the queue's window
   */
  SoakRow(Duration length, int rate, int keepSeconds) {
    this.length = length;
    this.rate = rate;
    this.keepSeconds = keepSeconds;
  }

  @Override
  public String name() {
    return "soak";
  }

  @Override
  public List<RowResult> measure(Bench bench) throws SQLException, InterruptedException {
    BenchDatabase database = bench.server().database(name());
    database.number(
        "select bench.load_soak(p_partitions => ?, p_keep_seconds => ?, p_pushes_a_second => ?)",
        PARTITIONS,
        keepSeconds,
        rate);
    bench.settle(database);
    database.checkpoint();
    bench.server().autovacuum(true);
    SoakSeries series = new SoakSeries();
    try (Pushers pushers = Pushers.intoLog(database, PARTITIONS, THREADS, rate, BLOB)) {
      pushers.during(() -> new Soak(database, length, series, bench.progress()).run());
    } finally {
      bench.server().autovacuum(false);
    }
    bench.server().drop(name());
    return results(series);
  }

  private List<RowResult> results(SoakSeries series) {
    return List.of(
        new RowResult(
            name(),
            "tables",
            "the tables at their largest in the second half of a quarter without a snapshot, to the first half",
            Optional.of(Target.atMost(1.1)),
            List.of(Math.max(series.growth(SoakSeries.BEFORE), series.growth(SoakSeries.AFTER))),
            Map.of("MB at the end", byPhase(series::lastMegabytes)),
            series.series()),
        new RowResult(
                name(),
                "the same under the held snapshot, where nothing deleted can be given back",
                Optional.empty(),
                List.of(series.growth(SoakSeries.HELD)),
                Map.of())
            .variant("tables, held"),
        new RowResult(
                name(),
                "a cycle under the held snapshot, in the second half, to one before",
                Optional.of(Target.atMost(2)),
                List.of(
                    series.cycleMillis(SoakSeries.HELD) / series.cycleMillis(SoakSeries.BEFORE)),
                Map.of("ms a cycle", byPhase(series::cycleMillis)))
            .variant("cycle"));
  }

  private static Map<String, Double> byPhase(ToDoubleFunction<String> value) {
    Map<String, Double> values = new LinkedHashMap<>();
    for (String phase : List.of(SoakSeries.BEFORE, SoakSeries.HELD, SoakSeries.AFTER)) {
      values.put(phase, value.applyAsDouble(phase));
    }
    return values;
  }
}

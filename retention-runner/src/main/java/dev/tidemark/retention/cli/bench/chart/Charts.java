package dev.tidemark.retention.cli.bench.chart;

import dev.tidemark.retention.cli.bench.BenchReport;
import dev.tidemark.retention.cli.bench.RowResult;
import java.awt.GraphicsEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.knowm.xchart.internal.chartpart.Chart;

/** Which plots a run has: one for each question of which it measured a row. */
public final class Charts {
  private Charts() {}

  /**
   * Java 2D draws no text without a font, and says so only by a failure from deep inside.
   *
   * @throws IllegalStateException when this machine has none
   */
  public static void requireFonts() {
    try {
      if (GraphicsEnvironment.getLocalGraphicsEnvironment().getAvailableFontFamilyNames().length
          > 0) {
        return;
      }
    } catch (RuntimeException | Error e) {
      throw new IllegalStateException("this Java finds no fonts to draw with: " + e, e);
    }
    throw new IllegalStateException("this Java finds no fonts to draw with");
  }

  /** Writes the plots into a directory, which is created if absent; their names. */
  public static List<String> write(Path directory, BenchReport report) throws IOException {
    Files.createDirectories(directory);
    List<String> names = new ArrayList<>();
    for (Map.Entry<String, Chart<?, ?>> chart : draw(report).entrySet()) {
      SvgFile.write(directory.resolve(chart.getKey()), chart.getValue());
      names.add(chart.getKey());
    }
    return names;
  }

  static Map<String, Chart<?, ?>> draw(BenchReport report) {
    Map<String, Chart<?, ?>> charts = new LinkedHashMap<>();
    List<RowResult> aimed = report.rows().stream().filter(row -> row.target().isPresent()).toList();
    if (!aimed.isEmpty()) {
      charts.put("ratios.svg", Bars.ratios(aimed));
    }
    List<RowResult> push = named(report, "push");
    if (!push.isEmpty()) {
      charts.put("push.svg", Bars.latencies(push.get(0)));
    }
    List<RowResult> fanout = named(report, "fanout");
    if (!fanout.isEmpty()) {
      charts.put("fanout.svg", Bars.fanout(fanout.get(0)));
    }
    List<RowResult> wal =
        report.rows().stream().filter(row -> row.name().startsWith("wal")).toList();
    if (!wal.isEmpty()) {
      charts.put("wal.svg", Bars.wal(wal));
    }
    List<RowResult> soak =
        named(report, "soak").stream().filter(row -> !row.series().isEmpty()).toList();
    if (!soak.isEmpty()) {
      charts.put("soak.svg", Lines.soak(soak.get(0)));
    }
    return charts;
  }

  private static List<RowResult> named(BenchReport report, String name) {
    return report.rows().stream()
        .filter(row -> row.name().equals(name))
        .collect(Collectors.toList());
  }
}

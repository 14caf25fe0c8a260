package dev.tidemark.retention.cli.bench.chart;

import dev.tidemark.retention.cli.bench.RowResult;
import dev.tidemark.retention.cli.bench.Target;
import java.awt.Font;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** The plots with bars. */
final class Bars {
  private static final String TARGET = "target";

  private Bars() {}

  /** A bar for each ratio, and a mark where its target is. */
  static CategoryChart ratios(List<RowResult> rows) {
    CategoryChart chart = chart("Ratios and their targets", "", "ratio");
    List<String> names = rows.stream().map(Bars::label).toList();
    chart.addSeries("measured", names, rows.stream().map(RowResult::ratio).toList());
    CategorySeries targets =
        chart.addSeries(
            TARGET,
            names,
            rows.stream().map(row -> row.target().map(Target::bound).orElse(0.0)).toList());
    targets.setChartCategorySeriesRenderStyle(CategorySeries.CategorySeriesRenderStyle.Scatter);
    targets.setMarker(SeriesMarkers.DIAMOND);
    targets.setMarkerColor(Look.MARK);
    // Or the mark would stand beside its bar.
    chart.getStyler().setOverlapped(true);
    // More than ten names do not fit beside one another.
    chart.getStyler().setXAxisLabelRotation(45);
    return chart;
  }

  private static String label(RowResult row) {
    return row.name()
        + (row.variant().isEmpty() ? "" : " " + row.variant())
        + row.target().map(Bars::bound).orElse("");
  }

  private static String bound(Target target) {
    return (target.atLeast() ? " \u2265 " : " \u2264 ")
        + new BigDecimal(String.valueOf(target.bound())).stripTrailingZeros().toPlainString();
  }

  /**
   * Percentiles of pushes, beside what; the sweep's are so much longer that the axis is
   * logarithmic.
   */
  static CategoryChart latencies(RowResult push) {
    CategoryChart chart = chart("Pushes, by what runs beside them", "", "ms");
    chart.getStyler().setYAxisLogarithmic(true);
    Map<String, List<Double>> bySide = new LinkedHashMap<>();
    List<String> percentiles = new ArrayList<>();
    push.values()
        .forEach(
            (what, sides) -> {
              if (what.endsWith(" ms")) {
                percentiles.add(what.replace(" ms", ""));
                sides.forEach(
                    (side, millis) ->
                        bySide.computeIfAbsent(side, s -> new ArrayList<>()).add(millis));
              }
            });
    bySide.forEach((side, millis) -> chart.addSeries(side, percentiles, millis));
    // Bars stand on zero unless told otherwise, and a logarithmic axis has none.
    double least =
        bySide.values().stream()
            .flatMap(List::stream)
            .mapToDouble(Double::doubleValue)
            .min()
            .orElse(1);
    chart.getStyler().setYAxisMin(Math.pow(10, Math.floor(Math.log10(least))));
    return chart;
  }

  static CategoryChart fanout(RowResult fanout) {
    CategoryChart chart = chart("One backlog, more workers", "RETENTION_PARALLELISM", "rows/s");
    chart.getStyler().setYAxisDecimalPattern("#,##0");
    chart.getStyler().setLegendVisible(false);
    Map<String, Double> rows = fanout.values().getOrDefault("rows/s", Map.of());
    chart.addSeries(
        "rows/s",
        rows.keySet().stream().map(side -> side.replace("parallelism ", "")).toList(),
        List.copyOf(rows.values()));
    return chart;
  }

  static CategoryChart wal(List<RowResult> rows) {
    CategoryChart chart = chart("WAL for each deleted row", "", "bytes");
    // Twelve bars: narrower ones would leave the ends of their white labels on the white beside.
    chart.getStyler().setAvailableSpaceFill(0.9);
    chart.getStyler().setYAxisDecimalPattern("#,##0");
    Map<String, List<Double>> bySide = new LinkedHashMap<>();
    rows.forEach(
        row ->
            row.values()
                .values()
                .forEach(
                    sides ->
                        sides.forEach(
                            (side, bytes) ->
                                bySide.computeIfAbsent(side, s -> new ArrayList<>()).add(bytes))));
    List<String> names = rows.stream().map(row -> row.name() + " " + row.variant()).toList();
    bySide.forEach((side, bytes) -> chart.addSeries(side, names, bytes));
    return chart;
  }

  private static CategoryChart chart(String title, String x, String y) {
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(Look.WIDTH)
            .height(Look.HEIGHT)
            .title(title)
            .xAxisTitle(x)
            .yAxisTitle(y)
            .build();
    Look.apply(chart.getStyler());
    chart.getStyler().setAvailableSpaceFill(0.6);
    chart.getStyler().setYAxisDecimalPattern("#,##0.##");
    chart.getStyler().setLabelsVisible(true);
    chart.getStyler().setLabelsFont(new Font(Font.SANS_SERIF, Font.PLAIN, 11));
    chart.getStyler().setLabelsPosition(0.5);
    return chart;
  }
}

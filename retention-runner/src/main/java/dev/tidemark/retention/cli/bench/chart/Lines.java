package dev.tidemark.retention.cli.bench.chart;

import dev.tidemark.retention.cli.bench.RowResult;
import java.awt.BasicStroke;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.knowm.xchart.AnnotationLine;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** The plots over time. */
final class Lines {
  private static final BasicStroke DASHED =
      new BasicStroke(1, BasicStroke.CAP_BUTT, BasicStroke.JOIN_BEVEL, 0, new float[] {4, 4}, 0);

  private Lines() {}

  /**
   * Sizes on the left axis, the time of a cycle on the right; the title says when the snapshot was
   * held, and a line stands at either end of it.
   */
  static XYChart soak(RowResult soak) {
    List<Double> seconds = column(soak, "second");
    XYChart chart =
        new XYChartBuilder()
            .width(Look.WIDTH)
            .height(Look.HEIGHT)
            .title("Soak; a snapshot is held " + held(seconds, column(soak, "snapshot")))
            .xAxisTitle("s")
            .yAxisTitle("MB")
            .build();
    Look.apply(chart.getStyler());
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setYAxisMin(1, 0.0);
    for (String name : List.of("log MB", "history MB", "cycle ms")) {
      XYSeries series = chart.addSeries(name, seconds, column(soak, name));
      series.setMarker(SeriesMarkers.NONE);
      series.setLineStyle(new BasicStroke(1.5f));
      series.setYAxisGroup(name.endsWith("ms") ? 1 : 0);
    }
    chart.setYAxisGroupTitle(1, "ms");
    markHeld(chart, seconds, column(soak, "snapshot"));
    chart.getStyler().setYAxisGroupPosition(1, Styler.YAxisPosition.Right);
    return chart;
  }

  private static void markHeld(XYChart chart, List<Double> seconds, List<Double> snapshot) {
    int first = snapshot.indexOf(1.0);
    if (first < 0) {
      return;
    }
    chart.getStyler().setAnnotationLineColor(Look.MARK);
    chart.getStyler().setAnnotationLineStroke(DASHED);
    for (int end : new int[] {first, snapshot.lastIndexOf(1.0)}) {
      chart.addAnnotation(new AnnotationLine(seconds.get(end), true, false));
    }
  }

  private static String held(List<Double> seconds, List<Double> snapshot) {
    int first = snapshot.indexOf(1.0);
    int last = snapshot.lastIndexOf(1.0);
    return first < 0
        ? "at no time"
        : "from " + Math.round(seconds.get(first)) + " to " + Math.round(seconds.get(last)) + " s";
  }

  private static List<Double> column(RowResult soak, String name) {
    Map<String, List<Double>> series = soak.series();
    return Objects.requireNonNull(series.get(name), name);
  }
}

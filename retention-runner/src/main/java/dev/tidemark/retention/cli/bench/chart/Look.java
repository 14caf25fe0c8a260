package dev.tidemark.retention.cli.bench.chart;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler;

/** What all plots have in common: white, thin lines, colours that also differ in grey. */
final class Look {
  static final int WIDTH = 860;
  static final int HEIGHT = 380;
  static final Color MARK = new Color(0xB2182B);

  private static final Color[] COLORS = {
    new Color(0x2166AC), new Color(0x92C5DE), new Color(0xF4A582), new Color(0x4D4D4D)
  };
  private static final Color GRID = new Color(0xDDDDDD);

  private Look() {}

  static void apply(AxesChartStyler styler) {
    styler.setChartBackgroundColor(Color.WHITE);
    styler.setSeriesColors(COLORS);
    styler.setPlotBorderVisible(false);
    styler.setPlotGridLinesColor(GRID);
    styler.setPlotGridLinesStroke(new BasicStroke(1));
    styler.setPlotGridVerticalLinesVisible(false);
    styler.setChartTitleFont(font(15));
    styler.setLegendFont(font(12));
    styler.setAxisTitleFont(font(12));
    styler.setAxisTickLabelsFont(font(12));
    styler.setChartTitleBoxVisible(false);
    styler.setLegendBorderColor(Color.WHITE);
    styler.setLegendPosition(Styler.LegendPosition.OutsideS);
    styler.setLegendLayout(Styler.LegendLayout.Horizontal);
  }

  private static Font font(int size) {
    return new Font(Font.SANS_SERIF, Font.PLAIN, size);
  }
}

package dev.tidemark.retention.cli.bench.chart;

import java.awt.Dimension;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGeneratorContext;
import org.apache.batik.svggen.SVGGraphics2D;
import org.knowm.xchart.internal.chartpart.Chart;
import org.w3c.dom.Document;

/** Draws a chart into a file. */
final class SvgFile {
  /** After the point of a coordinate: letters are drawn as outlines, and more would not be seen. */
  private static final int DECIMALS = 2;

  private static final String SVG = "http://www.w3.org/2000/svg";

  private SvgFile() {}

  static void write(Path file, Chart<?, ?> chart) throws IOException {
    SVGGeneratorContext context = SVGGeneratorContext.createDefault(document());
    context.setPrecision(DECIMALS);
    SVGGraphics2D graphics = new SVGGraphics2D(context, false);
    graphics.setSVGCanvasSize(new Dimension(chart.getWidth(), chart.getHeight()));
    chart.paint(graphics, chart.getWidth(), chart.getHeight());
    try (Writer out = Files.newBufferedWriter(file)) {
      graphics.stream(out, true);
    }
  }

  private static Document document() {
    try {
      return DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .getDOMImplementation()
          .createDocument(SVG, "svg", null);
    } catch (ParserConfigurationException e) {
      throw new IllegalStateException("every JDK has a plain XML document", e);
    }
  }
}

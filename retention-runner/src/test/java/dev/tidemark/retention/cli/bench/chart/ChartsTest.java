package dev.tidemark.retention.cli.bench.chart;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.cli.bench.Reports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

class ChartsTest {
  @TempDir private Path directory;

  @BeforeAll
  static void thisMachineHasFonts() {
    Charts.requireFonts();
  }

  @Test
  void everyKindOfRowHasItsPlotAndEachIsADrawing() throws Exception {
    List<String> names = Charts.write(directory.resolve("new"), Reports.full());

    assertThat(names)
        .containsExactly("ratios.svg", "push.svg", "fanout.svg", "wal.svg", "soak.svg");
    for (String name : names) {
      Element svg = parsed(directory.resolve("new").resolve(name)).getDocumentElement();
      assertThat(svg.getTagName()).isEqualTo("svg");
      assertThat(svg.getAttribute("width")).isEqualTo(String.valueOf(Look.WIDTH));
      assertThat(svg.getElementsByTagName("path").getLength()).as(name).isGreaterThan(20);
    }
  }

  @Test
  void whatWasNotMeasuredIsNotDrawn() throws IOException {
    assertThat(Charts.write(directory, Reports.of())).isEmpty();
  }

  private static Document parsed(Path svg) throws Exception {
    // Without the document type: a parser would fetch it.
    String text = Files.readString(svg).replaceFirst("(?s)<!DOCTYPE.*?>", "");
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(
            new java.io.ByteArrayInputStream(
                text.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
  }
}

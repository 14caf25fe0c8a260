package dev.tidemark.retention.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportPageTest {
  private static final String BY_HAND = "# Page\n\n<!-- results of: retention bench -->\n";
  private static final String END = "<!-- end of the results -->\nmore by hand\n";

  @TempDir private Path directory;

  @Test
  void onlyWhatStandsBetweenTheCommentsIsReplacedAndASecondRunReplacesTheFirst()
      throws IOException {
    Path page = Files.writeString(directory.resolve("p.md"), BY_HAND + "stale\n" + END);

    ReportPage.write(page, Reports.full(), List.of("p/ratios.svg"));
    String once = Files.readString(page);
    ReportPage.write(page, Reports.full(), List.of("p/ratios.svg"));

    assertThat(once)
        .startsWith(BY_HAND)
        .endsWith(END)
        .doesNotContain("stale")
        .contains("| wide | 6.00 | >= 5.0 | holds |")
        .contains("2026-01-02T03:04:05Z, 2 cores")
        .contains("fsync=on")
        .contains("![ratios](p/ratios.svg)");
    assertThat(Files.readString(page)).isEqualTo(once);
  }

  @Test
  void aPageThatLostItsCommentsMeanwhileIsLeftAsItIs() throws IOException {
    Path page = Files.writeString(directory.resolve("p.md"), BY_HAND);

    assertThatThrownBy(() -> ReportPage.write(page, Reports.full(), List.of()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("two comments");
    assertThat(Files.readString(page)).isEqualTo(BY_HAND);
  }

  @Test
  void aPageWithoutTheCommentsIsNone() throws IOException {
    assertThat(ReportPage.isPage(directory.resolve("absent.md"))).isFalse();
    assertThat(ReportPage.isPage(Files.writeString(directory.resolve("a.md"), "# A\n"))).isFalse();
    assertThat(ReportPage.isPage(Files.writeString(directory.resolve("b.md"), BY_HAND))).isFalse();
    assertThat(ReportPage.isPage(Files.writeString(directory.resolve("c.md"), BY_HAND + END)))
        .isTrue();
  }
}

package dev.tidemark.retention.cli.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The results part of a Markdown page, between two comments; what stands outside is written by
 * hand.
 */
public final class ReportPage {
  private static final String BEGIN = "<!-- results of: retention bench -->\n";
  private static final String END = "<!-- end of the results -->\n";

  private ReportPage() {}

  /** Whether the page is there and has the two comments. */
  public static boolean isPage(Path page) throws IOException {
    if (!Files.isRegularFile(page)) {
      return false;
    }
    String text = Files.readString(page);
    int begin = text.indexOf(BEGIN);
    return begin >= 0 && text.indexOf(END, begin) > 0;
  }

  /**
   * Replaces what stands between the comments.
   *
   * @param charts files to show, relative to the page
   * @throws IOException also if the page has lost the comments meanwhile
   */
  public static void write(Path page, BenchReport report, List<String> charts) throws IOException {
    if (!isPage(page)) {
      throw new IOException(page + " has no longer the two comments for results");
    }
    String text = Files.readString(page);
    int begin = text.indexOf(BEGIN) + BEGIN.length();
    Files.writeString(
        page,
        text.substring(0, begin)
            + results(report, charts)
            + text.substring(text.indexOf(END, begin)));
  }

  static String results(BenchReport report, List<String> charts) {
    StringBuilder block = new StringBuilder("\n");
    block.append(report.date()).append(", ").append(report.environment().machine());
    block.append(". ").append(report.environment().server());
    block.append(", ").append(report.environment().java());
    block.append(". ").append(report.rounds()).append(" rounds, ");
    block.append(Math.round(report.seconds())).append(" s in all.\n\n");
    for (List<String> line : BenchTable.lines(report)) {
      block.append("| ").append(String.join(" | ", line)).append(" |\n");
      if (line.get(0).equals("row")) {
        block.append("|---".repeat(line.size())).append("|\n");
      }
    }
    block.append("\nSettings:\n\n```text\n");
    report.environment().settings().forEach(s -> block.append(s).append('\n'));
    block.append("```\n\n");
    charts.forEach(
        chart ->
            block.append("![").append(title(chart)).append("](").append(chart).append(")\n\n"));
    return block.toString();
  }

  private static String title(String chart) {
    return chart.substring(chart.lastIndexOf('/') + 1).replace(".svg", "");
  }
}

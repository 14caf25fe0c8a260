package dev.tidemark.retention.cli;

import dev.tidemark.retention.cli.bench.BenchReport;
import dev.tidemark.retention.cli.bench.ReportPage;
import dev.tidemark.retention.cli.bench.chart.Charts;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a bench writes, if anywhere. Whatever would fail after the minutes of measuring fails when
 * this is made: the directory is there then, and can be written.
 */
final class BenchFiles {
  private static final String PAGE_SUFFIX = ".md";

  private final @Nullable Path plots;
  private final @Nullable Path page;

  private BenchFiles(@Nullable Path plots, @Nullable Path page) {
    this.plots = plots;
    this.page = page;
  }

  /**
   * @param charts as --charts
   * @param page as --report
   * @throws UsageException if one of them cannot be written
   */
  static BenchFiles of(@Nullable Path charts, @Nullable Path page) {
    if (charts != null && page != null) {
      throw new UsageException("--charts: --report has its own directory for them: give one");
    }
    if (page != null) {
      return ofPage(page);
    }
    return charts == null ? new BenchFiles(null, null) : ofDirectory(charts);
  }

  private static BenchFiles ofDirectory(Path charts) {
    requireFonts();
    if (charts.toString().isEmpty() || !canBeWrittenInto(charts)) {
      throw new UsageException(
          "--charts: must be a directory that can be made or written, not '" + charts + "'");
    }
    return new BenchFiles(charts, null);
  }

  private static BenchFiles ofPage(Path page) {
    Path file = page.getFileName();
    String name = file == null ? "" : file.toString();
    if (!name.endsWith(PAGE_SUFFIX) || name.equals(PAGE_SUFFIX) || !canBeReplacedIn(page)) {
      throw new UsageException(
          "--report: must be a Markdown page with the two comments for results, and writable, not '"
              + page
              + "'");
    }
    requireFonts();
    Path plots = page.resolveSibling(name.substring(0, name.length() - PAGE_SUFFIX.length()));
    if (!canBeWrittenInto(plots)) {
      throw new UsageException(
          "--report: must have a directory for plots beside it that can be made or written, not '"
              + plots
              + "'");
    }
    return new BenchFiles(plots, page);
  }

  private static void requireFonts() {
    try {
      Charts.requireFonts();
    } catch (IllegalStateException e) {
      throw new CommandFailedException(String.valueOf(e.getMessage()), e);
    }
  }

  /** Tried, since permissions alone do not tell. */
  private static boolean canBeReplacedIn(Path page) {
    try {
      if (!ReportPage.isPage(page)) {
        return false;
      }
      FileChannel.open(page, StandardOpenOption.WRITE).close();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean canBeWrittenInto(Path directory) {
    try {
      Files.createDirectories(directory);
      Files.delete(Files.createTempFile(directory, "bench-", ".svg"));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  void write(BenchReport report) throws IOException {
    if (plots == null) {
      return;
    }
    List<String> drawn = Charts.write(plots, report);
    if (page != null) {
      Path beside = plots.getFileName();
      ReportPage.write(page, report, drawn.stream().map(name -> beside + "/" + name).toList());
    }
  }
}

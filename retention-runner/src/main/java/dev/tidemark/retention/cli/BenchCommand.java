package dev.tidemark.retention.cli;

import dev.tidemark.retention.cli.bench.BenchDocument;
import dev.tidemark.retention.cli.bench.BenchReport;
import dev.tidemark.retention.cli.bench.BenchRun;
import dev.tidemark.retention.cli.bench.BenchTable;
import dev.tidemark.retention.cli.bench.Row;
import dev.tidemark.retention.cli.bench.Rows;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "bench",
    description = {
      "Measure what deleting costs, as ratios of two things measured in alternation on a temporary embedded database"
          + " that is as durable as a kept one. Some minutes; progress on standard error.",
      "Exit code 0 when every target holds, 1 when one does not. Leaves nothing behind."
    })
final class BenchCommand implements Callable<Integer> {
  private static final String SOAK = "soak";
  private static final int FEWEST_ROUNDS = 5;
  private static final int MOST_ROUNDS = 100;
  private static final int LONGEST_SOAK = 1440;

  @Option(
      names = "--rows",
      paramLabel = "NAMES",
      split = ",",
      description =
          "Only these rows, separated by commas: wide, deep, push, walwide, waldeep, fanout, scale, idle, batch, form,"
              + " snapshot, seed, soak.")
  private @Nullable List<String> names;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description =
          "Rounds that count, "
              + FEWEST_ROUNDS
              + " to "
              + MOST_ROUNDS
              + "; one before them warms up. Default ${DEFAULT-VALUE}.")
  private String rounds = "5";

  @Option(
      names = "--soak",
      description = "The soak too: traffic for minutes, a snapshot held open for half of them.")
  private boolean soak;

  @Option(
      names = "--soak-minutes",
      paramLabel = "N",
      defaultValue = "10",
      description = "How long it lasts, 1 to " + LONGEST_SOAK + "; default ${DEFAULT-VALUE}.")
  private String soakMinutes = "10";

  @Option(
      names = "--charts",
      paramLabel = "DIR",
      description = "Write plots into this directory, as SVG.")
  private @Nullable Path charts;

  @Option(
      names = "--report",
      paramLabel = "PAGE",
      description =
          "Write the results into this Markdown page, between its two comments, and the plots into the"
              + " directory named as the page.")
  private @Nullable Path page;

  @Option(
      names = "--tiny",
      hidden = true,
      description = "For tests: small sizes, any number of rounds, seconds for --soak-minutes.")
  private boolean tiny;

  @Spec private @Nullable CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    if (spec == null) {
      throw new IllegalStateException("a command runs through picocli");
    }
    CommonOptions common = ((Retention) spec.root().userObject()).common();
    if (common.embedded != null || common.jdbcUrl != null) {
      throw new UsageException(
          "bench makes a temporary database of its own: leave out --embedded and --jdbc-url");
    }
    int counted = WholeNumber.of("--rounds", rounds, tiny ? 1 : FEWEST_ROUNDS, MOST_ROUNDS);
    int length = WholeNumber.of("--soak-minutes", soakMinutes, 1, LONGEST_SOAK);
    if (!soak && spec.commandLine().getParseResult().hasMatchedOption("--soak-minutes")) {
      throw new UsageException(
          "--soak-minutes: says how long the soak lasts, so it needs --soak too");
    }
    List<Row> rows = chosen(tiny ? Duration.ofSeconds(length) : Duration.ofMinutes(length));
    BenchFiles files = BenchFiles.of(charts, page);
    Output output = new Output(spec.commandLine(), common.json);
    BenchReport report;
    try (QuietLog quiet = new QuietLog()) {
      report =
          new BenchRun(counted, tiny, output::note, QuietLog::endAll)
              .measure(
                  rows, Migrator::migrate, row -> output.note("-> " + BenchTable.oneLine(row)));
    } catch (SQLException | RuntimeException e) {
      if (JvmEnd.hasBegun()) {
        // The server was stopped under the measurement, and the signal is the exit code.
        return ExitCode.FAILED;
      }
      throw e;
    }
    return written(files, report, output);
  }

  /** The results are printed, and only they, whatever becomes of the files. */
  private static int written(BenchFiles files, BenchReport report, Output output) {
    boolean written = true;
    try {
      files.write(report);
    } catch (IOException e) {
      output.note("retention bench: the results could not be written into files: " + e);
      written = false;
    }
    print(report, output);
    return written && report.holds() ? ExitCode.DONE : ExitCode.FAILED;
  }

  private static void print(BenchReport report, Output output) {
    if (output.isJson()) {
      output.document(BenchDocument.of(report));
      return;
    }
    output.table(BenchTable.lines(report));
    output.line("");
    output.line(report.date() + ", " + report.environment().machine());
    output.line(report.environment().server() + ", " + report.environment().java());
    output.line(String.join(" ", report.environment().settings()));
  }

  private List<Row> chosen(Duration soakLength) {
    List<Row> all = tiny ? Rows.tiny(soakLength) : Rows.full(soakLength);
    List<String> known = all.stream().map(Row::name).toList();
    Set<String> wanted = new LinkedHashSet<>(names == null ? known : names);
    for (String name : wanted) {
      if (!known.contains(name)) {
        throw new UsageException(
            "--rows: must be among " + String.join(", ", known) + ", not '" + name + "'");
      }
    }
    if (names != null && wanted.contains(SOAK) && !soak) {
      throw new UsageException("--rows: soak lasts minutes, so it needs --soak too");
    }
    List<Row> rows = new ArrayList<>(all);
    rows.removeIf(row -> !(row.name().equals(SOAK) ? soak : wanted.contains(row.name())));
    if (page != null && rows.size() < all.size()) {
      throw new UsageException(
          "--report: replaces all results of the page, so it needs every row: give --soak and no"
              + " --rows");
    }
    return rows;
  }
}

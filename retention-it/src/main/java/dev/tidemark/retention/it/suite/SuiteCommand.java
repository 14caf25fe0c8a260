package dev.tidemark.retention.it.suite;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.reporting.legacy.xml.LegacyXmlReportGeneratingListener;
import org.postgresql.Driver;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command that runs the laws against a broker's database. */
@Command(
    name = "retention-suite",
    description =
        "Runs the laws of Tidemark against a database: random histories compared with a model, races, locks, leases, faults."
            + " They work in a copy of it, which goes with the run, so nobody else may be connected when it starts."
            + " The database has the schema deployed.%n",
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every law holds",
      "1:a law is broken, skipped, or could not run",
      "2:bad usage"
    })
public final class SuiteCommand implements Callable<Integer> {
  private static final int HOLDS = 0;
  private static final int BROKEN = 1;
  private static final int USAGE = 2;

  // A logger that nobody holds is collected, and its level with it.
  private static final Logger JQWIK = Logger.getLogger("net.jqwik");

  @Option(
      names = "--url",
      paramLabel = "URL",
      description =
          "The database, jdbc:postgresql://HOST:PORT/DATABASE?user=U&password=P; U is a superuser.")
  private @Nullable String url;

  @Option(
      names = "--depth",
      paramLabel = "short|long",
      description =
          "How much: about a minute or two, or thousands of histories and minutes of races.",
      defaultValue = "short")
  private Depth depth = Depth.SHORT;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "The seed of a run to repeat. Without it one is drawn; it is printed first.")
  private @Nullable Long seed;

  @Option(
      names = "--law",
      paramLabel = "NAME",
      description = "Only this one, CLASS or CLASS.METHOD; may be given several times.")
  private List<String> laws = new ArrayList<>();

  @Option(names = "--list", description = "Print the names of the laws and end.")
  private boolean list;

  @Option(
      names = "--reports",
      paramLabel = "DIR",
      description = "Where JUnit XML goes, one file an engine.",
      defaultValue = "retention-suite-reports")
  private Path reports = Path.of("");

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Print this and end.")
  private boolean help;

  @Spec private @Nullable CommandSpec spec;

  public static void main(String[] args) {
    if (System.getProperty("logback.configurationFile") == null) {
      System.setProperty(
          "logback.configurationFile", "dev/tidemark/retention/it/suite/logging.xml");
    }
    System.setProperty("org.jooq.no-logo", "true");
    System.setProperty("org.jooq.no-tips", "true");
    JQWIK.setLevel(Level.WARNING);
    System.exit(commandLine().execute(args));
  }

  /** The whole command, as a test can run it. */
  public static CommandLine commandLine() {
    CommandLine line = new CommandLine(new SuiteCommand());
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setParameterExceptionHandler(
        (e, args) -> {
          CommandLine command = e.getCommandLine();
          command.getErr().println(command.getCommandName() + ": " + e.getMessage());
          command.getErr().println("Try '" + command.getCommandName() + " --help'.");
          return USAGE;
        });
    line.setExecutionExceptionHandler(
        (e, command, parsed) -> {
          if (!(e instanceof UnfitDatabaseException)) {
            throw e;
          }
          command.getErr().println(command.getCommandName() + ": " + e.getMessage());
          return BROKEN;
        });
    return line;
  }

  @Override
  public Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    PrintWriter out = line.getOut();
    Suite suite = suite(line);
    if (list) {
      suite.laws().forEach(out::println);
      return HOLDS;
    }
    String lent = url(line);
    Path directory = directory(line);
    // The reports list every property, and the command line has a password in it.
    System.clearProperty("sun.java.command");
    try (SuiteDatabase copy = SuiteDatabase.copyOf(lent)) {
      out.println("seed " + Seed.current() + ", depth " + Depth.current());
      out.flush();
      List<Verdict> verdicts =
          Target.inPlace(
              copy.url(), () -> suite.run(verdict -> print(out, verdict), report(directory, line)));
      return conclude(verdicts, directory, out);
    }
  }

  private String url(CommandLine line) {
    if (url == null) {
      throw new ParameterException(line, "--url: say which database");
    }
    if (!url.startsWith("jdbc:postgresql://") || Driver.parseURL(url, null) == null) {
      throw new ParameterException(
          line,
          "--url: must be jdbc:postgresql://HOST:PORT/DATABASE?user=U, not '"
              + url.replaceAll("(?i)(password=)[^&]*", "$1***")
              + "'");
    }
    return url;
  }

  private Suite suite(CommandLine line) {
    System.setProperty(Depth.PROPERTY, depth.toString());
    // Set also when it was drawn: the reports list the properties.
    System.setProperty(Seed.PROPERTY, Long.toString(seed == null ? Seed.current() : seed));
    try {
      return laws.isEmpty() ? Suite.all() : Suite.of(laws);
    } catch (UnknownLawException e) {
      throw new ParameterException(line, String.valueOf(e.getMessage()), e);
    }
  }

  /** The directory, made if need be, writable, and without the reports of a run before. */
  private Path directory(CommandLine line) {
    try {
      Files.createDirectories(reports);
      Files.delete(Files.createTempFile(reports, "probe", ""));
      try (DirectoryStream<Path> old = Files.newDirectoryStream(reports, "TEST-*.xml")) {
        for (Path report : old) {
          Files.delete(report);
        }
      }
      return reports;
    } catch (IOException e) {
      throw new ParameterException(line, "--reports: cannot write to '" + reports + "': " + e, e);
    }
  }

  private static TestExecutionListener report(Path directory, CommandLine line) {
    return new LegacyXmlReportGeneratingListener(directory, line.getErr());
  }

  private static void print(PrintWriter out, Verdict verdict) {
    String word = verdict.holds() ? "holds  " : verdict.broken() != null ? "BROKEN " : "skipped";
    out.println(word + " " + seconds(verdict.took()) + "  " + verdict.law());
    if (verdict.skipped() != null) {
      out.println("        " + verdict.skipped());
    }
    if (verdict.broken() != null) {
      out.println(String.valueOf(verdict.broken().getMessage()).indent(8).stripTrailing());
    }
    out.flush();
  }

  private static int conclude(List<Verdict> verdicts, Path directory, PrintWriter out) {
    long held = verdicts.stream().filter(Verdict::holds).count();
    List<Verdict> broken = verdicts.stream().filter(v -> v.broken() != null).toList();
    long skipped = verdicts.size() - held - broken.size();
    Duration took = verdicts.stream().map(Verdict::took).reduce(Duration.ZERO, Duration::plus);
    out.printf(
        Locale.ROOT,
        "held: %d, broken: %d, skipped: %d, in%s; reports in %s%n",
        held,
        broken.size(),
        skipped,
        seconds(took),
        directory.toAbsolutePath());
    for (Verdict each : broken) {
      out.println(
          "repeat with --seed "
              + Seed.current()
              + " --depth "
              + Depth.current()
              + " --law "
              + each.law());
    }
    out.flush();
    return held > 0 && held == verdicts.size() ? HOLDS : BROKEN;
  }

  private static String seconds(Duration took) {
    return String.format(Locale.ROOT, "%7.1f s", took.toMillis() / 1000.0);
  }
}

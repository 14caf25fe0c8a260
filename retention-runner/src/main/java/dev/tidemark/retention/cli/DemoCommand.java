package dev.tidemark.retention.cli;

import dev.tidemark.retention.cli.demo.Demo;
import dev.tidemark.retention.cli.demo.Frame;
import dev.tidemark.retention.cli.demo.LiveTable;
import dev.tidemark.retention.cli.demo.Scenario;
import dev.tidemark.retention.cli.demo.Summary;
import dev.tidemark.retention.cli.demo.SummaryText;
import dev.tidemark.retention.cli.events.EventFields;
import dev.tidemark.retention.cli.events.PackedEvents;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "demo",
    description = {
      "Run traffic and retention beside each other on a temporary embedded database, and show what happens.",
      "At the end every invariant is checked against the tables; exit code 1 when one is broken.",
      "Leaves nothing behind."
    })
final class DemoCommand extends DatabaseCommand {
  private static final int SHORTEST = 3;
  private static final int LONGEST = 3600;
  private static final Duration LINE_EVERY = Duration.ofSeconds(5);

  private static final List<String> OF_A_FILE =
      List.of(
          "--partition-field",
          "--time-field",
          "--time-format",
          "--zone",
          "--segment-messages",
          "--skip-bad");

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "30",
      description =
          "How long the traffic lasts, "
              + SHORTEST
              + " to "
              + LONGEST
              + "; default ${DEFAULT-VALUE}.")
  private String seconds = "30";

  @Option(
      names = "--events",
      paramLabel = "FILE",
      description =
          "Push the events of this file instead of made-up ones, in the order of their times, so fast that"
              + " they fit into the seconds. Formats and flags as of import.")
  private @Nullable Path file;

  @Option(
      names = "--partition-field",
      paramLabel = "F",
      description = "With --events: the field whose value names the partition.")
  private @Nullable String partitionField;

  @Option(
      names = "--time-field",
      paramLabel = "T",
      description = "With --events: the field with the event's time.")
  private @Nullable String timeField;

  @Mixin private EventFileOptions events = new EventFileOptions();

  /** What happens between the traffic and the check; a test breaks something here. */
  Consumer<DataSource> beforeCheck = dataSource -> {};

  private @Nullable Scenario scenario;

  @Override
  PoolShape pool() {
    return new PoolShape(Demo.CONNECTIONS, Duration.ofMinutes(2));
  }

  @Override
  Database open(CommonOptions options, Output output) throws IOException {
    if (options.embedded != null || options.jdbcUrl != null) {
      throw new UsageException(
          "demo makes a temporary database of its own: leave out --embedded and --jdbc-url");
    }
    // Before a server is started for a command that cannot work.
    scenario = scenario(output);
    if (!output.isJson()) {
      output.note("starting a temporary PostgreSQL ...");
    }
    return Database.temporary(pool());
  }

  private Scenario scenario(Output output) throws IOException {
    Duration length = Duration.ofSeconds(WholeNumber.of("--seconds", seconds, SHORTEST, LONGEST));
    if (file == null) {
      for (String option : OF_A_FILE) {
        if (spec().commandLine().getParseResult().hasMatchedOption(option)) {
          throw new UsageException(
              option + ": says how to read a file, so it needs --events FILE too");
        }
      }
      return Scenario.invented(length);
    }
    if (partitionField == null || timeField == null) {
      throw new UsageException(
          "--events: needs "
              + (partitionField == null ? "--partition-field F" : "--time-field T")
              + " too");
    }
    events.check("--events", file);
    PackedEvents packed =
        events.read(file, new EventFields(partitionField, timeField), "pushed", output).events();
    if (packed.messageCount() == 0) {
      throw new CommandFailedException(file + ": holds no events");
    }
    return Scenario.replay(packed, length);
  }

  @Override
  int run(Database database, Output output) throws InterruptedException {
    if (scenario == null) {
      throw new IllegalStateException("a database was opened without a scenario");
    }
    Summary summary;
    try (QuietLog quiet = new QuietLog()) {
      summary =
          new Demo(database.dataSource(), scenario, new Screen(output, database.dataSource()))
              .run();
    }
    if (output.isJson()) {
      output.document(summary);
    } else {
      output.line("");
      SummaryText.lines(summary).forEach(output::line);
    }
    return summary.holds() ? ExitCode.DONE : ExitCode.FAILED;
  }

  /** Draws on a terminal; elsewhere a line now and then, and with --json nothing. */
  private final class Screen implements Demo.Watcher {
    private final Output output;
    private final DataSource dataSource;
    private final LiveTable table = new LiveTable();
    private Duration said = Duration.ZERO;

    Screen(Output output, DataSource dataSource) {
      this.output = output;
      this.dataSource = dataSource;
    }

    @Override
    public void frame(Frame frame) {
      if (output.isWatched()) {
        output.draw(table.redraw(frame));
      } else if (!output.isJson() && frame.elapsed().minus(said).compareTo(LINE_EVERY) >= 0) {
        said = frame.elapsed();
        output.note(LiveTable.oneLine(frame));
      }
    }

    @Override
    public void stopped() {
      beforeCheck.accept(dataSource);
    }
  }
}

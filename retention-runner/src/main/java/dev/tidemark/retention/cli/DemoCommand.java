package dev.tidemark.retention.cli;

import dev.tidemark.retention.cli.events.Event;
import dev.tidemark.retention.cli.events.EventFields;
import dev.tidemark.retention.cli.events.EventFile;
import dev.tidemark.retention.cli.events.EventRow;
import dev.tidemark.retention.cli.events.EventTime;
import dev.tidemark.retention.cli.events.PackedEvents;
import dev.tidemark.retention.cli.events.SegmentPacker;
import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.cycle.CycleReport;
import dev.tidemark.retention.runner.RetentionService;
import dev.tidemark.retention.sql.LogGateway;
import dev.tidemark.retention.sql.QueueGateway;
import dev.tidemark.retention.sql.QueueGateway.PartitionLog;
import dev.tidemark.retention.sql.StatusGateway;
import dev.tidemark.retention.sql.StatusGateway.Preview;
import dev.tidemark.retention.sql.StatusGateway.QueueStatus;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;

@Command(
    name = "demo",
    description = {
      "Import a sample of events into a temporary embedded database, run one cycle, and say what went and why.",
      "Leaves nothing behind."
    })
final class DemoCommand extends DatabaseCommand {
  private static final String SAMPLE = "tides.ndjson";
  private static final String QUEUE = "tides";
  private static final int SEGMENT_MESSAGES = 5;
  private static final Duration KEPT = Duration.ofDays(60);
  private static final Duration KEPT_WHEN_CONSUMED = Duration.ofDays(14);
  private static final Map<String, Double> GROUPS = Map.of("archive", 0.5, "dashboard", 0.9);

  @Override
  PoolShape pool() {
    return new PoolShape(4, Duration.ofMinutes(1));
  }

  @Override
  Database open(CommonOptions options, Output output) {
    if (options.embedded != null || options.jdbcUrl != null) {
      throw new UsageException(
          "demo makes a temporary database of its own: leave out --embedded and --jdbc-url");
    }
    output.note("starting a temporary PostgreSQL ...");
    return Database.temporary(pool());
  }

  @Override
  int run(Database database, Output output) throws IOException {
    StatusGateway status = new StatusGateway(database.dataSource());
    long messages = fill(database);
    List<Preview> plan = status.preview(QUEUE);
    CycleOutcome outcome = RetentionService.on(database.dataSource()).build().runOnce();
    if (!(outcome instanceof CycleOutcome.Swept swept)) {
      throw new IllegalStateException("nobody else can hold the lock of a temporary database");
    }
    QueueStatus after = status.queues().get(0);
    if (output.isJson()) {
      output.document(new Document(messages, plan, CycleDocument.of(swept.report()), after));
    } else {
      print(output, messages, plan, swept.report(), after);
    }
    return ExitCode.DONE;
  }

  record Document(long imported, List<Preview> plan, CycleDocument cycle, QueueStatus after) {}

  /** The sample, ending now; a policy; and two groups, neither at the end. */
  private static long fill(Database database) throws IOException {
    LogGateway log = new LogGateway(database.dataSource());
    PackedEvents events =
        new SegmentPacker(SEGMENT_MESSAGES).pack(sample()).endingAt(log.databaseNow());
    new EventImport(log, QUEUE).write(events, done -> {});

    QueueGateway queues = new QueueGateway(database.dataSource());
    queues.configure(
        QUEUE,
        Map.of(
            "retentionEnabled", true,
            "retentionSeconds", BigDecimal.valueOf(KEPT.toSeconds()),
            "completedRetentionSeconds", BigDecimal.valueOf(KEPT_WHEN_CONSUMED.toSeconds())));
    for (PartitionLog partition : queues.partitions(QUEUE)) {
      GROUPS.forEach(
          (group, share) ->
              log.seek(
                  partition.id(),
                  group,
                  partition.logStart() + (long) (partition.liveMessages() * share)));
    }
    return events.messageCount();
  }

  private static List<Event> sample() throws IOException {
    InputStream in = DemoCommand.class.getResourceAsStream(SAMPLE);
    if (in == null) {
      throw new IllegalStateException(SAMPLE + " is missing from the jar");
    }
    List<Event> events = new ArrayList<>();
    try (EventFile file =
        EventFile.read(
            in, SAMPLE, new EventFields("station", "at"), EventTime.of(null, ZoneOffset.UTC))) {
      for (Optional<EventRow> row = file.next(); row.isPresent(); row = file.next()) {
        if (!(row.get() instanceof Event event)) {
          throw new IllegalStateException("a bad row in the sample: " + row.get());
        }
        events.add(event);
      }
    }
    return events;
  }

  private static void print(
      Output output, long messages, List<Preview> plan, CycleReport report, QueueStatus after) {
    output.line(
        messages
            + " tide readings in queue "
            + QUEUE
            + ", the newest from now, "
            + SEGMENT_MESSAGES
            + " a segment.");
    output.line(
        "Kept "
            + KEPT.toDays()
            + " days, and "
            + KEPT_WHEN_CONSUMED.toDays()
            + " days once every group has consumed them: archive is half through, dashboard nearly.");
    output.line("");
    output.line("What one cycle should delete, and why:");
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("partition", "rule", "segments", "messages", "reason"));
    plan.forEach(
        p ->
            rows.add(
                List.of(
                    p.partition(),
                    p.rule(),
                    String.valueOf(p.segments()),
                    String.valueOf(p.messages()),
                    p.reason())));
    output.table(rows);
    output.line("");
    output.line("The cycle:");
    CycleDocument.of(report).print(output);
    output.line("");
    output.line(
        "Left: "
            + after.held().liveMessages()
            + " messages in "
            + after.held().liveSegments()
            + " segments, the oldest from "
            + after.held().oldestLiveAt()
            + ".");
  }
}

package dev.tidemark.retention.cli;

import dev.tidemark.retention.cli.events.BadRow;
import dev.tidemark.retention.cli.events.Event;
import dev.tidemark.retention.cli.events.EventFields;
import dev.tidemark.retention.cli.events.EventFile;
import dev.tidemark.retention.cli.events.EventRow;
import dev.tidemark.retention.cli.events.EventTime;
import dev.tidemark.retention.cli.events.PackedEvents;
import dev.tidemark.retention.cli.events.PackedPartition;
import dev.tidemark.retention.cli.events.SegmentPacker;
import dev.tidemark.retention.sql.LogGateway;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "import",
    description = {
      "Import a file of events (a JSON array, NDJSON or CSV) into a queue, each with the time it happened.",
      "Events are sorted by time and packed by partition; a segment gets the time of its last message.",
      "A bad row is reported with its line; without --skip-bad nothing is imported then."
    })
final class ImportCommand extends DatabaseCommand {
  private static final int REPORTED = 20;
  private static final int PROGRESS_EVERY = 10_000;

  @Parameters(index = "0", paramLabel = "FILE")
  private Path file = Path.of("");

  @Option(
      names = "--queue",
      paramLabel = "Q",
      required = true,
      description = "The queue; created when missing.")
  private String queue = "";

  @Option(
      names = "--partition-field",
      paramLabel = "F",
      required = true,
      description = "The field whose value names the partition.")
  private String partitionField = "";

  @Option(
      names = "--time-field",
      paramLabel = "T",
      required = true,
      description = "The field with the event's time.")
  private String timeField = "";

  @Option(
      names = "--time-format",
      paramLabel = "P",
      description =
          "A java.time pattern, or epoch. Without it: ISO 8601, or an integer since 1970 in s or ms.")
  private @Nullable String timeFormat;

  @Option(
      names = "--zone",
      paramLabel = "ZONE",
      defaultValue = "UTC",
      description = "The zone of times without an offset; default ${DEFAULT-VALUE}.")
  private String zone = "UTC";

  @Option(
      names = "--segment-messages",
      paramLabel = "N",
      defaultValue = "10",
      description = "Messages a segment; default ${DEFAULT-VALUE}.")
  private int segmentMessages;

  @Option(
      names = "--shift-to-now",
      description = "Move all times so that the newest event happens now.")
  private boolean shiftToNow;

  @Option(names = "--skip-bad", description = "Import the good rows where some are bad.")
  private boolean skipBad;

  /** What the file gave. */
  private record Rows(List<Event> good, long bad, List<String> reasons) {}

  @Override
  Database open(CommonOptions options, Output output) {
    // Before a server is started for a command that cannot work.
    eventTime();
    packer();
    if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
      throw new UsageException("FILE: must be a readable file, not '" + file + "'");
    }
    return super.open(options, output);
  }

  @Override
  int run(Database database, Output output) throws IOException {
    Rows rows = read(output);
    rows.reasons().forEach(output::note);
    if (rows.bad() > rows.reasons().size()) {
      output.note("... and " + (rows.bad() - rows.reasons().size()) + " more");
    }
    if (rows.bad() > 0 && !skipBad) {
      throw new CommandFailedException(
          file
              + ": "
              + rows.bad()
              + " of "
              + (rows.bad() + rows.good().size())
              + " rows are bad, nothing was imported;"
              + " --skip-bad imports the good ones");
    }
    PackedEvents packed = pack(rows.good());
    LogGateway log = new LogGateway(database.dataSource());
    Instant now = log.databaseNow();
    if (shiftToNow) {
      packed = packed.endingAt(now);
    } else {
      refuseTheFuture(packed, now);
    }
    long total = packed.messageCount();
    new EventImport(log, queue)
        .write(packed, done -> output.progress("imported " + done + " of " + total));
    output.progress("");
    print(output, packed, rows.bad());
    return ExitCode.DONE;
  }

  private Rows read(Output output) throws IOException {
    List<Event> good = new ArrayList<>();
    List<String> reasons = new ArrayList<>();
    long bad = 0;
    try (EventFile events =
        EventFile.open(file, new EventFields(partitionField, timeField), eventTime())) {
      for (Optional<EventRow> row = events.next(); row.isPresent(); row = events.next()) {
        if (row.get() instanceof Event event) {
          good.add(event);
          if (good.size() % PROGRESS_EVERY == 0) {
            output.progress("read " + good.size());
          }
        } else if (row.get() instanceof BadRow badRow) {
          bad++;
          if (reasons.size() < REPORTED) {
            reasons.add(file + ": " + badRow);
          }
        }
      }
    }
    return new Rows(good, bad, reasons);
  }

  private PackedEvents pack(List<Event> events) {
    try {
      return packer().pack(events);
    } catch (IllegalArgumentException e) {
      throw new CommandFailedException(String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * Only the database's clock stamps: a segment from the future would stamp every later push with
   * its time.
   */
  private void refuseTheFuture(PackedEvents packed, Instant now) {
    packed
        .newest()
        .filter(newest -> newest.isAfter(now))
        .ifPresent(
            newest -> {
              throw new CommandFailedException(
                  file
                      + ": the newest event is in the future ("
                      + newest
                      + "; the database's clock says "
                      + now
                      + "), nothing was imported; --shift-to-now moves them all");
            });
  }

  private void print(Output output, PackedEvents packed, long bad) {
    long segments = packed.partitions().stream().mapToLong(p -> p.segments().size()).sum();
    Optional<Instant> oldest =
        packed.partitions().stream()
            .map(PackedPartition::segments)
            .map(s -> s.get(0).createdAt())
            .min(Instant::compareTo);
    Document document =
        new Document(
            queue,
            packed.partitions().size(),
            segments,
            packed.messageCount(),
            bad,
            oldest.orElse(null),
            packed.newest().orElse(null));
    if (output.isJson()) {
      output.document(document);
    } else {
      output.line(
          "imported "
              + document.messages()
              + " messages in "
              + segments
              + " segments into "
              + document.partitions()
              + " partitions of queue "
              + queue
              + (bad > 0 ? ", skipped " + bad + " bad rows" : ""));
    }
  }

  /**
   * {@code oldest} and {@code newest} are the times of the first and the last segment; {@code null}
   * without any.
   */
  record Document(
      String queue,
      int partitions,
      long segments,
      long messages,
      long skipped,
      @Nullable Instant oldest,
      @Nullable Instant newest) {}

  private EventTime eventTime() {
    ZoneId at;
    try {
      at = ZoneId.of(zone);
    } catch (DateTimeException e) {
      throw new UsageException(
          "--zone: must be a zone like UTC or Europe/Berlin, not '" + zone + "'");
    }
    try {
      return EventTime.of(timeFormat, at);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--time-format: " + e.getMessage());
    }
  }

  private SegmentPacker packer() {
    try {
      return new SegmentPacker(segmentMessages);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--segment-messages: " + e.getMessage());
    }
  }
}

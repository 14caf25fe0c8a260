package dev.tidemark.retention.cli;

import dev.tidemark.retention.cli.events.EventFields;
import dev.tidemark.retention.cli.events.PackedEvents;
import dev.tidemark.retention.cli.events.PackedPartition;
import dev.tidemark.retention.sql.LogGateway;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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

  @Mixin private EventFileOptions events = new EventFileOptions();

  @Option(
      names = "--shift-to-now",
      description = "Move all times so that the newest event happens now.")
  private boolean shiftToNow;

  @Override
  Database open(CommonOptions options, Output output) {
    events.check("FILE", file);
    return Database.deployed(options, output, pool());
  }

  @Override
  int run(Database database, Output output) throws IOException {
    EventFileOptions.Packed read =
        events.read(file, new EventFields(partitionField, timeField), "imported", output);
    PackedEvents packed = read.events();
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
    print(output, packed, read.bad());
    return ExitCode.DONE;
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
}

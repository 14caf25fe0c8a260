package dev.tidemark.retention.cli;

import dev.tidemark.retention.cli.events.BadRow;
import dev.tidemark.retention.cli.events.Event;
import dev.tidemark.retention.cli.events.EventFields;
import dev.tidemark.retention.cli.events.EventFile;
import dev.tidemark.retention.cli.events.EventRow;
import dev.tidemark.retention.cli.events.EventTime;
import dev.tidemark.retention.cli.events.PackedEvents;
import dev.tidemark.retention.cli.events.SegmentPacker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How a file of events is read and packed, in the commands that take one. */
final class EventFileOptions {
  private static final int REPORTED = 20;
  private static final int PROGRESS_EVERY = 10_000;

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

  @Option(names = "--skip-bad", description = "Take the good rows where some are bad.")
  private boolean skipBad;

  /** What the file gave. {@code bad} rows were left out. */
  record Packed(PackedEvents events, long bad) {}

  /** Refuses what cannot work before a server is started for it; {@code option} names the file. */
  void check(String option, Path file) {
    eventTime();
    packer();
    if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
      throw new UsageException(option + ": must be a readable file, not '" + file + "'");
    }
  }

  /**
   * Reads and packs it; bad rows are reported with their lines.
   *
   * @param done what the command does with events, for the message: imported
   * @throws CommandFailedException when some are bad and they are not to be skipped
   */
  Packed read(Path file, EventFields fields, String done, Output output) throws IOException {
    Rows rows = rows(file, fields, output);
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
              + " rows are bad, nothing was "
              + done
              + "; --skip-bad takes the good ones");
    }
    try {
      return new Packed(packer().pack(rows.good()), rows.bad());
    } catch (IllegalArgumentException e) {
      throw new CommandFailedException(String.valueOf(e.getMessage()), e);
    }
  }

  private record Rows(List<Event> good, long bad, List<String> reasons) {}

  private Rows rows(Path file, EventFields fields, Output output) throws IOException {
    List<Event> good = new ArrayList<>();
    List<String> reasons = new ArrayList<>();
    long bad = 0;
    try (EventFile events = EventFile.open(file, fields, eventTime())) {
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
    output.progress("");
    return new Rows(good, bad, reasons);
  }

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

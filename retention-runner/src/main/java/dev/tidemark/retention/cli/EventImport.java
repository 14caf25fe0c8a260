package dev.tidemark.retention.cli;

import dev.tidemark.retention.cli.events.PackedEvents;
import dev.tidemark.retention.cli.events.PackedPartition;
import dev.tidemark.retention.core.database.InvalidArgumentException;
import dev.tidemark.retention.sql.LogGateway;
import dev.tidemark.retention.sql.LogGateway.ImportedSegment;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.LongConsumer;

/** Writes packed events into a queue, in one transaction: everything or nothing. */
final class EventImport {
  private static final int SEGMENTS_A_CALL = 200;
  private static final long BYTES_A_CALL = 8L * 1024 * 1024;

  private final LogGateway log;
  private final String queue;

  /** The partition being written, for the message. */
  private String importing = "";

  EventImport(LogGateway log, String queue) {
    this.log = log;
    this.queue = queue;
  }

  /**
   * Appends all of it.
   *
   * @param imported told the number of messages written so far
   */
  void write(PackedEvents events, LongConsumer imported) {
    try {
      log.importing(transaction -> write(transaction, events, imported));
    } catch (InvalidArgumentException e) {
      String where =
          importing.isEmpty() ? "" : "partition " + importing + " of queue " + queue + ": ";
      throw new CommandFailedException(
          "nothing was imported (an import only appends to what a partition holds): "
              + where
              + e.getMessage(),
          e);
    }
  }

  private long write(LogGateway.Import transaction, PackedEvents events, LongConsumer imported) {
    // Ids as text sort as the server sorts them; everyone who locks several partitions locks
    // in that order.
    TreeMap<String, PackedPartition> byId = new TreeMap<>();
    for (PackedPartition partition : events.partitions()) {
      byId.put(transaction.provision(queue, partition.name()).toString(), partition);
    }
    long messages = 0;
    for (var entry : byId.entrySet()) {
      importing = entry.getValue().name();
      List<ImportedSegment> segments =
          entry.getValue().segments().stream()
              .map(s -> new ImportedSegment(s.createdAt(), s.messageCount(), s.hashes(), s.blob()))
              .toList();
      for (List<ImportedSegment> call : calls(segments)) {
        transaction.append(UUID.fromString(entry.getKey()), call);
        messages += call.stream().mapToLong(ImportedSegment::messages).sum();
        imported.accept(messages);
      }
    }
    return messages;
  }

  /** Cuts a partition's segments into calls of bounded count and size. */
  private static List<List<ImportedSegment>> calls(List<ImportedSegment> segments) {
    List<List<ImportedSegment>> calls = new ArrayList<>();
    int from = 0;
    long bytes = 0;
    for (int i = 0; i < segments.size(); i++) {
      long next = segments.get(i).blob().length + (long) segments.get(i).hashes().length;
      if (i > from && (i - from == SEGMENTS_A_CALL || bytes + next > BYTES_A_CALL)) {
        calls.add(segments.subList(from, i));
        from = i;
        bytes = 0;
      }
      bytes += next;
    }
    calls.add(segments.subList(from, segments.size()));
    return calls;
  }
}

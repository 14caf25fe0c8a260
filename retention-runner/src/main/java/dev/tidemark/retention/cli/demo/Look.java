package dev.tidemark.retention.cli.demo;

import dev.tidemark.retention.sql.AuditGateway.PartitionCursors;
import dev.tidemark.retention.sql.StatusGateway.HistoryTotal;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * What the database said at one moment.
 *
 * @param now its clock
 * @param partitions by queue, each queue as of one snapshot
 * @param history over all queues, by queue and rule
 */
record Look(
    Instant now, Map<String, List<PartitionCursors>> partitions, List<HistoryTotal> history) {

  /** Segments that a rule deleted of a queue. */
  long deletedSegments(String queue, String rule) {
    return history.stream()
        .filter(h -> queue.equals(h.queue()) && h.rule().equals(rule))
        .mapToLong(h -> h.segments().longValueExact())
        .sum();
  }

  /** Messages that a rule deleted of a queue. */
  long deletedMessages(String queue, String rule) {
    return history.stream()
        .filter(h -> queue.equals(h.queue()) && h.rule().equals(rule))
        .mapToLong(h -> h.messages().longValueExact())
        .sum();
  }

  long liveMessages(String queue) {
    return partitions.getOrDefault(queue, List.of()).stream()
        .mapToLong(p -> p.lastOffset() - p.logStart() + 1)
        .sum();
  }
}

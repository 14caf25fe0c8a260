package dev.tidemark.retention.cli.demo;

import dev.tidemark.retention.sql.BrokerGateway.Segment;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * What the database answered, counted by whoever asked: the demo's own model of the log, to hold
 * against the tables. Thread-safe.
 */
final class Ledger {
  private final Map<PartitionKey, LongAdder> messages = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> segmentsOfQueue = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> messagesOfQueue = new ConcurrentHashMap<>();
  private final Map<GroupKey, LongAdder> popped = new ConcurrentHashMap<>();
  private final Map<GroupKey, LongAdder> acked = new ConcurrentHashMap<>();
  private final Map<CursorKey, Long> committed = new ConcurrentHashMap<>();
  private final LongAdder repeated = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder refusedThoughNew = new LongAdder();
  private final LongAdder acksRefused = new LongAdder();

  private record GroupKey(String queue, String group) {}

  private record CursorKey(UUID partition, String group) {}

  void pushed(Segment segment) {
    add(messages, new PartitionKey(segment.queue(), segment.partition()), segment.messages());
    add(messagesOfQueue, segment.queue(), segment.messages());
    add(segmentsOfQueue, segment.queue(), 1);
  }

  void refusedThoughNew(Segment segment) {
    refusedThoughNew.add(segment.messages());
  }

  void repeated(long segments, long refusedSegments) {
    repeated.add(segments);
    refused.add(refusedSegments);
  }

  void popped(String queue, String group, long count) {
    add(popped, new GroupKey(queue, group), count);
  }

  /** An ack that was taken: {@code count} messages, and nothing at or below {@code offset} left. */
  void acked(String queue, String group, UUID partition, long count, long offset) {
    add(acked, new GroupKey(queue, group), count);
    committed.merge(new CursorKey(partition, group), offset, Math::max);
  }

  void ackRefused() {
    acksRefused.increment();
  }

  long messages(String queue, String partition) {
    return get(messages, new PartitionKey(queue, partition));
  }

  long messages(String queue) {
    return get(messagesOfQueue, queue);
  }

  long segments(String queue) {
    return get(segmentsOfQueue, queue);
  }

  long popped(String queue, String group) {
    return get(popped, new GroupKey(queue, group));
  }

  long acked(String queue, String group) {
    return get(acked, new GroupKey(queue, group));
  }

  /** The last offset acked; empty = none. */
  OptionalLong committed(UUID partition, String group) {
    Long offset = committed.get(new CursorKey(partition, group));
    return offset == null ? OptionalLong.empty() : OptionalLong.of(offset);
  }

  Duplicates duplicates() {
    return new Duplicates(repeated.sum(), refused.sum(), refusedThoughNew.sum());
  }

  long acksRefused() {
    return acksRefused.sum();
  }

  /**
   * Segments pushed twice on purpose.
   *
   * @param repeated pushed a second time
   * @param refused of those, refused as duplicates: all of them, if all is well
   * @param newRefused messages that were refused although they were new: none, if all is well
   */
  public record Duplicates(long repeated, long refused, long newRefused) {
    boolean sound() {
      return repeated == refused && newRefused == 0;
    }
  }

  private static <K> void add(Map<K, LongAdder> counters, K key, long count) {
    counters.computeIfAbsent(key, k -> new LongAdder()).add(count);
  }

  private static <K> long get(Map<K, LongAdder> counters, K key) {
    LongAdder counter = counters.get(key);
    return counter == null ? 0 : counter.sum();
  }
}

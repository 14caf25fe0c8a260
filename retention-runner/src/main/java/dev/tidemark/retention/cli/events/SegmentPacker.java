package dev.tidemark.retention.cli.events;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Packs events into segments: by partition, oldest first, N consecutive messages a segment and the
 * rest in the last one. Events of the same time stay in the order they came in.
 *
 * <p>A segment gets the time of its last message, so that retention by age never takes a message
 * before its time.
 */
public final class SegmentPacker {

  /** Most messages a segment. */
  public static final int MAX_SEGMENT_MESSAGES = 100_000;

  private final int segmentMessages;

  /**
   * Packs {@code segmentMessages} messages a segment, 1 to {@value #MAX_SEGMENT_MESSAGES}.
   *
   * @throws IllegalArgumentException when it is outside that range
   */
  public SegmentPacker(int segmentMessages) {
    if (segmentMessages < 1 || segmentMessages > MAX_SEGMENT_MESSAGES) {
      throw new IllegalArgumentException(
          "messages a segment must be 1 to " + MAX_SEGMENT_MESSAGES + ", not " + segmentMessages);
    }
    this.segmentMessages = segmentMessages;
  }

  /**
   * Packs all events of a file, given in the file's order.
   *
   * @throws IllegalArgumentException when the messages of one segment exceed {@link
   *     FrameCodec#MAX_FRAMES}; fewer messages a segment help
   */
  public PackedEvents pack(List<Event> events) {
    Map<String, List<Event>> byPartition = new TreeMap<>();
    for (Event event : events) {
      byPartition.computeIfAbsent(event.partition(), name -> new ArrayList<>()).add(event);
    }
    List<PackedPartition> partitions = new ArrayList<>(byPartition.size());
    byPartition.forEach((name, own) -> partitions.add(partition(name, own)));
    return new PackedEvents(partitions);
  }

  private PackedPartition partition(String name, List<Event> events) {
    events.sort(Comparator.comparing(Event::time));
    List<PackedSegment> segments = new ArrayList<>();
    for (int from = 0; from < events.size(); from += segmentMessages) {
      int to = Math.min(events.size(), from + segmentMessages);
      segments.add(segment(events.subList(from, to)));
    }
    return new PackedPartition(name, segments);
  }

  private static PackedSegment segment(List<Event> events) {
    List<byte[]> frames = new ArrayList<>(events.size());
    byte[] hashes = new byte[events.size() * MessageHash.LENGTH];
    for (int i = 0; i < events.size(); i++) {
      Event event = events.get(i);
      byte[] frame = event.json().getBytes(StandardCharsets.UTF_8);
      byte[] hash = MessageHash.of(event.partition(), event.place().row(), frame);
      System.arraycopy(hash, 0, hashes, i * MessageHash.LENGTH, MessageHash.LENGTH);
      frames.add(frame);
    }
    Instant last = events.get(events.size() - 1).time();
    return new PackedSegment(last, events.size(), hashes, FrameCodec.encode(frames));
  }
}

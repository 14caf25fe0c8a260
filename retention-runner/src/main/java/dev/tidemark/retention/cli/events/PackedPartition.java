package dev.tidemark.retention.cli.events;

import java.util.List;

/**
 * The segments of one partition.
 *
 * @param name the partition's name
 * @param segments at least one; their times never decrease
 */
public record PackedPartition(String name, List<PackedSegment> segments) {

  public PackedPartition {
    segments = List.copyOf(segments);
  }

  /** How many messages its segments hold together. */
  public long messageCount() {
    return segments.stream().mapToLong(PackedSegment::messageCount).sum();
  }
}

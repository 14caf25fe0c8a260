package dev.tidemark.retention.cli.events;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A whole file, packed.
 *
 * @param partitions in the order of their names' UTF-16 units; none for a file without events
 */
public record PackedEvents(List<PackedPartition> partitions) {

  public PackedEvents {
    partitions = List.copyOf(partitions);
  }

  /** How many messages all partitions hold together. */
  public long messageCount() {
    return partitions.stream().mapToLong(PackedPartition::messageCount).sum();
  }

  /** The time of the newest event; empty when there is none. */
  public Optional<Instant> newest() {
    return partitions.stream()
        .flatMap(partition -> partition.segments().stream())
        .map(PackedSegment::createdAt)
        .max(Comparator.naturalOrder());
  }

  /**
   * The same events with every segment moved by one and the same span, so that the newest event is
   * at {@code now}. The caller takes {@code now} from the database's clock.
   */
  public PackedEvents endingAt(Instant now) {
    return newest().map(newest -> shiftedBy(Duration.between(newest, now))).orElse(this);
  }

  private PackedEvents shiftedBy(Duration shift) {
    return new PackedEvents(
        partitions.stream()
            .map(
                partition ->
                    new PackedPartition(
                        partition.name(),
                        partition.segments().stream()
                            .map(segment -> segment.shiftedBy(shift))
                            .toList()))
            .toList());
  }
}

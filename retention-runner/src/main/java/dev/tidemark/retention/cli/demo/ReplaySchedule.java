package dev.tidemark.retention.cli.demo;

import dev.tidemark.retention.cli.events.PackedEvents;
import dev.tidemark.retention.cli.events.PackedPartition;
import dev.tidemark.retention.cli.events.PackedSegment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * When each segment of a file is due, counted from the start of the replay: the span of the file,
 * from its first segment to its last, becomes the span of the replay. Segments keep the order of
 * their times, and within a partition that of the log.
 */
record ReplaySchedule(List<Due> due) {

  /** A segment and its time. */
  record Due(Duration at, String partition, PackedSegment segment) {}

  ReplaySchedule {
    due = List.copyOf(due);
  }

  static ReplaySchedule of(PackedEvents events, Duration over) {
    List<Due> due = new ArrayList<>();
    Instant first =
        events.partitions().stream()
            .map(p -> p.segments().get(0).createdAt())
            .min(Comparator.naturalOrder())
            .orElse(Instant.EPOCH);
    double span = seconds(first, events.newest().orElse(first));
    for (PackedPartition partition : events.partitions()) {
      for (PackedSegment segment : partition.segments()) {
        double share = span > 0 ? seconds(first, segment.createdAt()) / span : 0;
        due.add(
            new Due(Duration.ofNanos((long) (share * over.toNanos())), partition.name(), segment));
      }
    }
    due.sort(Comparator.comparing(Due::at));
    return new ReplaySchedule(due);
  }

  /** As a double: the span of a file may be longer than nanoseconds can count. */
  private static double seconds(Instant from, Instant to) {
    Duration between = Duration.between(from, to);
    return between.getSeconds() + between.getNano() / 1e9;
  }

  /** For that many threads: a partition's segments stay together, which keeps their order. */
  List<ReplaySchedule> split(int parts) {
    List<List<Due>> split = new ArrayList<>();
    for (int i = 0; i < parts; i++) {
      split.add(new ArrayList<>());
    }
    List<String> names = due.stream().map(Due::partition).distinct().sorted().toList();
    Map<String, Integer> part = new HashMap<>();
    for (int i = 0; i < names.size(); i++) {
      part.put(names.get(i), i % parts);
    }
    due.forEach(d -> split.get(part.getOrDefault(d.partition(), 0)).add(d));
    return split.stream().map(ReplaySchedule::new).toList();
  }
}

package dev.tidemark.retention.cli.demo;

import dev.tidemark.retention.cli.demo.Frame.GroupRates;
import dev.tidemark.retention.cli.demo.Frame.Pin;
import dev.tidemark.retention.cli.demo.Frame.QueueLine;
import dev.tidemark.retention.sql.AuditGateway.Cursor;
import dev.tidemark.retention.sql.AuditGateway.PartitionCursors;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Makes a {@link Frame} of a look and the ledger. Remembers the last few, for the rates. */
final class Camera {
  /** Frames a rate goes back: two seconds. */
  private static final int WINDOW = 4;

  private static final List<String> GROUPS = List.of(Scenario.FAST, Scenario.SLOW);

  private final Scenario scenario;
  private final Ledger ledger;
  private final Latencies latencies;
  private final Deque<Counts> recent = new ArrayDeque<>();

  Camera(Scenario scenario, Ledger ledger, Latencies latencies) {
    this.scenario = scenario;
    this.ledger = ledger;
    this.latencies = latencies;
  }

  private record Counts(Duration at, Map<String, Long> byName) {
    double perSecond(Counts since, String name) {
      double seconds = at.minus(since.at).toNanos() / 1e9;
      return seconds <= 0
          ? 0
          : (byName.getOrDefault(name, 0L) - since.byName.getOrDefault(name, 0L)) / seconds;
    }
  }

  Frame frame(Look look, Duration elapsed, long cycles) {
    Counts now = new Counts(elapsed, counts());
    if (recent.isEmpty()) {
      recent.add(new Counts(Duration.ZERO, Map.of()));
    }
    Counts since = recent.getFirst();
    List<QueueLine> lines = scenario.queues().stream().map(q -> line(q, look, now, since)).toList();
    recent.addLast(now);
    if (recent.size() > WINDOW) {
      recent.removeFirst();
    }
    return new Frame(elapsed, scenario.length(), cycles, ledger.duplicates(), lines);
  }

  private QueueLine line(QueuePlan plan, Look look, Counts now, Counts since) {
    String queue = plan.name();
    List<PartitionCursors> partitions = look.partitions().getOrDefault(queue, List.of());
    List<Long> deleted = Rule.ALL.stream().map(rule -> look.deletedSegments(queue, rule)).toList();
    Optional<Instant> oldest =
        partitions.stream()
            .map(PartitionCursors::oldestLiveAt)
            .filter(Objects::nonNull)
            .min(Comparator.naturalOrder());
    return new QueueLine(
        queue,
        now.perSecond(since, queue),
        GROUPS.stream()
            .map(
                g ->
                    new GroupRates(
                        g,
                        now.perSecond(since, popped(queue, g)),
                        now.perSecond(since, acked(queue, g))))
            .toList(),
        latencies.of(queue),
        Math.max(0, ledger.segments(queue) - deleted.stream().mapToLong(Long::longValue).sum()),
        look.liveMessages(queue),
        oldest.map(at -> Duration.between(at, look.now())),
        deleted,
        plan.windows().completedRetention() > 0 ? pin(partitions) : Optional.empty());
  }

  private Map<String, Long> counts() {
    Map<String, Long> counts = new HashMap<>();
    for (QueuePlan plan : scenario.queues()) {
      String queue = plan.name();
      counts.put(queue, ledger.messages(queue));
      for (String group : GROUPS) {
        counts.put(popped(queue, group), ledger.popped(queue, group));
        counts.put(acked(queue, group), ledger.acked(queue, group));
      }
    }
    return counts;
  }

  private static String popped(String queue, String group) {
    return queue + " popped by " + group;
  }

  private static String acked(String queue, String group) {
    return queue + " acked by " + group;
  }

  static Optional<Pin> pin(List<PartitionCursors> partitions) {
    Map<String, Long> held = new HashMap<>();
    for (PartitionCursors p : partitions) {
      for (Cursor slow : p.cursors()) {
        long others =
            p.cursors().stream()
                .filter(c -> !c.equals(slow))
                .mapToLong(Cursor::committed)
                .min()
                .orElse(p.lastOffset());
        held.merge(
            slow.group(),
            Math.max(0, others - Math.max(slow.committed(), p.logStart() - 1)),
            Long::sum);
      }
    }
    return held.entrySet().stream()
        .filter(e -> e.getValue() > 0)
        .max(Map.Entry.<String, Long>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
        .map(e -> new Pin(e.getKey(), e.getValue()));
  }
}

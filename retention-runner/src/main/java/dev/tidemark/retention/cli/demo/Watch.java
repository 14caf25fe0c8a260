package dev.tidemark.retention.cli.demo;

import dev.tidemark.retention.sql.AuditGateway.Cursor;
import dev.tidemark.retention.sql.AuditGateway.PartitionCursors;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * What only a witness can tell, from many looks: whether a mark moved back (invariant 2), and which
 * offsets were gone before every group had committed them (for invariant 5: whatever deleted those,
 * it must not have been rule 2).
 *
 * <p>Both are exact for the looks there were. Cursors in a demo never move back, so that what a
 * group has not committed now it had not committed when a step held the lock earlier.
 */
final class Watch {
  private final Map<UUID, PartitionCursors> before = new HashMap<>();
  private final Map<UUID, List<Unread>> unread = new HashMap<>();
  private final List<Finding> movedBack = new ArrayList<>();
  private long looks;

  /** Offsets [from, to) were deleted while a group had still to read them. */
  record Unread(long from, long to) {}

  /** Something about a partition that must not be. */
  record Finding(UUID partition, String what) {}

  void see(Look look) {
    looks++;
    look.partitions().values().forEach(queue -> queue.forEach(this::see));
  }

  private void see(PartitionCursors now) {
    PartitionCursors last = before.put(now.id(), now);
    if (last != null) {
      forward(now.id(), "last_offset", last.lastOffset(), now.lastOffset());
      forward(now.id(), "log_start", last.logStart(), now.logStart());
      forward(now.id(), "txns_start", last.txnsStart(), now.txnsStart());
    }
    long readTo = now.cursors().stream().mapToLong(Cursor::committed).min().orElse(-1) + 1;
    if (readTo < now.logStart()) {
      add(unread.computeIfAbsent(now.id(), id -> new ArrayList<>()), readTo, now.logStart());
    }
  }

  private void forward(UUID partition, String mark, long last, long now) {
    if (now < last) {
      movedBack.add(new Finding(partition, mark + " moved back from " + last + " to " + now));
    }
  }

  /** A group that stands still gives the same range again and again, with a later end. */
  private static void add(List<Unread> ranges, long from, long to) {
    int last = ranges.size() - 1;
    if (last >= 0 && from <= ranges.get(last).to()) {
      Unread joined = ranges.get(last);
      ranges.set(last, new Unread(Math.min(from, joined.from()), Math.max(to, joined.to())));
    } else {
      ranges.add(new Unread(from, to));
    }
  }

  long looks() {
    return looks;
  }

  List<Finding> movedBack() {
    return List.copyOf(movedBack);
  }

  List<Unread> unread(UUID partition) {
    return List.copyOf(unread.getOrDefault(partition, List.of()));
  }
}

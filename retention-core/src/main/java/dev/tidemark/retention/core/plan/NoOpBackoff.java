package dev.tidemark.retention.core.plan;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * Skips partitions that were due and gave nothing: after the first fruitless visit for {@value
 * #FIRST_SKIP} cycles, doubling up to {@value #LONGEST_SKIP}. Progress forgets the partition; so
 * does an edit of its queue's windows.
 *
 * <p>Thread-safe, in memory only: a restart visits everything once. At {@value #CAPACITY} entries
 * it fails open, that is, further partitions are simply visited.
 */
public final class NoOpBackoff {
  static final int FIRST_SKIP = 8;
  static final int LONGEST_SKIP = 512;
  static final int CAPACITY = 100_000;

  private final Map<Key, Entry> entries = new HashMap<>();
  private final Map<UUID, QueueRule.Windows> windows = new HashMap<>();
  private long cycle;

  /** Begins a cycle with its rules: entries of queues whose windows changed are dropped. */
  public synchronized void beginCycle(WorkList list) {
    cycle++;
    Map<UUID, QueueRule.Windows> now = new HashMap<>();
    list.rules().forEach((id, rule) -> now.put(id, rule.windows(list.listedAt())));
    entries
        .entrySet()
        .removeIf(
            e -> {
              QueueRule.Windows before = windows.get(e.getValue().queueId());
              boolean edited = before == null || !before.equals(now.get(e.getValue().queueId()));
              boolean longGone = cycle - e.getValue().visitAgainAt() > LONGEST_SKIP;
              return edited || longGone;
            });
    windows.clear();
    windows.putAll(now);
  }

  /** Whether the partition may be visited in this cycle. */
  public synchronized boolean admits(Phase phase, DuePartition partition) {
    Entry entry = entries.get(new Key(phase, partition.partitionId()));
    return entry == null || cycle >= entry.visitAgainAt();
  }

  public synchronized void fruitless(Phase phase, DuePartition partition) {
    Key key = new Key(phase, partition.partitionId());
    Entry before = entries.get(key);
    if (before == null && entries.size() >= CAPACITY) {
      return;
    }
    int skip = before == null ? FIRST_SKIP : Math.min(LONGEST_SKIP, before.skip() * 2);
    entries.put(key, new Entry(partition.queueId(), skip, cycle + skip + 1));
  }

  public synchronized void progress(Phase phase, DuePartition partition) {
    entries.remove(new Key(phase, partition.partitionId()));
  }

  public synchronized int size() {
    return entries.size();
  }

  private record Key(Phase phase, UUID partitionId) {}

  private record Entry(UUID queueId, int skip, long visitAgainAt) {}
}

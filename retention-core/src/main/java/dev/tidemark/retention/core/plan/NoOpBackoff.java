package dev.tidemark.retention.core.plan;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Skips partitions that were due and gave nothing: after the first fruitless visit for {@value
 * #FIRST_SKIP} cycles, doubling up to {@value #LONGEST_SKIP}. Progress forgets the partition; so
 * does an edit of its queue's windows. Lanes back off apart: one that a cursor held is visited as
 * soon as age alone takes its head.
 *
 * <p>Thread-safe, in memory only: a restart visits everything once. At {@value #CAPACITY} entries
 * it fails open, that is, further partitions are simply visited.
 */
public final class NoOpBackoff {
  static final int FIRST_SKIP = 8;
  static final int LONGEST_SKIP = 512;

  /** Cycles between two looks for entries of partitions that never came back. */
  static final int SWEEP = 64;

  /** The most entries it keeps. */
  public static final int CAPACITY = 100_000;

  /**
   * Up to here it keeps entries for the price of a probe. The rest is for visits: one that fails by
   * a timeout costs a second, and must be remembered however many heads are held.
   */
  static final int HELD_CAPACITY = 90_000;

  private final Map<Key, Entry> entries = new HashMap<>();
  private final Set<UUID> queues = new HashSet<>();
  private long cycle;

  /** Begins a cycle: entries of all queues but those whose windows are unchanged are dropped. */
  public synchronized void beginCycle(Set<UUID> unchanged) {
    cycle++;
    // Both sweeps look at every entry: a cycle without either costs nothing, however full it is.
    if (!unchanged.containsAll(queues)) {
      entries.values().removeIf(e -> !unchanged.contains(e.queueId()));
      queues.retainAll(unchanged);
    }
    if (cycle % SWEEP == 0) {
      entries.values().removeIf(e -> cycle - e.visitAgainAt() > LONGEST_SKIP);
    }
  }

  /** Whether the partition may be visited in this cycle. */
  public synchronized boolean admits(DuePartition partition) {
    Entry entry = entries.get(Key.of(partition));
    return entry == null || cycle >= entry.visitAgainAt();
  }

  /** A visit gave nothing, or failed. */
  public synchronized void fruitless(DuePartition partition) {
    remember(partition, CAPACITY);
  }

  /** A probe found that a cursor holds the head. */
  public synchronized void held(DuePartition partition) {
    remember(partition, HELD_CAPACITY);
  }

  private void remember(DuePartition partition, int capacity) {
    Key key = Key.of(partition);
    Entry before = entries.get(key);
    if (before == null && entries.size() >= capacity) {
      return;
    }
    int skip = before == null ? FIRST_SKIP : Math.min(LONGEST_SKIP, before.skip() * 2);
    queues.add(partition.queueId());
    entries.put(key, new Entry(partition.queueId(), skip, cycle + skip + 1));
  }

  public synchronized void progress(DuePartition partition) {
    entries.remove(Key.of(partition));
  }

  public synchronized int size() {
    return entries.size();
  }

  private record Key(Lane lane, UUID partitionId) {
    static Key of(DuePartition partition) {
      return new Key(partition.lane(), partition.partitionId());
    }
  }

  private record Entry(UUID queueId, int skip, long visitAgainAt) {}
}

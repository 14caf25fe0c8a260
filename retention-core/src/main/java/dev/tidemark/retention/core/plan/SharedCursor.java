package dev.tidemark.retention.core.plan;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;

/**
 * The line of partitions that all workers of a phase pull from. One shared line, not a slice each:
 * backlogs are uneven, and slices would leave workers idle behind the one that drew the deep
 * partition. Thread-safe.
 */
public final class SharedCursor<T> {
  private final Deque<T> line;

  public SharedCursor(Collection<T> items) {
    line = new ArrayDeque<>(items);
  }

  /**
   * Takes the next items: at most {@code most}, and never more than a worker's share of what is
   * left, so that the last ones are spread over all workers. Empty when none is left.
   */
  public synchronized List<T> next(int most, int workers) {
    int share = Math.min(most, Math.max(1, line.size() / workers));
    List<T> taken = new ArrayList<>();
    while (taken.size() < share && !line.isEmpty()) {
      taken.add(line.removeFirst());
    }
    return taken;
  }

  /** Puts items that were taken and not served back before all others, in their order. */
  public synchronized void giveBack(List<T> items) {
    for (int i = items.size() - 1; i >= 0; i--) {
      line.addFirst(items.get(i));
    }
  }

  /** Puts an item that has had its turn behind all others. */
  public synchronized void toTheBack(T item) {
    line.addLast(item);
  }

  /** What is in line now, in order. */
  public synchronized List<T> left() {
    return List.copyOf(line);
  }

  public synchronized int remaining() {
    return line.size();
  }
}

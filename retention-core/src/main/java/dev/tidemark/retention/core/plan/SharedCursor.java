package dev.tidemark.retention.core.plan;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;

/**
 * The line of partitions that all workers of a phase pull from. One shared line, not a slice each:
 * backlogs are uneven, and slices would leave workers idle behind the one that drew the deep
 * partition. What a worker has taken may come back, so nobody is sent home while somebody still has
 * a chunk. Thread-safe.
 */
public final class SharedCursor<T> {
  private final Deque<T> line;
  private int out;

  public SharedCursor(Collection<T> items) {
    line = new ArrayDeque<>(items);
  }

  /**
   * Takes the next chunk: at most {@code most} items, and never more than a worker's share of what
   * is left, so that the last ones are spread over all workers. Waits while the line is empty and
   * other chunks are out. Whoever got a chunk {@linkplain #giveBack gives back} what it did not
   * serve, or an empty list.
   *
   * @return empty when nothing is left and nothing can come back
   */
  public synchronized List<T> next(int most, int workers) {
    awaitLine();
    int share = Math.min(most, Math.max(1, line.size() / workers));
    List<T> taken = new ArrayList<>();
    while (taken.size() < share && !line.isEmpty()) {
      taken.add(line.removeFirst());
    }
    if (!taken.isEmpty()) {
      out++;
    }
    return taken;
  }

  /** An interrupt does not send a worker home; it is kept for later. */
  private void awaitLine() {
    boolean interrupted = false;
    while (line.isEmpty() && out > 0) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends a chunk: its unserved items go before all others, in their order. */
  public synchronized void giveBack(List<T> items) {
    for (int i = items.size() - 1; i >= 0; i--) {
      line.addFirst(items.get(i));
    }
    out--;
    notifyAll();
  }

  /** Puts an item that has had its turn behind all others. */
  public synchronized void toTheBack(T item) {
    line.addLast(item);
    notifyAll();
  }

  /** What is in line now, in order. */
  public synchronized List<T> left() {
    return List.copyOf(line);
  }

  public synchronized int remaining() {
    return line.size();
  }
}

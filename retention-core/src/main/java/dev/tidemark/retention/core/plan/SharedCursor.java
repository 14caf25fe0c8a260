package dev.tidemark.retention.core.plan;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Optional;

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

  public synchronized Optional<T> next() {
    return Optional.ofNullable(line.pollFirst());
  }

  /** Puts an item that has had its turn behind all others. */
  public synchronized void toTheBack(T item) {
    line.addLast(item);
  }

  public synchronized int remaining() {
    return line.size();
  }
}

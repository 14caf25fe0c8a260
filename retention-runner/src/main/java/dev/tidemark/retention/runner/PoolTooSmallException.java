package dev.tidemark.retention.runner;

import org.jspecify.annotations.Nullable;

/** The pool has fewer connections than retention uses at once. One line for the operator. */
public final class PoolTooSmallException extends IllegalStateException {
  PoolTooSmallException(String found, int needed, @Nullable Throwable cause) {
    super(
        found
            + ", retention needs at least "
            + needed
            + ": RETENTION_PARALLELISM workers + 3 (holder of the lock, tail, lease)",
        cause);
  }
}

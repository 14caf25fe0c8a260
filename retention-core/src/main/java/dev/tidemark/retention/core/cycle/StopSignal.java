package dev.tidemark.retention.core.cycle;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Tells running work to stop before its next call. Anybody may give it, from any thread; the first
 * reason stays.
 */
public final class StopSignal {
  private final AtomicReference<@Nullable Reason> reason = new AtomicReference<>();

  public void stop(Reason why) {
    reason.compareAndSet(null, why);
  }

  /** Why to stop; empty = go on. */
  public Optional<Reason> reason() {
    return Optional.ofNullable(reason.get());
  }

  boolean isGiven() {
    return reason.get() != null;
  }

  /** Why work stopped before its end. */
  public enum Reason {
    /** The process is ending. */
    CLOSING,
    /** The task was disabled. */
    PAUSED,
    /** Somebody else has the task, or the lease could not be renewed in its time. */
    LEASE_LOST,
    /** The connection that held the cycle's lock is gone. */
    LOCK_LOST
  }
}

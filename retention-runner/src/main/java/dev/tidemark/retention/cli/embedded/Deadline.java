package dev.tidemark.retention.cli.embedded;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Bounds the polling for a fact that nobody signals: a process that ended, a lock let go. */
record Deadline(long nanos) {
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(20);

  static Deadline in(Duration patience) {
    return new Deadline(System.nanoTime() + patience.toNanos());
  }

  boolean passed() {
    return System.nanoTime() - nanos >= 0;
  }

  /** Lets a moment go by; fails, and leaves the flag set, when the thread is interrupted. */
  void pause(String waitingFor) {
    LockSupport.parkNanos(PAUSE);
    if (Thread.currentThread().isInterrupted()) {
      throw new EmbeddedServerException("interrupted while waiting for " + waitingFor);
    }
  }
}

package dev.tidemark.retention.core.database;

import java.util.Optional;

/** The lock that keeps two sweeps apart, whatever scheme scheduled them. */
public interface CycleLock {
  /**
   * Takes the lock without waiting; empty when another writer is sweeping.
   *
   * @param onLost called, from another thread, if the lock turns out to be gone while it is held
   */
  Optional<Held> tryAcquire(Runnable onLost);

  /** The lock while it is held. Closing it is the release, and safe to repeat. */
  interface Held extends AutoCloseable {
    @Override
    void close();
  }
}

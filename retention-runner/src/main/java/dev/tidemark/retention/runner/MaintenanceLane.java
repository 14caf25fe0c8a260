package dev.tidemark.retention.runner;

import java.time.Duration;
import java.util.Optional;

/**
 * Admits maintenance work to the database. A broker that shares its database between its own work
 * and retention implements it; {@link #OPEN} admits everything.
 *
 * <p>The runner takes a slot before every connection it works on, and gives it back right after the
 * connection: one for each step worker, one for the work list and later one for phases 4 and 5 (the
 * leader gives its slot back before the workers take theirs), one for each page of a watermark
 * walk. Statements that keep a claim alive take none: waiting for a slot must not lose the lease.
 *
 * <p>Called from several threads at once.
 */
public interface MaintenanceLane {
  /** Admits everything at once. */
  MaintenanceLane OPEN =
      new MaintenanceLane() {
        @Override
        public void floor(int slots) {}

        @Override
        public Optional<Slot> enter(Duration patience) {
          return Optional.of(() -> {});
        }
      };

  /**
   * Told once, at the start of the schedule: how many slots the runner uses at once. A lane that
   * widens only where it sees short work would never discover it, because steps are not short.
   *
   * @param slots parallelism + 1
   */
  void floor(int slots);

  /**
   * Waits for a slot.
   *
   * @return empty when none came free in time: a step worker then leaves its work to the others;
   *     where there is no other, the cycle fails and its task stays due
   * @throws InterruptedException as any wait
   */
  Optional<Slot> enter(Duration patience) throws InterruptedException;

  /** The right to use one connection. Closing gives it back; safe to repeat. */
  interface Slot extends AutoCloseable {
    @Override
    void close();
  }
}

package dev.tidemark.retention.core.database;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * The connection of the serial phases 4 and 5. Every call is one bounded transaction. Not
 * thread-safe.
 */
public interface TailSession extends StandingCheck, AutoCloseable {
  /**
   * Deletes at most {@code maxRows} partitions that are empty and silent since before the cutoff,
   * and looks at no more than the next {@code maxRead} of them after a place, whatever keeps them:
   * {@code queen.log_partition_cleanup_step_v1}.
   */
  Cleaned cleanupPartitions(Instant cutoff, int maxRows, int maxRead, Optional<Place> after);

  /**
   * Turns history in [from, cutoff) into minute totals: {@code queen.log_history_roll_up_step_v1}.
   */
  RolledUp rollUpHistory(Instant from, Instant cutoff, int maxRows);

  /** Trims samples and history: {@code queen.cleanup_worker_metrics_v1}. */
  Batch purgeMetrics(Instant cutoff, int maxRows);

  @Override
  void close();

  /** What one call did. */
  sealed interface Part {
    /** Rows it deleted or rolled up. */
    long rows();

    /** Whether another call may find more. */
    boolean goesOn();
  }

  /** A part of the purge. {@code done}: it found less than a full batch. */
  record Batch(long rows, boolean done) implements Part {
    @Override
    public boolean goesOn() {
      return !done && rows > 0;
    }
  }

  /** A part of the cleanup, and how far it looked; empty: to the end. */
  record Cleaned(long rows, Optional<Place> reached) implements Part {
    @Override
    public boolean goesOn() {
      return reached.isPresent();
    }
  }

  /** A place in the order in which the cleanup looks: the longest silent first. */
  record Place(Instant lastWriteAt, UUID partitionId) {}

  /**
   * A part of the roll-up.
   *
   * @param lastAt where the next call begins
   * @param done it found less than a full batch
   */
  record RolledUp(long rows, Instant lastAt, boolean done) implements Part {
    @Override
    public boolean goesOn() {
      return !done && rows > 0;
    }
  }
}

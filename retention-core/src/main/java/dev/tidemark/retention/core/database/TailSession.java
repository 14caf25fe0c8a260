package dev.tidemark.retention.core.database;

import java.time.Instant;

/**
 * The connection of the serial phases 4 and 5. Every call is one bounded transaction. Not
 * thread-safe.
 */
public interface TailSession extends StandingCheck, AutoCloseable {
  /**
   * Deletes partitions that are empty and silent since before the cutoff: {@code
   * queen.log_partition_cleanup_step_v1}.
   */
  Batch cleanupPartitions(Instant cutoff, int maxRows);

  /** Trims samples and history: {@code queen.cleanup_worker_metrics_v1}. */
  Batch purgeMetrics(Instant cutoff, int maxRows);

  @Override
  void close();

  /** What one call deleted. {@code done}: it found less than a full batch. */
  record Batch(long deleted, boolean done) {}
}

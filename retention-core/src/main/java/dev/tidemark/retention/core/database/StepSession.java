package dev.tidemark.retention.core.database;

import dev.tidemark.retention.core.plan.Phase;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One worker's connection. Every step is one bounded transaction that holds exactly one partition
 * row lock; when a call returns, it is committed. Not thread-safe.
 *
 * <p>Calls throw {@link DatabaseException}: a {@link StepFailedException} concerns this partition
 * alone, anything else the database.
 */
public interface StepSession extends StandingCheck, AutoCloseable {
  /**
   * Rules 1 and 2: {@code queen.log_retention_step_v1}.
   *
   * @param allCutoff rule 1, or {@code null} = off
   * @param completedCutoff rule 2, or {@code null} = off
   */
  StepResult retention(
      UUID partitionId,
      @Nullable Instant allCutoff,
      @Nullable Instant completedCutoff,
      int maxRows);

  /** The sidecar: {@code queen.log_txns_purge_step_v1}. */
  StepResult purgeTxns(UUID partitionId, Instant cutoff, int maxRows);

  /** Max wait: {@code queen.log_evict_max_wait_step_v1}. */
  StepResult evictMaxWait(UUID partitionId, Instant cutoff, int maxRows);

  /**
   * Many steps of a phase in one call: {@code queen.log_retention_drain_v1}, {@code
   * queen.log_txns_purge_drain_v1} or {@code queen.log_evict_max_wait_drain_v1}. A step that fails
   * is in the answer, and the others were done.
   *
   * @throws StepFailedException the call itself failed. What its steps committed stays, but nothing
   *     is known of it here
   */
  Drained drain(Phase phase, Drain drain);

  @Override
  void close();
}

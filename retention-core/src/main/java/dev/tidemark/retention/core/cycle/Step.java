package dev.tidemark.retention.core.cycle;

import dev.tidemark.retention.core.database.StepResult;
import dev.tidemark.retention.core.database.StepSession;
import dev.tidemark.retention.core.plan.Phase;
import dev.tidemark.retention.core.plan.QueueRule;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The one call a phase makes on a partition. */
interface Step {
  StepResult run(StepSession session, QueueRule rule, UUID partitionId, int maxRows);

  static Step of(Phase phase) {
    return switch (phase) {
      case RETENTION ->
          (session, rule, partition, rows) ->
              session.retention(partition, rule.allCutoff(), rule.completedCutoff(), rows);
      case TXNS_PURGE ->
          (session, rule, partition, rows) -> session.purgeTxns(partition, rule.txnsCutoff(), rows);
      case MAX_WAIT ->
          (session, rule, partition, rows) ->
              session.evictMaxWait(partition, on(rule.maxWaitCutoff(), rule), rows);
    };
  }

  private static Instant on(@Nullable Instant cutoff, QueueRule rule) {
    if (cutoff == null) {
      throw new IllegalStateException(
          "queue " + rule.queueName() + " has no max wait, yet a partition of it was listed");
    }
    return cutoff;
  }
}

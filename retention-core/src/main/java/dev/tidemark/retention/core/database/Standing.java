package dev.tidemark.retention.core.database;

import dev.tidemark.retention.core.plan.QueueRule;
import java.util.Map;
import java.util.UUID;

/**
 * What still holds in the middle of a cycle.
 *
 * @param lease of the claim that was asked about; {@link Lease#HELD} without one
 * @param rules what the queues asked about keep now, by queue id; a deleted queue has none
 */
public record Standing(Lease lease, Map<UUID, QueueRule> rules) {
  public Standing {
    rules = Map.copyOf(rules);
  }

  /** How a claim stands. */
  public enum Lease {
    HELD,
    /** Still ours, but the task was disabled: stop and release. */
    PAUSED,
    /** Somebody else has the task, or it is gone: stop, nothing is left to release. */
    LOST
  }
}

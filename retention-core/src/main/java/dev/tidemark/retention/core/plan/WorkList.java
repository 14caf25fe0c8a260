package dev.tidemark.retention.core.plan;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The beginning of one cycle's plan: all rules, and the oldest due partitions.
 *
 * @param listedAt the database's clock, the one time all cutoffs of the cycle were computed from
 * @param rules one rule a queue, by queue id
 * @param due per lane, oldest watermark first
 */
public record WorkList(
    Instant listedAt, Map<UUID, QueueRule> rules, Map<Lane, List<DuePartition>> due) {
  public WorkList {
    rules = Map.copyOf(rules);
    due = Map.copyOf(due);
  }

  public List<DuePartition> due(Lane lane) {
    return due.getOrDefault(lane, List.of());
  }
}

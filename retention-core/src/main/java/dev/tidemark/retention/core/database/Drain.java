package dev.tidemark.retention.core.database;

import dev.tidemark.retention.core.plan.QueueRule;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What one call of a drain is asked for: steps over some partitions of one queue.
 *
 * @param rule the queue, with the cutoffs of the cycle's one clock
 * @param targets the partitions, in the order of their turns
 * @param time when no further step begins, from now; at least a millisecond
 * @param claim {@code null} = the work runs beside the schedule, and nobody can take it away
 */
public record Drain(
    QueueRule rule, List<Target> targets, Bounds bounds, Duration time, @Nullable Claim claim) {
  public Drain {
    targets = List.copyOf(targets);
  }

  /**
   * One partition.
   *
   * @param rows its first batch; 0 = a tenth of the most
   */
  public record Target(UUID partitionId, int rows) {}

  /**
   * How far one partition is drained.
   *
   * @param maxRows rows a batch at most
   * @param hold how long a batch should hold its partition: the next one grows or shrinks towards
   *     it
   * @param batches full ones in one call
   */
  public record Bounds(int maxRows, Duration hold, int batches) {}
}

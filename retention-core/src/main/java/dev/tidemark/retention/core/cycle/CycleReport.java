package dev.tidemark.retention.core.cycle;

import dev.tidemark.retention.core.plan.QueueRule;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * What one cycle did.
 *
 * @param listedAt the database's clock, from which all cutoffs were computed
 * @param rules every queue's cutoffs, by queue name
 * @param byQueue what went, by queue name and retention_type
 * @param scanUnfinished more heads were held by cursors than one cycle probes; the next cycle of
 *     the same process goes on behind them
 * @param elapsed by the JVM's clock
 */
public record CycleReport(
    Instant listedAt,
    List<QueueRule> rules,
    Visits visits,
    Map<String, Map<String, Deleted>> byQueue,
    long txnsPurged,
    long partitionsDeleted,
    RollUp rollUp,
    MetricsPurge metrics,
    boolean scanUnfinished,
    Duration elapsed) {

  /** The retention_type of phase 3. */
  public static final String MAX_WAIT = "max_wait_time_eviction";

  /** Segments that rules 1 and 2 deleted. */
  public long segmentsDeleted() {
    return sum(false);
  }

  /** Segments that max wait evicted. */
  public long maxWaitEvicted() {
    return sum(true);
  }

  /** Whether anything at all went. What was rolled up did not: its totals stay. */
  public boolean deletedSomething() {
    return segmentsDeleted() + maxWaitEvicted() + txnsPurged + partitionsDeleted + metrics.rows()
        > 0;
  }

  private long sum(boolean maxWait) {
    return byQueue.values().stream()
        .flatMap(rules -> rules.entrySet().stream())
        .filter(e -> e.getKey().equals(MAX_WAIT) == maxWait)
        .mapToLong(e -> e.getValue().segments())
        .sum();
  }

  /**
   * What the fan-out saw, over phases 1 to 3.
   *
   * @param due listed partitions
   * @param backedOff of those, not visited: earlier visits gave nothing, or a cursor holds the head
   * @param left of those, not finished: the budget ended, the cycle was stopped, or the queue's
   *     windows grew meanwhile
   * @param failed steps that failed
   */
  public record Visits(long due, long backedOff, long left, long failed) {}

  /** Rows of history that became minute totals; {@code error} is empty unless that failed. */
  public record RollUp(long rows, String error) {}

  /** Rows of samples and history that went; {@code error} is empty unless the purge failed. */
  public record MetricsPurge(long rows, String error) {}
}

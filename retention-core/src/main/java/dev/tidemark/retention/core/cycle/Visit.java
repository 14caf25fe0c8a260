package dev.tidemark.retention.core.cycle;

import dev.tidemark.retention.core.plan.DuePartition;
import dev.tidemark.retention.core.plan.QueueRule;

/**
 * A partition that a phase is to drain, and how far it has come. In one worker's hands at a time.
 */
final class Visit {
  private final DuePartition partition;
  private final QueueRule rule;
  private int nextRows;
  private boolean begun;

  /**
   * @param rule the cutoffs of the cycle's one clock
   */
  Visit(DuePartition partition, QueueRule rule) {
    this.partition = partition;
    this.rule = rule;
  }

  DuePartition partition() {
    return partition;
  }

  QueueRule rule() {
    return rule;
  }

  /** The rows of its next batch, as the last one left it; 0 before the first. */
  int nextRows() {
    return nextRows;
  }

  void nextRows(int rows) {
    nextRows = rows;
  }

  /** Whether an earlier batch made progress. */
  boolean begun() {
    return begun;
  }

  void begin() {
    begun = true;
  }
}

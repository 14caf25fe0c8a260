package dev.tidemark.retention.core.cycle;

import dev.tidemark.retention.core.plan.DuePartition;
import dev.tidemark.retention.core.plan.QueueRule;

/**
 * A partition that a phase is to drain, and how far it has come. In one worker's hands at a time.
 */
final class Visit {
  /** Full batches a partition gets before the others have theirs. */
  static final int TURN = 10;

  private final DuePartition partition;
  private final QueueRule rule;
  private final BatchSize batch;
  private int batchesOfTurn;

  /**
   * @param rule the cutoffs of the cycle's one clock
   */
  Visit(DuePartition partition, QueueRule rule, BatchSize batch) {
    this.partition = partition;
    this.rule = rule;
    this.batch = batch;
  }

  DuePartition partition() {
    return partition;
  }

  QueueRule rule() {
    return rule;
  }

  int nextBatch() {
    return batch.next();
  }

  /** A full batch has gone; true when that ends the partition's turn. */
  boolean fullBatch() {
    batch.full();
    batchesOfTurn++;
    if (batchesOfTurn < TURN) {
      return false;
    }
    batchesOfTurn = 0;
    return true;
  }

  /** Whether an earlier batch made progress. */
  boolean begun() {
    return batch.grown();
  }
}

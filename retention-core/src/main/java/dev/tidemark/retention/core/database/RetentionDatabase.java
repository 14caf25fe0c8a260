package dev.tidemark.retention.core.database;

import dev.tidemark.retention.core.plan.WorkList;

/**
 * The database as one cycle sees it. Sessions are connections of their own; whoever opens one
 * closes it.
 */
public interface RetentionDatabase {
  /**
   * Plans a cycle: one statement, one reading of the database's clock.
   *
   * @param dueCap due partitions per queue and phase, at least 1
   * @param totalCap due partitions per phase over all queues, at least 1
   */
  WorkList workList(int dueCap, int totalCap);

  /** Opens a session for one step worker. */
  StepSession openSteps();

  /** Opens the session of phases 4 and 5. */
  TailSession openTail();

  /** Opens the session of a watermark walk. */
  WalkSession openWalk();
}

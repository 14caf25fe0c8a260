package dev.tidemark.retention.core.database;

import dev.tidemark.retention.core.plan.DuePartition;
import dev.tidemark.retention.core.plan.Lane;
import dev.tidemark.retention.core.plan.Position;
import dev.tidemark.retention.core.plan.QueueRule;
import dev.tidemark.retention.core.plan.WorkList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The database as one cycle sees it. Sessions are connections of their own; whoever opens one
 * closes it.
 */
public interface RetentionDatabase {
  /**
   * Plans a cycle: one statement, one reading of the database's clock.
   *
   * @param dueCap due partitions per queue and lane, at least 1
   * @param totalCap due partitions per lane over all queues, at least 1
   * @param resume where a queue's {@link Lane#CONSUMPTION} goes on, strictly after it; others begin
   *     at the head
   */
  WorkList workList(int dueCap, int totalCap, Map<UUID, Position> resume);

  /**
   * Reads on in one queue and lane, oldest first, with the cutoffs of the cycle's work list.
   *
   * @param after the last entry read, or empty for the head
   * @return fewer than {@code maxRows} at the lane's end; nothing when the rule turns the lane off
   */
  List<DuePartition> duePage(Lane lane, QueueRule rule, Optional<Position> after, int maxRows);

  /** Of these partitions, the ones whose head every group is through with. */
  Set<UUID> headsThatCanGo(Collection<UUID> partitionIds);

  /** Opens a session for one step worker. */
  StepSession openSteps();

  /** Opens the session of phases 4 and 5. */
  TailSession openTail();

  /** Opens the session of a watermark walk. */
  WalkSession openWalk();
}

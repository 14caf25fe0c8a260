package dev.tidemark.retention.core.cycle;

import dev.tidemark.retention.core.database.RetentionDatabase;
import dev.tidemark.retention.core.database.StepFailedException;
import dev.tidemark.retention.core.database.StepResult;
import dev.tidemark.retention.core.database.StepSession;
import dev.tidemark.retention.core.plan.DuePartition;
import dev.tidemark.retention.core.plan.NoOpBackoff;
import dev.tidemark.retention.core.plan.Phase;
import dev.tidemark.retention.core.plan.QueueRule;
import dev.tidemark.retention.core.plan.SharedCursor;
import dev.tidemark.retention.core.plan.WorkList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Drains the due partitions of one phase. Every step commits by itself, so stopping between two
 * costs nothing.
 *
 * <p>A partition's turn is at most {@value #TURN} full batches; then it goes behind the others. One
 * whose step fails is counted, backed off and left; a failure of the database itself ends the
 * phase.
 */
final class DrainPhase {
  static final int TURN = 10;

  private final Phase phase;
  private final RetentionDatabase database;
  private final NoOpBackoff backoff;
  private final Tally tally;
  private final Step step;

  DrainPhase(Phase phase, RetentionDatabase database, NoOpBackoff backoff, Tally tally) {
    this.phase = phase;
    this.database = database;
    this.backoff = backoff;
    this.tally = tally;
    this.step = Step.of(phase);
  }

  void run(WorkList list, FanOut fanOut, Deadline deadline) {
    SharedCursor<Visit> cursor = new SharedCursor<>(choose(list, fanOut.batchSize()));
    int width = Math.min(fanOut.width(), cursor.remaining());
    if (width > 0) {
      fanOut.workers().run(width, () -> work(cursor, deadline));
    }
    tally.left(cursor.remaining());
  }

  /**
   * Chooses, apart from acting: what is backed off, held by a cursor, or without a rule is not
   * visited.
   */
  private List<Visit> choose(WorkList list, int batchSize) {
    List<Visit> chosen = new ArrayList<>();
    for (DuePartition partition : list.due(phase)) {
      QueueRule rule = list.rules().get(partition.queueId());
      if (rule == null) {
        continue;
      }
      tally.due();
      if (!backoff.admits(phase, partition)) {
        tally.backedOff();
      } else if (!partition.canGo()) {
        tally.backedOff();
        backoff.fruitless(phase, partition);
      } else {
        chosen.add(new Visit(partition, rule, new BatchSize(batchSize)));
      }
    }
    return chosen;
  }

  private void work(SharedCursor<Visit> cursor, Deadline deadline) {
    try (StepSession session = database.openSteps()) {
      while (!deadline.passed()) {
        Optional<Visit> visit = cursor.next();
        if (visit.isEmpty()) {
          return;
        }
        if (!turn(session, visit.get(), deadline)) {
          cursor.toTheBack(visit.get());
        }
      }
    }
  }

  /** One partition's turn; false when more may go. */
  private boolean turn(StepSession session, Visit visit, Deadline deadline) {
    DuePartition partition = visit.partition();
    boolean progress = false;
    for (int batch = 0; batch < TURN; batch++) {
      StepResult result;
      try {
        result = step.run(session, visit.rule(), partition.partitionId(), visit.batch().next());
      } catch (StepFailedException e) {
        tally.failed(
            "phase "
                + phase.number()
                + " partition "
                + partition.partitionId()
                + " of queue "
                + visit.rule().queueName(),
            e);
        backoff.fruitless(phase, partition);
        return true;
      }
      tally.step(phase, visit.rule().queueName(), result);
      if (result.deleted() > 0) {
        progress = true;
        backoff.progress(phase, partition);
      }
      if (result.done() || result.deleted() == 0) {
        if (!progress && !visit.begun()) {
          backoff.fruitless(phase, partition);
        }
        return true;
      }
      visit.batch().full();
      if (deadline.passed()) {
        break;
      }
    }
    return false;
  }

  /** How wide a phase runs, on what, and the largest batch. */
  record FanOut(Workers workers, int width, int batchSize) {}

  private record Visit(DuePartition partition, QueueRule rule, BatchSize batch) {
    /** Whether an earlier turn already made progress. */
    boolean begun() {
      return batch.grown();
    }
  }
}

package dev.tidemark.retention.core.cycle;

import dev.tidemark.retention.core.database.DatabaseUnavailableException;
import dev.tidemark.retention.core.database.RetentionDatabase;
import dev.tidemark.retention.core.database.StepFailedException;
import dev.tidemark.retention.core.database.StepResult;
import dev.tidemark.retention.core.database.StepSession;
import dev.tidemark.retention.core.plan.DuePartition;
import dev.tidemark.retention.core.plan.NoOpBackoff;
import dev.tidemark.retention.core.plan.Phase;
import dev.tidemark.retention.core.plan.QueueRule;
import dev.tidemark.retention.core.plan.SharedCursor;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drains the due partitions of one phase. Every step commits by itself, so stopping between two
 * costs nothing.
 *
 * <p>Workers take chunks: at most {@value #CHUNK} partitions, or half a second. Before each chunk
 * the database is asked whether the claim is still held and whether the queues' windows still cover
 * what was listed; the signal to stop is looked at before every step. A partition whose step fails
 * is counted, backed off and left; a failure of the database itself ends the phase.
 */
final class DrainPhase {
  private static final Logger LOG = LoggerFactory.getLogger("retention");

  static final int CHUNK = 64;
  static final Duration CHUNK_TIME = Duration.ofMillis(500);

  private final Phase phase;
  private final RetentionDatabase database;
  private final NoOpBackoff backoff;
  private final Tally tally;
  private final Step step;
  private final Queue<Visit> unwanted = new ConcurrentLinkedQueue<>();
  private final AtomicInteger sessions = new AtomicInteger();

  DrainPhase(Phase phase, RetentionDatabase database, NoOpBackoff backoff, Tally tally) {
    this.phase = phase;
    this.database = database;
    this.backoff = backoff;
    this.tally = tally;
    this.step = Step.of(phase);
  }

  /** Makes the visits; those that it had to leave. */
  List<Visit> run(List<Visit> visits, FanOut fanOut, Limits limits) {
    SharedCursor<Visit> cursor = new SharedCursor<>(visits);
    int width = Math.min(fanOut.width(), cursor.remaining());
    if (width > 0 && limits.allow()) {
      fanOut.workers().run(width, () -> work(cursor, width, limits));
    }
    List<Visit> left = new ArrayList<>(unwanted);
    left.addAll(cursor.left());
    tally.left(left.size());
    return left;
  }

  private void work(SharedCursor<Visit> cursor, int workers, Limits limits) {
    Optional<StepSession> opened = open();
    if (opened.isEmpty()) {
      return;
    }
    try (StepSession session = opened.get()) {
      while (limits.allow()) {
        List<Visit> taken = cursor.next(CHUNK, workers);
        if (taken.isEmpty()) {
          return;
        }
        Deque<Visit> line = new ArrayDeque<>(taken);
        try {
          chunk(session, cursor, line, limits);
        } finally {
          cursor.giveBack(List.copyOf(line));
        }
      }
    }
  }

  /**
   * A worker that gets no connection, or no slot in a lane, leaves the work to the others; only if
   * there is none, the phase fails.
   */
  private Optional<StepSession> open() {
    try {
      StepSession session = database.openSteps();
      sessions.incrementAndGet();
      return Optional.of(session);
    } catch (DatabaseUnavailableException e) {
      if (sessions.get() == 0) {
        throw e;
      }
      LOG.warn(
          "a step worker got no connection and leaves its work to the others: {}", e.getMessage());
      return Optional.empty();
    }
  }

  /** Serves one chunk; what it did not come to stays in the line. */
  private void chunk(
      StepSession session, SharedCursor<Visit> cursor, Deque<Visit> line, Limits limits) {
    dropUnwanted(session, line, limits.permission());
    Limits ofChunk = limits.within(CHUNK_TIME);
    while (!line.isEmpty() && ofChunk.allow()) {
      switch (turn(session, line.getFirst(), ofChunk)) {
        case SERVED -> line.removeFirst();
        case TURN_OVER -> cursor.toTheBack(line.removeFirst());
        case TIME_OVER -> {}
      }
    }
  }

  /** Asks the database; a queue whose windows went away or grew is left to the next cycle. */
  private void dropUnwanted(StepSession session, Deque<Visit> line, Permission permission) {
    Set<UUID> queues =
        line.stream().map(visit -> visit.partition().queueId()).collect(Collectors.toSet());
    Map<UUID, QueueRule> now = permission.ask(session, queues);
    line.removeIf(
        visit -> {
          QueueRule rule = now.get(visit.partition().queueId());
          boolean wanted = rule != null && rule.covers(visit.rule(), phase);
          if (!wanted) {
            unwanted.add(visit);
          }
          return !wanted;
        });
  }

  private Turn turn(StepSession session, Visit visit, Limits limits) {
    DuePartition partition = visit.partition();
    while (limits.allow()) {
      StepResult result;
      try {
        result = step.run(session, visit.rule(), partition.partitionId(), visit.nextBatch());
      } catch (StepFailedException e) {
        tally.failed(
            "phase "
                + phase.number()
                + " partition "
                + partition.partitionId()
                + " of queue "
                + visit.rule().queueName(),
            e);
        backoff.fruitless(partition);
        return Turn.SERVED;
      }
      tally.step(phase, visit.rule().queueName(), result);
      if (result.deleted() > 0) {
        backoff.progress(partition);
      } else if (!visit.begun()) {
        backoff.fruitless(partition);
      }
      if (result.done() || result.deleted() == 0) {
        return Turn.SERVED;
      }
      if (visit.fullBatch()) {
        return Turn.TURN_OVER;
      }
    }
    return Turn.TIME_OVER;
  }

  private enum Turn {
    /** Nothing is left to do here in this cycle. */
    SERVED,
    /** More may go, after the others had their turn. */
    TURN_OVER,
    /** More may go, in the next chunk. */
    TIME_OVER
  }

  /** How wide a phase runs, and on what. */
  record FanOut(Workers workers, int width) {}
}

package dev.tidemark.retention.core.cycle;

import dev.tidemark.retention.core.database.DatabaseUnavailableException;
import dev.tidemark.retention.core.database.RetentionDatabase;
import dev.tidemark.retention.core.database.StepSession;
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
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drains the due partitions of one phase. Every step commits by itself, so stopping between two
 * costs nothing.
 *
 * <p>Workers take chunks: at most {@value #CHUNK} partitions, or half a second. Within a chunk the
 * partitions of one queue go together, and the database asks before each step whether the claim is
 * still held and the queue's windows still cover what was listed; the signal to stop is looked at
 * before every call. A partition whose step fails is counted, backed off and left; a failure of the
 * database itself ends the phase.
 */
final class DrainPhase {
  private static final Logger LOG = LoggerFactory.getLogger("retention");

  static final int CHUNK = 64;
  static final Duration CHUNK_TIME = Duration.ofMillis(500);

  private final RetentionDatabase database;
  private final Turns turns;
  private final Tally tally;
  private final Queue<Visit> unwanted = new ConcurrentLinkedQueue<>();
  private final AtomicInteger sessions = new AtomicInteger();

  DrainPhase(RetentionDatabase database, Turns turns, Tally tally) {
    this.database = database;
    this.turns = turns;
    this.tally = tally;
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
    Limits ofChunk = limits.within(CHUNK_TIME);
    while (!line.isEmpty() && ofChunk.allow()) {
      QueueRule rule = line.getFirst().rule();
      List<Visit> ofQueue = line.stream().filter(visit -> visit.rule().equals(rule)).toList();
      boolean others = line.size() > 1 || cursor.remaining() > 0;
      Map<Visit, Turns.End> ends = turns.give(session, ofQueue, others, limits, ofChunk);
      line.removeAll(ends.keySet());
      ends.forEach(
          (visit, end) -> {
            switch (end) {
              case SERVED -> {}
              case TURN_OVER -> cursor.toTheBack(visit);
              case UNWANTED -> unwanted.add(visit);
            }
          });
    }
  }

  /** How wide a phase runs, and on what. */
  record FanOut(Workers workers, int width) {}
}

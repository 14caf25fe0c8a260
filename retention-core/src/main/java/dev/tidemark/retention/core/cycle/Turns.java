package dev.tidemark.retention.core.cycle;

import dev.tidemark.retention.core.database.Drain;
import dev.tidemark.retention.core.database.Drained;
import dev.tidemark.retention.core.database.Standing;
import dev.tidemark.retention.core.database.StepFailedException;
import dev.tidemark.retention.core.database.StepResult;
import dev.tidemark.retention.core.database.StepSession;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.core.plan.NoOpBackoff;
import dev.tidemark.retention.core.plan.Phase;
import dev.tidemark.retention.core.plan.QueueRule;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Gives some partitions of one queue their turns in a phase: by one call of the drain, which asks
 * between its steps whether they are still wanted. A call that fails as a whole, since a batch ran
 * out of time or somebody cancelled it, says neither where nor what it did until then; so the same
 * partitions are served by one small step each, and whose fault it is shows there. Thread-safe.
 */
final class Turns {
  private static final Logger LOG = LoggerFactory.getLogger("retention");

  /** Full batches a partition gets before the others have theirs. */
  static final int TURN = 10;

  /** Failed calls named in the log a phase and cycle. */
  private static final int NAMED_FAILURES = 10;

  /** How much smaller the first batch is than the most, and one after a failure than the last. */
  private static final int FRACTION = 10;

  private final Phase phase;
  private final Knobs knobs;
  private final NoOpBackoff backoff;
  private final Tally tally;
  private final Step step;
  private final AtomicInteger failures = new AtomicInteger();

  Turns(Phase phase, Knobs knobs, NoOpBackoff backoff, Tally tally) {
    this.phase = phase;
    this.knobs = knobs;
    this.backoff = backoff;
    this.tally = tally;
    this.step = Step.of(phase);
  }

  /** How a partition's turn ended; one that has not ended goes on in the next chunk. */
  enum End {
    /** Nothing is left to do here in this cycle. */
    SERVED,
    /** More may go, after the others had their turn. */
    TURN_OVER,
    /** Its queue's windows went away or grew: left to the next cycle. */
    UNWANTED
  }

  /**
   * @param visits of one queue, with one rule
   * @param others whether others wait: a partition that is alone has its turn for all of the chunk
   * @param limits of the phase
   * @param ofChunk of the chunk, within them
   * @return the turns that ended
   */
  Map<Visit, End> give(
      StepSession session, List<Visit> visits, boolean others, Limits limits, Limits ofChunk) {
    int batches = others ? TURN : Integer.MAX_VALUE;
    QueueRule rule = visits.get(0).rule();
    List<Drain.Target> targets =
        visits.stream()
            .map(visit -> new Drain.Target(visit.partition().partitionId(), visit.nextRows()))
            .toList();
    Drain drain =
        new Drain(
            rule,
            targets,
            new Drain.Bounds(knobs.batchSize(), knobs.lockHold(), batches),
            ofChunk.left(),
            ofChunk.claim());
    Drained drained;
    try {
      drained = session.drain(phase, drain);
    } catch (StepFailedException e) {
      LOG.atLevel(failures.getAndIncrement() < NAMED_FAILURES ? Level.INFO : Level.DEBUG)
          .log(
              "drain failed phase={} queue=\"{}\" sqlstate={} error=\"{}\": going on by small steps",
              phase.number(),
              rule.queueName(),
              e.sqlState(),
              e.getMessage());
      // Time of their own: the call may have used up the chunk's, and would again.
      return singly(session, visits, limits.within(DrainPhase.CHUNK_TIME));
    }
    return account(drained, visits, others, limits.permission());
  }

  private Map<Visit, End> account(
      Drained drained, List<Visit> visits, boolean others, Permission permission) {
    Map<UUID, Visit> byPartition =
        visits.stream()
            .collect(
                Collectors.toMap(visit -> visit.partition().partitionId(), Function.identity()));
    Map<Visit, Integer> batches = new HashMap<>();
    Map<Visit, End> ends = new LinkedHashMap<>();
    Visit last = visits.get(0);
    for (Drained.Step done : drained.steps()) {
      Visit visit = byPartition.get(done.partitionId());
      if (visit == null) {
        throw new IllegalStateException("a drain served " + done.partitionId() + ", unasked");
      }
      last = visit;
      boolean more = took(visit, done::orThrow);
      visit.nextRows(done.nextRows());
      if (!more) {
        ends.put(visit, End.SERVED);
      } else if (others && batches.merge(visit, 1, Integer::sum) == TURN) {
        ends.put(visit, End.TURN_OVER);
      }
    }
    switch (drained.stopped()) {
      case NOT -> {}
      case TIME -> {
        // Or large segments would keep a worker at one partition: their chunks end before ten.
        if (others) {
          ends.putIfAbsent(last, End.TURN_OVER);
        }
      }
      case RULE -> visits.forEach(visit -> ends.putIfAbsent(visit, End.UNWANTED));
      case PAUSED -> permission.heed(Standing.Lease.PAUSED);
      case LOST -> permission.heed(Standing.Lease.LOST);
    }
    return ends;
  }

  private Map<Visit, End> singly(StepSession session, List<Visit> visits, Limits limits) {
    QueueRule listed = visits.get(0).rule();
    QueueRule now =
        limits.permission().ask(session, Set.of(listed.queueId())).get(listed.queueId());
    Map<Visit, End> ends = new LinkedHashMap<>();
    if (now == null || !now.covers(listed, phase)) {
      visits.forEach(visit -> ends.put(visit, End.UNWANTED));
      return ends;
    }
    for (Visit visit : visits) {
      if (!limits.allow()) {
        break;
      }
      int rows = smaller(visit.nextRows() == 0 ? smaller(knobs.batchSize()) : visit.nextRows());
      UUID partition = visit.partition().partitionId();
      boolean more = took(visit, () -> step.run(session, visit.rule(), partition, rows));
      visit.nextRows(rows);
      if (!more) {
        ends.put(visit, End.SERVED);
      }
    }
    return ends;
  }

  private static int smaller(int rows) {
    return Math.max(1, rows / FRACTION);
  }

  /** Counts one step; whether there is more to take from the partition. */
  private boolean took(Visit visit, Supplier<StepResult> step) {
    StepResult result;
    try {
      result = step.get();
    } catch (StepFailedException e) {
      tally.failed(
          "phase "
              + phase.number()
              + " partition "
              + visit.partition().partitionId()
              + " of queue "
              + visit.rule().queueName(),
          e);
      backoff.fruitless(visit.partition());
      return false;
    }
    tally.step(phase, visit.rule().queueName(), result);
    if (result.deleted() > 0) {
      backoff.progress(visit.partition());
      visit.begin();
    } else if (!visit.begun()) {
      backoff.fruitless(visit.partition());
    }
    return !result.done() && result.deleted() > 0;
  }
}

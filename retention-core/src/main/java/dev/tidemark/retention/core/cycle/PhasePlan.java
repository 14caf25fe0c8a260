package dev.tidemark.retention.core.cycle;

import dev.tidemark.retention.core.database.RetentionDatabase;
import dev.tidemark.retention.core.plan.DuePartition;
import dev.tidemark.retention.core.plan.Lane;
import dev.tidemark.retention.core.plan.Laps;
import dev.tidemark.retention.core.plan.NoOpBackoff;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.UUID;

/**
 * Chooses the visits of one phase, apart from acting. An entry that is backed off is passed over;
 * one whose head a cursor holds is backed off for the price of a probe; only what is left takes a
 * place.
 */
final class PhasePlan {
  /** Heads probed a phase and cycle. */
  static final int PROBES = 100_000;

  /** Entries read a phase and cycle: past all that can be backed off there is still something. */
  static final int READS = PROBES + NoOpBackoff.CAPACITY;

  /** Visits a phase and cycle, over all queues: what is kept in memory. */
  static final int VISITS = 100_000;

  private final RetentionDatabase database;
  private final NoOpBackoff backoff;
  private final Laps laps;
  private final Tally tally;
  private final List<Visit> visits = new ArrayList<>();
  private final Set<UUID> planned = new HashSet<>();
  private int reads;
  private int probes;

  PhasePlan(RetentionDatabase database, NoOpBackoff backoff, Laps laps, Tally tally) {
    this.database = database;
    this.backoff = backoff;
    this.laps = laps;
    this.tally = tally;
  }

  /** Beyond the limits, only what needs no further statement is still chosen. */
  List<Visit> choose(List<QueuePlan> queues, Limits limits) {
    PriorityQueue<QueuePlan> turns = new PriorityQueue<>(QueuePlan.NEXT);
    turns.addAll(queues);
    while (!turns.isEmpty() && reads < READS && visits.size() < VISITS) {
      QueuePlan queue = turns.remove();
      DueLine line = queue.line();
      if ((line.needsPage() || line.needsProbes()) && !limits.allow()) {
        continue;
      }
      chunk(queue, line);
      if (!queue.done()) {
        turns.add(queue);
      }
    }
    visits.sort(Comparator.comparing(visit -> visit.partition().watermark()));
    return visits;
  }

  private void chunk(QueuePlan queue, DueLine line) {
    List<DuePartition> chunk = line.peek(database, Math.min(DueLine.PAGE, READS - reads));
    if (line.needsProbes()) {
      scan(queue, line, chunk);
    } else {
      take(queue, line, chunk);
    }
    if (line.ended()) {
      if (line.needsProbes()) {
        laps.ended(queue.rule().queueId());
      }
      queue.lineEnded();
    }
  }

  private void take(QueuePlan queue, DueLine line, List<DuePartition> chunk) {
    for (DuePartition entry : chunk) {
      if (noRoom(queue)) {
        return;
      }
      line.pass();
      pass(queue, entry, true);
    }
  }

  private void scan(QueuePlan queue, DueLine line, List<DuePartition> chunk) {
    List<UUID> heads =
        chunk.stream()
            .filter(this::isOpen)
            .limit(PROBES - probes)
            .map(DuePartition::partitionId)
            .toList();
    Set<UUID> canGo = heads.isEmpty() ? Set.of() : database.headsThatCanGo(heads);
    probes += heads.size();
    queue.probed(heads.size());
    int probed = 0;
    for (DuePartition entry : chunk) {
      if (noRoom(queue)) {
        return;
      }
      if (isOpen(entry) && probed++ == heads.size()) {
        queue.stop();
        return;
      }
      line.pass();
      boolean taken = pass(queue, entry, canGo.contains(entry.partitionId()));
      laps.passed(entry, taken, line.cutoff());
    }
  }

  /** Decides about one entry; whether it is visited. */
  private boolean pass(QueuePlan queue, DuePartition entry, boolean canGo) {
    reads++;
    if (planned.contains(entry.partitionId())) {
      return false;
    }
    tally.due();
    boolean admitted = backoff.admits(entry);
    if (!admitted || !canGo) {
      tally.backedOff();
      if (admitted) {
        backoff.held(entry);
      }
      return false;
    }
    planned.add(entry.partitionId());
    visits.add(new Visit(entry, queue.rule()));
    queue.placeTaken();
    if (entry.lane() == Lane.CONSUMPTION) {
      laps.taken(entry);
    }
    return true;
  }

  private boolean noRoom(QueuePlan queue) {
    return !queue.hasPlaces() || visits.size() == VISITS;
  }

  /** Neither backed off nor planned already, by an older lane or as unfinished. */
  private boolean isOpen(DuePartition entry) {
    return !planned.contains(entry.partitionId()) && backoff.admits(entry);
  }
}

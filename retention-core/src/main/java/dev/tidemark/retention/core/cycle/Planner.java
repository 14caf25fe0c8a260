package dev.tidemark.retention.core.cycle;

import static java.util.stream.Collectors.groupingBy;

import dev.tidemark.retention.core.database.RetentionDatabase;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.core.plan.DuePartition;
import dev.tidemark.retention.core.plan.Lane;
import dev.tidemark.retention.core.plan.Laps;
import dev.tidemark.retention.core.plan.NoOpBackoff;
import dev.tidemark.retention.core.plan.Phase;
import dev.tidemark.retention.core.plan.Position;
import dev.tidemark.retention.core.plan.QueueRule;
import dev.tidemark.retention.core.plan.WindowEdits;
import dev.tidemark.retention.core.plan.WorkList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Lists what is due and turns it into the visits of each phase, so that nothing that cannot go
 * keeps a place from something that can. What it learns (who is backed off, where the scans stand)
 * it keeps in memory, from cycle to cycle. One cycle at a time.
 */
final class Planner {
  /**
   * Entries of a lane in the first statement, over all queues. Phase 1 has two lanes; what a phase
   * misses here comes in pages.
   */
  static final int LISTED = PhasePlan.VISITS / 2;

  private final RetentionDatabase database;
  private final NoOpBackoff backoff;
  private final Knobs knobs;
  private final Laps laps = new Laps();
  private final WindowEdits edits = new WindowEdits();
  private final Map<Phase, Map<UUID, Integer>> left = new EnumMap<>(Phase.class);

  Planner(RetentionDatabase database, NoOpBackoff backoff, Knobs knobs) {
    this.database = database;
    this.backoff = backoff;
    this.knobs = knobs;
  }

  /** Begins a cycle: its rules, its clock, and the oldest due partitions. */
  WorkList list() {
    laps.beginCycle();
    WorkList list = database.workList(knobs.dueCap(), LISTED, laps.positions());
    Set<UUID> unchanged = edits.unchanged(list);
    backoff.beginCycle(unchanged);
    // The list went on in the middle of a queue that begins anew: an edit applies at once.
    return laps.keepOnly(unchanged)
        ? database.workList(knobs.dueCap(), LISTED, laps.positions())
        : list;
  }

  /**
   * The visits of one phase: what the last cycle left, then oldest first.
   *
   * @param limits beyond them, only what is listed already is considered
   */
  List<Visit> visits(Phase phase, WorkList list, Limits limits, Tally tally) {
    Map<QueueRule, List<DueLine>> lines = new HashMap<>();
    for (Lane lane : Lane.of(phase)) {
      addLines(lane, list, lines);
    }
    List<QueuePlan> queues = new ArrayList<>();
    lines.forEach((rule, ofQueue) -> queues.add(new QueuePlan(rule, ofQueue, knobs.dueCap())));
    List<Visit> visits = new PhasePlan(database, backoff, laps, tally).choose(queues, limits);
    Map<UUID, Integer> waiting = left.getOrDefault(phase, Map.of());
    visits.sort(
        Comparator.comparingInt(
            visit -> waiting.getOrDefault(visit.partition().partitionId(), Integer.MAX_VALUE)));
    return visits;
  }

  /** Lines only of queues that have a rule: a due row without one is dropped, never defaulted. */
  private void addLines(Lane lane, WorkList list, Map<QueueRule, List<DueLine>> lines) {
    List<DuePartition> due = list.due(lane);
    Map<UUID, List<DuePartition>> listed = due.stream().collect(groupingBy(DuePartition::queueId));
    boolean scan = lane == Lane.CONSUMPTION;
    Map<UUID, Position> resumed = scan ? laps.positions() : Map.of();
    Map<UUID, List<DuePartition>> unfinished = scan ? laps.unfinished() : Map.of();
    for (QueueRule rule : list.rules().values()) {
      if (lane.range(rule).isEmpty()) {
        continue;
      }
      UUID queue = rule.queueId();
      List<DueLine> ofQueue = lines.computeIfAbsent(rule, r -> new ArrayList<>());
      if (scan) {
        ofQueue.add(DueLine.unfinished(rule, unfinished.getOrDefault(queue, List.of())));
      }
      List<DuePartition> first = listed.getOrDefault(queue, List.of());
      boolean more = first.size() >= knobs.dueCap() || due.size() >= LISTED;
      ofQueue.add(DueLine.of(lane, rule, first, more, Optional.ofNullable(resumed.get(queue))));
    }
  }

  /**
   * The drain has ended. What it left is the next cycle's head, in the order in which it waits: so
   * a young partition has its turn however deep the older ones are.
   */
  void drained(Phase phase, List<Visit> visits, List<Visit> unfinished) {
    Map<UUID, Integer> waiting = new HashMap<>();
    // Those that had none of this cycle come before those whose turn its end cut short.
    unfinished.stream()
        .sorted(Comparator.comparing(Visit::begun))
        .forEach(visit -> waiting.put(visit.partition().partitionId(), waiting.size()));
    left.put(phase, waiting);
    visits.stream()
        .map(Visit::partition)
        .filter(partition -> partition.lane() == Lane.CONSUMPTION)
        .filter(partition -> !waiting.containsKey(partition.partitionId()))
        .forEach(laps::finished);
  }

  /** Whether more heads were held than one cycle probes: the next one goes on behind them. */
  boolean scanUnfinished() {
    return laps.underWay();
  }
}

package dev.tidemark.retention.core.plan;

import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Where the scans of {@link Lane#CONSUMPTION} stand, queue by queue. Any number of partitions that
 * a cursor holds may stand before one that can go; so a scan that a cycle cannot end goes on in the
 * next one.
 *
 * <pre>
 *             the cutoff of its first cycle is reached
 *   lap ─────────────────────────────────────────────────> tail: what fell due since
 *    ^                                                       │
 *    └──── at once after at most {@value #SHORT} entries, ───────────┘
 *          else after a rest
 * </pre>
 *
 * <p>The rest is {@value NoOpBackoff#FIRST_SKIP} cycles, doubling up to {@value
 * NoOpBackoff#LONGEST_SKIP} while laps find nothing that the tail would not have found. What a lap
 * has taken and the drain has not finished is kept, since the scan is past it. An edit of the
 * queue's windows begins anew. In memory only; one cycle at a time.
 */
public final class Laps {
  /**
   * A lap as long as this, or shorter, costs too little to rest for: less than the rest of an idle
   * cycle.
   */
  static final int SHORT = 500;

  /** The most unfinished entries it keeps; further ones wait for the next lap. */
  static final int CAPACITY = 100_000;

  private final Map<UUID, Lap> laps = new HashMap<>();
  private final Map<UUID, DuePartition> unfinished = new LinkedHashMap<>();
  private long cycle;

  /** Begins a cycle: laps that have rested start again. */
  public void beginCycle() {
    cycle++;
    laps.values().forEach(lap -> lap.startAgain(cycle));
  }

  /** Where each queue's scan goes on; one that is not in it is at the head. */
  public Map<UUID, Position> positions() {
    Map<UUID, Position> positions = new HashMap<>();
    laps.forEach(
        (queue, lap) -> {
          if (lap.position != null) {
            positions.put(queue, lap.position);
          }
        });
    return positions;
  }

  /**
   * Forgets all queues but those whose windows are unchanged; whether a scan went back to the head
   * by that.
   */
  public boolean keepOnly(Set<UUID> unchanged) {
    boolean scanning = !unchanged.containsAll(positions().keySet());
    laps.keySet().retainAll(unchanged);
    unfinished.values().removeIf(entry -> !unchanged.contains(entry.queueId()));
    return scanning;
  }

  /**
   * The scan has passed this entry.
   *
   * @param canGo whether it was worth a visit
   * @param cutoff the lane's, in this cycle
   */
  public void passed(DuePartition entry, boolean canGo, Instant cutoff) {
    lap(entry.queueId()).passed(entry.position(), canGo, cutoff, cycle);
  }

  /** The scan has come to the cutoff. */
  public void ended(UUID queueId) {
    lap(queueId).complete(cycle);
  }

  /** Whether a lap stopped before its end: it goes on in the next cycle. */
  public boolean underWay() {
    return laps.values().stream().anyMatch(lap -> lap.position != null && !lap.resting);
  }

  /** Keeps an entry that is going to be visited until it is {@link #finished}. */
  public void taken(DuePartition entry) {
    if (unfinished.size() < CAPACITY) {
      unfinished.put(entry.partitionId(), entry);
    }
  }

  public void finished(DuePartition entry) {
    unfinished.remove(entry.partitionId());
  }

  /** What earlier cycles took and did not finish, by queue, in the order in which they took it. */
  public Map<UUID, List<DuePartition>> unfinished() {
    return unfinished.values().stream().collect(Collectors.groupingBy(DuePartition::queueId));
  }

  private Lap lap(UUID queueId) {
    return laps.computeIfAbsent(queueId, q -> new Lap());
  }

  private static final class Lap {
    /** The last entry passed; null at the head. */
    private @Nullable Position position;

    /** The cutoff when the lap began: what falls due later is the tail's. */
    private @Nullable Instant goal;

    /** How far the scan had come before this lap: below that, only a lap finds anything. */
    private @Nullable Instant reached;

    private long read;
    private boolean found;
    private boolean resting;
    private int rest;
    private long startAgainAt;

    void startAgain(long cycle) {
      if (resting && cycle >= startAgainAt) {
        reached = position == null ? null : position.watermark();
        position = null;
        goal = null;
        read = 0;
        found = false;
        resting = false;
      }
    }

    void passed(Position entry, boolean canGo, Instant cutoff, long cycle) {
      position = entry;
      if (goal == null) {
        goal = cutoff;
      }
      read++;
      found |= canGo && (reached == null || !entry.watermark().isAfter(reached));
      if (!entry.watermark().isBefore(goal)) {
        complete(cycle);
      }
    }

    void complete(long cycle) {
      if (resting) {
        return;
      }
      resting = true;
      if (read <= SHORT) {
        rest = 0;
        startAgainAt = cycle + 1;
      } else if (found) {
        rest = 0;
        startAgainAt = cycle + NoOpBackoff.FIRST_SKIP + 1;
      } else {
        rest = rest == 0 ? NoOpBackoff.FIRST_SKIP : Math.min(NoOpBackoff.LONGEST_SKIP, rest * 2);
        startAgainAt = cycle + rest + 1;
      }
    }
  }
}

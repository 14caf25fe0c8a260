package dev.tidemark.retention.core.cycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.core.database.Claim;
import dev.tidemark.retention.core.database.CycleLock;
import dev.tidemark.retention.core.database.Drain;
import dev.tidemark.retention.core.database.Drained;
import dev.tidemark.retention.core.database.RetentionDatabase;
import dev.tidemark.retention.core.database.Standing;
import dev.tidemark.retention.core.database.StepFailedException;
import dev.tidemark.retention.core.database.StepResult;
import dev.tidemark.retention.core.database.StepSession;
import dev.tidemark.retention.core.database.TailSession;
import dev.tidemark.retention.core.database.WalkSession;
import dev.tidemark.retention.core.database.WalkSession.Page;
import dev.tidemark.retention.core.plan.DuePartition;
import dev.tidemark.retention.core.plan.Lane;
import dev.tidemark.retention.core.plan.Phase;
import dev.tidemark.retention.core.plan.Position;
import dev.tidemark.retention.core.plan.QueueRule;
import dev.tidemark.retention.core.plan.WorkList;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.NullUnmarked;

/**
 * A database of partitions that hold a number of deletable rows per phase. Every call is written
 * down, in order.
 */
@NullUnmarked
final class FakeDatabase implements RetentionDatabase, CycleLock {
  static final UUID QUEUE = UUID.randomUUID();
  static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");

  /** More than any test needs. */
  private static final int MANY_CALLS = 10_000;

  final List<String> calls = new ArrayList<>();
  final Map<Phase, Map<UUID, Long>> deletable = new EnumMap<>(Phase.class);
  final Map<UUID, RuntimeException> poison = new HashMap<>();
  final Map<Lane, List<DuePartition>> index = new EnumMap<>(Lane.class);
  final Map<UUID, QueueRule> otherQueues = new HashMap<>();
  final Set<UUID> held = new HashSet<>();

  /** Partitions whose steps delete nothing, and cannot say that nothing is left. */
  final Set<UUID> stuck = new HashSet<>();

  final AtomicInteger sessions = new AtomicInteger();
  QueueRule rule =
      new QueueRule(
          QUEUE,
          "q",
          NOW.minusSeconds(60),
          NOW.minusSeconds(30),
          NOW.minusSeconds(900),
          NOW.minusSeconds(120));
  private long made;
  final List<Drain> drains = new ArrayList<>();

  /** A call of the drain that fails as a whole. */
  RuntimeException drainFailure;

  /** What a drain measures its time by. */
  final TestClock clock = new TestClock();

  int stepsACall = Integer.MAX_VALUE;

  boolean busy;
  boolean locked;
  Runnable lockLost;
  Standing.Lease lease = Standing.Lease.HELD;
  QueueRule ruleNow;
  boolean gone;
  final List<Claim> checks = new ArrayList<>();
  final List<Page> pages = new ArrayList<>();
  RuntimeException listFailure;
  RuntimeException cleanupFailure;
  RuntimeException rollUpFailure;
  RuntimeException metricsFailure;
  long deadPartitions;
  long oldHistory;
  long oldMetrics;
  long keptPartitions;
  boolean metricsHeld;
  Consumer<String> onCall = call -> {};
  Consumer<Integer> onCheck = nr -> {};
  Consumer<Integer> onDrain = nr -> {};
  Consumer<Integer> onOpen = nr -> {};
  private int opened;

  /** A partition that is due and holds so many rows: phase 1 by age. */
  UUID due(Phase phase, long rows) {
    return due(Lane.of(phase).get(0), QUEUE, rows);
  }

  /** The next partition of a lane, a microsecond younger than the one before. */
  UUID due(Lane lane, UUID queue, long rows) {
    Instant oldest =
        lane == Lane.CONSUMPTION ? NOW.minusSeconds(60) : NOW.minus(Duration.ofDays(1));
    Instant watermark = oldest.plus(made++, ChronoUnit.MICROS);
    return due(new DuePartition(lane, queue, UUID.randomUUID(), watermark), rows);
  }

  UUID due(DuePartition entry, long rows) {
    index.computeIfAbsent(entry.lane(), l -> new ArrayList<>()).add(entry);
    deletable
        .computeIfAbsent(entry.lane().phase(), p -> new LinkedHashMap<>())
        .put(entry.partitionId(), rows);
    return entry.partitionId();
  }

  /** So many partitions whose head a cursor holds. */
  void held(UUID queue, int partitions) {
    for (int i = 0; i < partitions; i++) {
      held.add(due(Lane.CONSUMPTION, queue, 0));
    }
  }

  UUID queue(String name) {
    UUID id = UUID.randomUUID();
    otherQueues.put(
        id,
        new QueueRule(
            id, name, NOW.minusSeconds(60), NOW.minusSeconds(30), NOW.minusSeconds(900), null));
    return id;
  }

  @Override
  public Optional<Held> tryAcquire(Runnable onLost) {
    if (busy) {
      return Optional.empty();
    }
    locked = true;
    lockLost = onLost;
    return Optional.of(() -> locked = false);
  }

  @Override
  public WorkList workList(int dueCap, int totalCap, Map<UUID, Position> resume) {
    say("list " + dueCap + " " + totalCap);
    if (listFailure != null) {
      throw listFailure;
    }
    Map<UUID, QueueRule> rules = new HashMap<>(otherQueues);
    if (rule != null) {
      rules.put(QUEUE, rule);
    }
    Map<Lane, List<DuePartition>> due = new EnumMap<>(Lane.class);
    for (Lane lane : index.keySet()) {
      List<DuePartition> listed = new ArrayList<>();
      Set<UUID> queues = new LinkedHashSet<>(rules.keySet());
      index.get(lane).forEach(entry -> queues.add(entry.queueId()));
      for (UUID queue : queues) {
        Optional<Position> after =
            lane == Lane.CONSUMPTION ? Optional.ofNullable(resume.get(queue)) : Optional.empty();
        listed.addAll(after(lane, queue, after, dueCap));
      }
      listed.sort(Comparator.comparing(DuePartition::watermark));
      due.put(lane, listed.subList(0, Math.min(totalCap, listed.size())));
    }
    return new WorkList(NOW, rules, due);
  }

  @Override
  public List<DuePartition> duePage(
      Lane lane, QueueRule of, Optional<Position> after, int maxRows) {
    List<DuePartition> page = after(lane, of.queueId(), after, maxRows);
    say("page " + lane + " " + page.size());
    return page;
  }

  private List<DuePartition> after(Lane lane, UUID queue, Optional<Position> after, int maxRows) {
    List<DuePartition> entries = index.getOrDefault(lane, List.of());
    int from = after.map(position -> firstAfter(entries, position.watermark())).orElse(0);
    return entries.subList(from, entries.size()).stream()
        .filter(entry -> entry.queueId().equals(queue))
        .limit(maxRows)
        .toList();
  }

  private static int firstAfter(List<DuePartition> entries, Instant watermark) {
    int low = 0;
    int high = entries.size();
    while (low < high) {
      int middle = (low + high) / 2;
      if (entries.get(middle).watermark().isAfter(watermark)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  @Override
  public Set<UUID> headsThatCanGo(Collection<UUID> partitionIds) {
    say("probe " + partitionIds.size());
    Set<UUID> canGo = new HashSet<>(partitionIds);
    canGo.removeAll(held);
    return canGo;
  }

  @Override
  public StepSession openSteps() {
    onOpen.accept(++opened);
    sessions.incrementAndGet();
    return new StepSession() {
      @Override
      public Standing standing(Claim claim, Collection<UUID> queueIds) {
        return check(claim, queueIds);
      }

      @Override
      public StepResult retention(UUID id, Instant all, Instant completed, int maxRows) {
        return step(Phase.RETENTION, id, maxRows, all + " " + completed);
      }

      @Override
      public StepResult purgeTxns(UUID id, Instant cutoff, int maxRows) {
        return step(Phase.TXNS_PURGE, id, maxRows, String.valueOf(cutoff));
      }

      @Override
      public StepResult evictMaxWait(UUID id, Instant cutoff, int maxRows) {
        return step(Phase.MAX_WAIT, id, maxRows, String.valueOf(cutoff));
      }

      @Override
      public Drained drain(Phase phase, Drain drain) {
        return drained(phase, drain, this);
      }

      @Override
      public void close() {
        sessions.decrementAndGet();
      }
    };
  }

  /** As the database does it, but that it looks at the claim and the rule once a call. */
  private Drained drained(Phase phase, Drain drain, StepSession session) {
    drains.add(drain);
    onDrain.accept(drains.size());
    if (drainFailure != null) {
      throw drainFailure;
    }
    UUID queue = drain.rule().queueId();
    Standing standing = session.standing(drain.claim(), Set.of(queue));
    QueueRule now = standing.rules().get(queue);
    Drained.Stopped stopped =
        switch (standing.lease()) {
          case PAUSED -> Drained.Stopped.PAUSED;
          case LOST -> Drained.Stopped.LOST;
          case HELD ->
              now == null || !now.covers(drain.rule(), phase)
                  ? Drained.Stopped.RULE
                  : Drained.Stopped.NOT;
        };
    Instant until = clock.instant().plus(drain.time());
    List<Drained.Step> steps = new ArrayList<>();
    if (stopped != Drained.Stopped.NOT) {
      return new Drained(stopped, steps);
    }
    for (Drain.Target target : drain.targets()) {
      int rows = target.rows() == 0 ? Math.max(1, drain.bounds().maxRows() / 10) : target.rows();
      for (int batch = 0; batch < drain.bounds().batches() && rows > 0; batch++) {
        boolean over = !clock.instant().isBefore(until);
        if (steps.size() == stepsACall || (over && !steps.isEmpty())) {
          return new Drained(Drained.Stopped.TIME, steps);
        }
        UUID id = target.partitionId();
        try {
          StepResult result = Step.of(phase).run(session, drain.rule(), id, rows);
          rows =
              result.done() || result.deleted() == 0
                  ? 0
                  : Math.min(drain.bounds().maxRows(), rows * 2);
          steps.add(Drained.Step.of(id, result, rows));
        } catch (StepFailedException e) {
          steps.add(Drained.Step.failed(id, e));
          rows = 0;
        }
      }
    }
    return new Drained(Drained.Stopped.NOT, steps);
  }

  private synchronized StepResult step(Phase phase, UUID id, int maxRows, String cutoffs) {
    say(phase + " " + id + " " + maxRows + " " + cutoffs);
    RuntimeException failure = poison.get(id);
    if (failure != null) {
      throw failure;
    }
    if (stuck.contains(id)) {
      return new StepResult(0, 0, OptionalLong.empty(), Optional.empty(), false);
    }
    long rows = deletable.get(phase).getOrDefault(id, 0L);
    long deleted = Math.min(rows, maxRows);
    deletable.get(phase).put(id, rows - deleted);
    Optional<String> type =
        deleted == 0 || phase == Phase.TXNS_PURGE
            ? Optional.empty()
            : Optional.of(phase == Phase.MAX_WAIT ? CycleReport.MAX_WAIT : "retention");
    return new StepResult(deleted, deleted * 10, OptionalLong.of(deleted), type, rows <= maxRows);
  }

  @Override
  public TailSession openTail() {
    sessions.incrementAndGet();
    return new TailSession() {
      @Override
      public Standing standing(Claim claim, Collection<UUID> queueIds) {
        return check(claim, queueIds);
      }

      @Override
      public Cleaned cleanupPartitions(
          Instant cutoff, int maxRows, int maxRead, Optional<Place> after) {
        long passed = after.map(place -> place.lastWriteAt().getEpochSecond()).orElse(0L);
        say("cleanup " + cutoff + " " + maxRows + " of " + maxRead + " after " + passed);
        if (cleanupFailure != null) {
          throw cleanupFailure;
        }
        // What is kept stands before what is dead.
        long kept = Math.min(keptPartitions - passed, maxRead);
        long deleted = Math.min(deadPartitions, Math.min(maxRows, maxRead - kept));
        deadPartitions -= deleted;
        boolean more = kept == maxRead || deleted == maxRows;
        return new Cleaned(
            deleted,
            more
                ? Optional.of(new Place(Instant.ofEpochSecond(passed + kept), QUEUE))
                : Optional.empty());
      }

      @Override
      public RolledUp rollUpHistory(Instant from, Instant cutoff, int maxRows) {
        say("roll-up " + from + " " + cutoff + " " + maxRows);
        if (rollUpFailure != null) {
          throw rollUpFailure;
        }
        long rows = Math.min(oldHistory, maxRows);
        oldHistory -= rows;
        return new RolledUp(rows, from.plusSeconds(rows), rows < maxRows);
      }

      @Override
      public Batch purgeMetrics(Instant cutoff, int maxRows) {
        say("metrics " + cutoff + " " + maxRows);
        if (metricsFailure != null) {
          throw metricsFailure;
        }
        long deleted = metricsHeld ? 0 : Math.min(oldMetrics, maxRows);
        oldMetrics -= deleted;
        return new Batch(deleted, !metricsHeld && deleted < maxRows);
      }

      @Override
      public void close() {
        sessions.decrementAndGet();
      }
    };
  }

  @Override
  public WalkSession openWalk() {
    sessions.incrementAndGet();
    return new WalkSession() {
      @Override
      public Standing standing(Claim claim, Collection<UUID> queueIds) {
        return check(claim, queueIds);
      }

      @Override
      public Page walk(UUID after, int maxRows) {
        say("walk " + after + " " + maxRows);
        return pages.remove(0);
      }

      @Override
      public void close() {
        sessions.decrementAndGet();
      }
    };
  }

  private synchronized Standing check(Claim claim, Collection<UUID> queueIds) {
    checks.add(claim);
    assertThat(checks).as("chunks of a cycle that does not end").hasSizeLessThan(MANY_CALLS);
    onCheck.accept(checks.size());
    QueueRule now = ruleNow == null ? rule : ruleNow;
    return new Standing(lease, queueIds.contains(QUEUE) && !gone ? Map.of(QUEUE, now) : Map.of());
  }

  private void say(String call) {
    calls.add(call);
    assertThat(calls).as("calls of a cycle that does not end").hasSizeLessThan(MANY_CALLS);
    onCall.accept(call);
  }

  List<String> calls(String prefix) {
    return calls.stream().filter(c -> c.startsWith(prefix)).toList();
  }
}

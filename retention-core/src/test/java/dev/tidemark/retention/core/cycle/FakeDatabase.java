package dev.tidemark.retention.core.cycle;

import dev.tidemark.retention.core.database.Claim;
import dev.tidemark.retention.core.database.CycleLock;
import dev.tidemark.retention.core.database.RetentionDatabase;
import dev.tidemark.retention.core.database.Standing;
import dev.tidemark.retention.core.database.StepResult;
import dev.tidemark.retention.core.database.StepSession;
import dev.tidemark.retention.core.database.TailSession;
import dev.tidemark.retention.core.database.WalkSession;
import dev.tidemark.retention.core.database.WalkSession.Page;
import dev.tidemark.retention.core.plan.DuePartition;
import dev.tidemark.retention.core.plan.Phase;
import dev.tidemark.retention.core.plan.QueueRule;
import dev.tidemark.retention.core.plan.WorkList;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
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

  final List<String> calls = new ArrayList<>();
  final Map<Phase, Map<UUID, Long>> deletable = new EnumMap<>(Phase.class);
  final Map<UUID, RuntimeException> poison = new HashMap<>();
  final List<DuePartition> held = new ArrayList<>();
  final AtomicInteger sessions = new AtomicInteger();
  QueueRule rule =
      new QueueRule(
          QUEUE,
          "q",
          NOW.minusSeconds(60),
          NOW.minusSeconds(30),
          NOW.minusSeconds(900),
          NOW.minusSeconds(120));
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
  RuntimeException metricsFailure;
  long deadPartitions;
  long oldMetrics;
  Consumer<String> onCall = call -> {};
  Consumer<Integer> onCheck = nr -> {};

  UUID due(Phase phase, long rows) {
    UUID id = UUID.randomUUID();
    deletable.computeIfAbsent(phase, p -> new LinkedHashMap<>()).put(id, rows);
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
  public WorkList workList(int dueCap, int totalCap) {
    say("list " + dueCap + " " + totalCap);
    if (listFailure != null) {
      throw listFailure;
    }
    Map<Phase, List<DuePartition>> due = new EnumMap<>(Phase.class);
    deletable.forEach(
        (phase, partitions) ->
            due.put(
                phase,
                new ArrayList<>(
                    partitions.keySet().stream()
                        .map(id -> new DuePartition(QUEUE, id, NOW.minus(Duration.ofDays(1)), true))
                        .toList())));
    due.computeIfAbsent(Phase.RETENTION, p -> new ArrayList<>()).addAll(held);
    return new WorkList(NOW, rule == null ? Map.of() : Map.of(QUEUE, rule), due);
  }

  @Override
  public StepSession openSteps() {
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
      public void close() {
        sessions.decrementAndGet();
      }
    };
  }

  private synchronized StepResult step(Phase phase, UUID id, int maxRows, String cutoffs) {
    say(phase + " " + id + " " + maxRows + " " + cutoffs);
    RuntimeException failure = poison.get(id);
    if (failure != null) {
      throw failure;
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
      public Batch cleanupPartitions(Instant cutoff, int maxRows) {
        say("cleanup " + cutoff + " " + maxRows);
        if (cleanupFailure != null) {
          throw cleanupFailure;
        }
        long deleted = Math.min(deadPartitions, maxRows);
        deadPartitions -= deleted;
        return new Batch(deleted, deleted < maxRows);
      }

      @Override
      public Batch purgeMetrics(Instant cutoff, int maxRows) {
        say("metrics " + cutoff + " " + maxRows);
        if (metricsFailure != null) {
          throw metricsFailure;
        }
        long deleted = Math.min(oldMetrics, maxRows);
        oldMetrics -= deleted;
        return new Batch(deleted, deleted < maxRows);
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
    onCheck.accept(checks.size());
    QueueRule now = ruleNow == null ? rule : ruleNow;
    return new Standing(lease, queueIds.contains(QUEUE) && !gone ? Map.of(QUEUE, now) : Map.of());
  }

  private void say(String call) {
    calls.add(call);
    onCall.accept(call);
  }

  List<String> calls(String prefix) {
    return calls.stream().filter(c -> c.startsWith(prefix)).toList();
  }
}

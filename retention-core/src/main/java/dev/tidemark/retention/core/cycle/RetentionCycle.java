package dev.tidemark.retention.core.cycle;

import dev.tidemark.retention.core.database.CycleLock;
import dev.tidemark.retention.core.database.RetentionDatabase;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.core.plan.NoOpBackoff;
import dev.tidemark.retention.core.plan.Phase;
import dev.tidemark.retention.core.plan.QueueRule;
import dev.tidemark.retention.core.plan.WorkList;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * One whole cycle, on request: it knows no schedule. What it remembers between cycles (the backoff,
 * the minute of the cleanup) it keeps in memory, so one instance serves one process. One cycle at a
 * time.
 */
public final class RetentionCycle {
  private final RetentionDatabase database;
  private final CycleLock lock;
  private final Workers workers;
  private final Knobs knobs;
  private final Clock clock;
  private final NoOpBackoff backoff = new NoOpBackoff();
  private final Planner planner;
  private final TailPhases tail;

  /**
   * @param clock may shorten a cycle; it never decides what is deleted
   */
  public RetentionCycle(
      RetentionDatabase database, CycleLock lock, Workers workers, Knobs knobs, Clock clock) {
    this.database = database;
    this.lock = lock;
    this.workers = workers;
    this.knobs = knobs;
    this.clock = clock;
    this.planner = new Planner(database, backoff, knobs);
    this.tail = new TailPhases(knobs, clock);
  }

  /**
   * Runs one cycle, or finds the lock busy.
   *
   * @param permission asked before every call; losing the lock withdraws it too
   * @param progress told after every call, of each step
   * @throws dev.tidemark.retention.core.database.DatabaseException when the database itself failed;
   *     what was committed stays, and the lock is free again
   */
  public CycleOutcome run(Permission permission, Progress progress) {
    Instant begin = clock.instant();
    Optional<CycleLock.Held> held =
        lock.tryAcquire(() -> permission.signal().stop(StopSignal.Reason.LOCK_LOST));
    if (held.isEmpty()) {
      return new CycleOutcome.Busy();
    }
    try (CycleLock.Held until = held.get()) {
      CycleReport report = sweep(permission, begin, new Tally(progress));
      return permission
          .signal()
          .reason()
          .<CycleOutcome>map(reason -> new CycleOutcome.Stopped(report, reason))
          .orElseGet(() -> new CycleOutcome.Swept(report));
    }
  }

  private CycleReport sweep(Permission permission, Instant begin, Tally tally) {
    WorkList list = planner.list();
    // From here: a list that took long must not leave phase 1 without a step, cycle after cycle.
    Limits limits = new Limits(Deadline.in(clock, knobs.cycleBudget()), permission);
    DrainPhase.FanOut fanOut = new DrainPhase.FanOut(workers, knobs.parallelism());
    for (Phase phase : Phase.values()) {
      Limits ofPhase = limits.share(share(phase));
      List<Visit> visits = planner.visits(phase, list, ofPhase.half(), tally);
      List<Visit> left =
          new DrainPhase(database, new Turns(phase, knobs, backoff, tally), tally)
              .run(visits, fanOut, ofPhase);
      planner.drained(phase, visits, left);
    }
    TailPhases.Outcome tailed = tail.run(database::openTail, list.listedAt(), limits, tally);

    List<QueueRule> rules =
        list.rules().values().stream().sorted(Comparator.comparing(QueueRule::queueName)).toList();
    return new CycleReport(
        list.listedAt(),
        rules,
        tally.visits(),
        tally.byQueue(),
        tally.txnsPurged(),
        tailed.partitions(),
        tailed.rollUp(),
        tailed.metrics(),
        planner.scanUnfinished(),
        Duration.between(begin, clock.instant()));
  }

  /** Where a phase has to stop, as a share of the budget: the later ones always get theirs. */
  private static double share(Phase phase) {
    return switch (phase) {
      case RETENTION -> 0.6;
      case TXNS_PURGE -> 0.8;
      case MAX_WAIT -> 0.95;
    };
  }
}

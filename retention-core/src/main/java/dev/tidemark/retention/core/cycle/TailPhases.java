package dev.tidemark.retention.core.cycle;

import dev.tidemark.retention.core.database.StepFailedException;
import dev.tidemark.retention.core.database.TailSession;
import dev.tidemark.retention.core.knob.Knobs;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Phases 4 and 5, serial on one connection. The cleanup runs at most once a minute: its scan
 * follows the number of partitions, and its window is measured in days. Phase 5 first rolls old
 * history up into minute totals, in half of the time that is left, then purges. A failure of either
 * is logged, at most once a minute, and the cycle still succeeds.
 *
 * <p>Each half of phase 5 goes on past the end of the budget until it has taken as many rows as
 * this cycle wrote. Otherwise cycles that use their budget up would write history faster than they
 * remove it.
 */
final class TailPhases {
  private static final Logger LOG = LoggerFactory.getLogger("retention");
  private static final Duration CLEANUP_PERIOD = Duration.ofMinutes(1);
  private static final Duration ERROR_PERIOD = Duration.ofMinutes(1);

  private final Knobs knobs;
  private final HistoryRollUp rollUp;
  private final Every cleanup;
  private final CleanupLap lap = new CleanupLap();
  private final Every rollUpError;
  private final Every purgeError;

  TailPhases(Knobs knobs, Clock clock) {
    this.knobs = knobs;
    this.rollUp = new HistoryRollUp(knobs, clock);
    this.cleanup = new Every(CLEANUP_PERIOD, clock);
    this.rollUpError = new Every(ERROR_PERIOD, clock);
    this.purgeError = new Every(ERROR_PERIOD, clock);
  }

  /** What the two phases did. */
  record Outcome(long partitions, CycleReport.RollUp rollUp, CycleReport.MetricsPurge metrics) {}

  Outcome run(Supplier<TailSession> open, Instant listedAt, Limits limits, Tally tally) {
    if (limits.permission().withdrawn()) {
      return new Outcome(0, new CycleReport.RollUp(0, ""), new CycleReport.MetricsPurge(0, ""));
    }
    try (TailSession session = open.get()) {
      long partitions = 0;
      if (knobs.cleanupEnabled() && cleanup.isDue()) {
        Instant cutoff = listedAt.minus(knobs.cleanupAfter());
        Drained cleaned =
            drain(session, limits, 0, () -> lap.next(session, cutoff, knobs.batchSize()));
        cleaned.failure().ifPresent(e -> tally.failed("partition cleanup", e));
        partitions = cleaned.rows();
      }
      Drained rolledUp = Drained.NOTHING;
      if (rollUp.begin(listedAt)) {
        rolledUp =
            drain(
                session, limits.half(), tally.historyRows(), () -> rollUp.batch(session, listedAt));
        warn("history roll-up", rollUpError, rolledUp);
      }
      Instant cutoff = listedAt.minus(knobs.metricsKept());
      Drained purged =
          drain(
              session,
              limits,
              tally.historyRows() + partitions,
              () -> session.purgeMetrics(cutoff, knobs.batchSize()));
      warn("metrics purge", purgeError, purged);
      return new Outcome(
          partitions,
          new CycleReport.RollUp(rolledUp.rows(), rolledUp.message()),
          new CycleReport.MetricsPurge(purged.rows(), purged.message()));
    }
  }

  /**
   * Parts until the last one, each asked for like a chunk: at least one, and at least so many rows,
   * whatever the time.
   */
  private static Drained drain(
      TailSession session, Limits limits, long atLeast, Supplier<? extends TailSession.Part> next) {
    long rows = 0;
    try {
      boolean more = true;
      while (more && limits.permission().granted(session)) {
        TailSession.Part part = next.get();
        rows += part.rows();
        more = part.goesOn() && (rows < atLeast || limits.allow());
      }
      return new Drained(rows, Optional.empty());
    } catch (StepFailedException e) {
      return new Drained(rows, Optional.of(e));
    }
  }

  private static void warn(String what, Every period, Drained drained) {
    drained
        .failure()
        .filter(e -> period.isDue())
        .ifPresent(
            e ->
                LOG.warn("{} failed sqlstate={} error=\"{}\"", what, e.sqlState(), e.getMessage()));
  }

  /** What was done, also when a batch failed after others had committed. */
  private record Drained(long rows, Optional<StepFailedException> failure) {
    static final Drained NOTHING = new Drained(0, Optional.empty());

    String message() {
      return failure.map(e -> e.sqlState() + " " + e.getMessage()).orElse("");
    }
  }
}

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
 * follows the number of partitions, and its window is measured in days. A failing metrics purge is
 * logged, at most once a minute, and the cycle still succeeds.
 */
final class TailPhases {
  private static final Logger LOG = LoggerFactory.getLogger("retention");
  private static final Duration CLEANUP_PERIOD = Duration.ofMinutes(1);
  private static final Duration ERROR_PERIOD = Duration.ofMinutes(1);

  private final Knobs knobs;
  private final Every cleanup;
  private final CleanupLap lap = new CleanupLap();
  private final Every purgeError;

  TailPhases(Knobs knobs, Clock clock) {
    this.knobs = knobs;
    this.cleanup = new Every(CLEANUP_PERIOD, clock);
    this.purgeError = new Every(ERROR_PERIOD, clock);
  }

  /** What the two phases deleted; {@code metricsError} is empty when the purge went well. */
  record Outcome(long partitions, long metricsRows, String metricsError) {}

  Outcome run(Supplier<TailSession> open, Instant listedAt, Limits limits, Tally tally) {
    if (limits.permission().withdrawn()) {
      return new Outcome(0, 0, "");
    }
    try (TailSession session = open.get()) {
      long partitions = 0;
      if (knobs.cleanupEnabled() && cleanup.isDue()) {
        Instant cutoff = listedAt.minus(knobs.cleanupAfter());
        Drained cleaned =
            drain(session, limits, () -> lap.next(session, cutoff, knobs.batchSize()));
        cleaned.failure().ifPresent(e -> tally.failed("partition cleanup", e));
        partitions = cleaned.deleted();
      }
      Instant cutoff = listedAt.minus(knobs.metricsKept());
      Drained purged =
          drain(session, limits, () -> session.purgeMetrics(cutoff, knobs.batchSize()));
      purged.failure().filter(e -> purgeError.isDue()).ifPresent(TailPhases::warn);
      return new Outcome(
          partitions, purged.deleted(), purged.failure().map(TailPhases::message).orElse(""));
    }
  }

  /** Parts until the last one, each asked for like a chunk; at least one, whatever the time. */
  private static Drained drain(
      TailSession session, Limits limits, Supplier<? extends TailSession.Part> next) {
    long deleted = 0;
    try {
      boolean more = true;
      while (more && limits.permission().granted(session)) {
        TailSession.Part part = next.get();
        deleted += part.deleted();
        more = part.goesOn() && limits.allow();
      }
      return new Drained(deleted, Optional.empty());
    } catch (StepFailedException e) {
      return new Drained(deleted, Optional.of(e));
    }
  }

  private static void warn(StepFailedException e) {
    LOG.warn("metrics purge failed sqlstate={} error=\"{}\"", e.sqlState(), e.getMessage());
  }

  private static String message(StepFailedException e) {
    return e.sqlState() + " " + e.getMessage();
  }

  /** What went, also when a batch failed after others had committed. */
  private record Drained(long deleted, Optional<StepFailedException> failure) {}
}

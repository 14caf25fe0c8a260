package dev.tidemark.retention.core.cycle;

import dev.tidemark.retention.core.database.DatabaseException;
import dev.tidemark.retention.core.database.StepFailedException;
import dev.tidemark.retention.core.database.TailSession;
import dev.tidemark.retention.core.knob.Knobs;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
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
  private final Every purgeError;

  TailPhases(Knobs knobs, Clock clock) {
    this.knobs = knobs;
    this.cleanup = new Every(CLEANUP_PERIOD, clock);
    this.purgeError = new Every(ERROR_PERIOD, clock);
  }

  /** What the two phases deleted; {@code metricsError} is empty when the purge went well. */
  record Outcome(long partitions, long metricsRows, String metricsError) {}

  Outcome run(Supplier<TailSession> open, Instant listedAt, Deadline deadline, Tally tally) {
    try (TailSession session = open.get()) {
      long partitions = 0;
      if (knobs.cleanupEnabled() && cleanup.isDue()) {
        partitions = cleanup(session, listedAt.minus(knobs.cleanupAfter()), deadline, tally);
      }
      Drained metrics = metrics(session, listedAt.minus(knobs.metricsKept()), deadline);
      return new Outcome(partitions, metrics.deleted(), metrics.error());
    }
  }

  private long cleanup(TailSession session, Instant cutoff, Deadline deadline, Tally tally) {
    long deleted = 0;
    try {
      TailSession.Batch batch;
      do {
        batch = session.cleanupPartitions(cutoff, knobs.batchSize());
        deleted += batch.deleted();
      } while (!batch.done() && batch.deleted() > 0 && !deadline.passed());
    } catch (StepFailedException e) {
      tally.failed("partition cleanup", e);
    }
    return deleted;
  }

  private Drained metrics(TailSession session, Instant cutoff, Deadline deadline) {
    long deleted = 0;
    try {
      TailSession.Batch batch;
      do {
        batch = session.purgeMetrics(cutoff, knobs.batchSize());
        deleted += batch.deleted();
      } while (!batch.done() && batch.deleted() > 0 && !deadline.passed());
      return new Drained(deleted, "");
    } catch (StepFailedException e) {
      if (purgeError.isDue()) {
        LOG.warn("metrics purge failed sqlstate={} error=\"{}\"", e.sqlState(), e.getMessage());
      }
      return new Drained(deleted, message(e));
    }
  }

  private static String message(DatabaseException e) {
    return e.sqlState() + " " + e.getMessage();
  }

  private record Drained(long deleted, String error) {}
}

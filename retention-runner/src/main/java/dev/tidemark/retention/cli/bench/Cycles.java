package dev.tidemark.retention.cli.bench;

import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.cycle.CycleReport;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.runner.RetentionService;

/**
 * The runner as a broker embeds it, on a pool, one cycle after the other. A new one each time has
 * nothing backed off and owes its first cleanup scan.
 */
final class Cycles implements AutoCloseable {
  private static final double NANOS = 1e9;

  private final RetentionService service;

  Cycles(BenchDatabase database, Knobs knobs) {
    this.service = RetentionService.on(database.dataSource()).knobs(knobs).build();
  }

  /** The defaults, with room in the work list for so many partitions. */
  static Knobs knobs(int due) {
    return Knobs.defaults()
        .with(Knob.DUE_CAP, String.valueOf(Math.max(due, Knobs.defaults().dueCap())));
  }

  /** Seconds that cycles take, one or as many as it needs, until so many segments are gone. */
  static double secondsToDelete(BenchDatabase database, Knobs knobs, long segments) {
    try (Cycles cycles = new Cycles(database, knobs)) {
      long start = System.nanoTime();
      long gone = 0;
      while (gone < segments) {
        long deleted = cycles.run().segmentsDeleted();
        if (deleted == 0) {
          throw new IllegalStateException(
              "a cycle deleted nothing with " + (segments - gone) + " segments to delete");
        }
        gone += deleted;
      }
      return seconds(start);
    }
  }

  /** {@link #secondsToDelete}, as segments a second. */
  static double segmentsPerSecond(BenchDatabase database, Knobs knobs, long segments) {
    return segments / secondsToDelete(database, knobs, segments);
  }

  /** One cycle; it must have done what is measured and nothing else. */
  CycleReport run() {
    if (service.runOnce() instanceof CycleOutcome.Swept swept) {
      return undisturbed(swept.report());
    }
    throw new IllegalStateException("a cycle did not run, though no other runs here");
  }

  /** What failed is missing from the time, and what was not loaded is in it. */
  static CycleReport undisturbed(CycleReport report) {
    if (report.visits().failed() > 0
        || !report.rollUp().error().isEmpty()
        || !report.metrics().error().isEmpty()) {
      throw new IllegalStateException("a part of a cycle failed: " + report);
    }
    if (report.txnsPurged() + report.partitionsDeleted() + report.metrics().rows() > 0) {
      throw new IllegalStateException("a cycle found more to do than was loaded: " + report);
    }
    return report;
  }

  static double seconds(long startNanos) {
    return (System.nanoTime() - startNanos) / NANOS;
  }

  @Override
  public void close() {
    service.close();
  }
}

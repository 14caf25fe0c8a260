package dev.tidemark.retention.core.cycle;

import dev.tidemark.retention.core.database.TailSession;
import dev.tidemark.retention.core.knob.Knobs;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * Where the roll-up of the history stands. It goes on where the batch before it ended: from the
 * oldest row, every batch would walk over all that was rolled up and not yet vacuumed away, which a
 * snapshot held open elsewhere can make millions. Once an hour it begins at the oldest row again,
 * for what somebody held and what came late.
 */
final class HistoryRollUp {
  private static final Duration LAP = Duration.ofHours(1);

  private final Knobs knobs;
  private final Every lap;
  private Instant from = Instant.MIN;

  HistoryRollUp(Knobs knobs, Clock clock) {
    this.knobs = knobs;
    this.lap = new Every(LAP, clock);
  }

  /**
   * Begins a cycle's part. What the purge takes anyway is not rolled up before.
   *
   * @return whether the history is kept for longer than its detail
   */
  boolean begin(Instant listedAt) {
    Instant oldest = listedAt.minus(knobs.metricsKept());
    if (lap.isDue() || from.isBefore(oldest)) {
      from = oldest;
    }
    return knobs.historyDetail().compareTo(knobs.metricsKept()) < 0;
  }

  TailSession.RolledUp batch(TailSession session, Instant listedAt) {
    Instant cutoff = listedAt.minus(knobs.historyDetail());
    TailSession.RolledUp rolledUp = session.rollUpHistory(from, cutoff, knobs.batchSize());
    from = rolledUp.lastAt();
    return rolledUp;
  }
}

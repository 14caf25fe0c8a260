package dev.tidemark.retention.core.plan;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Why a partition is due. Each lane is one range of a watermark index, read oldest first; phase 1
 * has two, because only one of them can be told from the watermark alone.
 */
public enum Lane {
  /** Past rule 1's cutoff: a step finds something, whatever the cursors say. */
  AGE(Phase.RETENTION, false),
  /** Past rule 2's cutoff alone: a step finds something if every group is through with the head. */
  CONSUMPTION(Phase.RETENTION, true),
  /** The hash sidecar is past its cutoff. */
  SIDECAR(Phase.TXNS_PURGE, false),
  /** Past the max wait. */
  WAIT(Phase.MAX_WAIT, false);

  private final Phase phase;
  private final boolean byConsumption;

  Lane(Phase phase, boolean byConsumption) {
    this.phase = phase;
    this.byConsumption = byConsumption;
  }

  public Phase phase() {
    return phase;
  }

  /** As the work list names it: a phase's number, and whether the cursors decide. */
  public static Lane of(int phase, boolean byConsumption) {
    return Arrays.stream(values())
        .filter(l -> l.phase.number() == phase && l.byConsumption == byConsumption)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "phase " + phase + " has no lane by consumption=" + byConsumption));
  }

  /** The lanes of a phase, in the order in which their partitions grow younger. */
  public static List<Lane> of(Phase phase) {
    return Arrays.stream(values()).filter(l -> l.phase == phase).toList();
  }

  /** The watermarks that are due by this rule; empty when the lane is off. */
  public Optional<Range> range(QueueRule rule) {
    return switch (this) {
      case AGE -> range(null, rule.allCutoff());
      case CONSUMPTION -> range(rule.allCutoff(), rule.completedCutoff());
      case SIDECAR -> range(null, rule.txnsCutoff());
      case WAIT -> range(null, rule.maxWaitCutoff());
    };
  }

  private static Optional<Range> range(@Nullable Instant from, @Nullable Instant cutoff) {
    return cutoff == null || (from != null && !from.isBefore(cutoff))
        ? Optional.empty()
        : Optional.of(new Range(Optional.ofNullable(from), cutoff));
  }

  /** {@code from <= watermark < cutoff}; without {@code from}, from the oldest on. */
  public record Range(Optional<Instant> from, Instant cutoff) {}
}

package dev.tidemark.retention.core.cycle;

import java.time.Duration;
import java.util.Optional;

/**
 * What a watermark walk did.
 *
 * @param scanned partitions read
 * @param repaired partitions whose watermarks had drifted, or were never filled
 * @param held drifted partitions that others had locked: above 0, walk again
 * @param stopped why it stopped before the last partition; empty = it saw all
 * @param elapsed by the JVM's clock
 */
public record WalkReport(
    long scanned, long repaired, long held, Optional<StopSignal.Reason> stopped, Duration elapsed) {
  /** Whether every partition's watermarks are known to be right. */
  public boolean complete() {
    return stopped.isEmpty() && held == 0;
  }
}

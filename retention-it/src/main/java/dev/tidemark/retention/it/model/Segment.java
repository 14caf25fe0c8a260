package dev.tidemark.retention.it.model;

import java.time.Duration;
import java.time.Instant;

/** A live segment: offsets [base, end]. */
public record Segment(long base, long end, Instant createdAt) {
  public long messages() {
    return end - base + 1;
  }

  Segment aged(Duration by) {
    return new Segment(base, end, createdAt.minus(by));
  }
}

package dev.tidemark.retention.it.model;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A live segment: offsets [base, end], and the words that its blob holds. */
public record Segment(long base, long end, Instant createdAt, List<String> words) {
  public long messages() {
    return end - base + 1;
  }

  Segment aged(Duration by) {
    return new Segment(base, end, createdAt.minus(by), words);
  }
}

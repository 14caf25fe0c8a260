package dev.tidemark.retention.it.model;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A sidecar row: offsets [base, end], and the words that stand for its messages' hashes. */
public record Hashes(long base, long end, Instant createdAt, List<String> words) {
  Hashes aged(Duration by) {
    return new Hashes(base, end, createdAt.minus(by), words);
  }
}

package dev.tidemark.retention.it.suite;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What became of one law.
 *
 * @param law {@code Class.method}
 * @param broken why it does not hold; null when it does, or was skipped
 * @param skipped why it was not tried; null when it was
 */
public record Verdict(
    String law, Duration took, @Nullable Throwable broken, @Nullable String skipped) {
  public boolean holds() {
    return broken == null && skipped == null;
  }
}

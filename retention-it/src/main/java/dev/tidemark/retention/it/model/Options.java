package dev.tidemark.retention.it.model;

import java.time.Instant;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A queue's policy. */
public record Options(SortedMap<String, Object> values) {
  public static final Options DEFAULTS =
      new Options(
          new TreeMap<>(
              Map.of(
                  "retentionEnabled", false,
                  "retentionSeconds", 0,
                  "completedRetentionSeconds", 0,
                  "maxWaitTimeSeconds", 0,
                  "dedupWindowSeconds", 3600,
                  "leaseTime", 300,
                  "retryLimit", 3)));

  /** An absent key keeps its value, null restores the default. */
  Options merged(Map<String, @Nullable Object> edit) {
    SortedMap<String, Object> merged = new TreeMap<>(values);
    edit.forEach(
        (key, value) -> {
          Object effective = value == null ? DEFAULTS.values.get(key) : value;
          if (effective != null) {
            merged.put(key, effective);
          }
        });
    return new Options(merged);
  }

  int seconds(String key) {
    return values.get(key) instanceof Integer seconds ? seconds : 0;
  }

  private boolean enabled() {
    return Boolean.TRUE.equals(values.get("retentionEnabled"));
  }

  /** Rule 1's cutoff; null = off. */
  public @Nullable Instant all(Instant now) {
    return enabled() ? window(now, "retentionSeconds") : null;
  }

  /** Rule 2's. */
  public @Nullable Instant completed(Instant now) {
    return enabled() ? window(now, "completedRetentionSeconds") : null;
  }

  /** Rule 3's: it does not ask whether retention is enabled. */
  public @Nullable Instant maxWait(Instant now) {
    return window(now, "maxWaitTimeSeconds");
  }

  /** The sidecar's: never off. */
  public Instant hashes(Instant now) {
    int longest = Math.max(seconds("dedupWindowSeconds"), seconds("completedRetentionSeconds"));
    return now.minusSeconds(Math.max(longest, 900));
  }

  private @Nullable Instant window(Instant now, String key) {
    return seconds(key) == 0 ? null : now.minusSeconds(seconds(key));
  }
}

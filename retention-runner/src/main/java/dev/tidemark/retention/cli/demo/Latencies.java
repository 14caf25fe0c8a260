package dev.tidemark.retention.cli.demo;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * How long calls took, from call to answer, by name. Recorded by many threads and read at any time;
 * three significant digits, and nothing longer than a minute is told apart.
 */
final class Latencies {
  /** Pushes of one segment, over all queues. */
  static final String SINGLE = "single push";

  /** Pushes of several segments in one transaction. */
  static final String MULTI = "multi push";

  private static final long LONGEST_MICROS = TimeUnit.MINUTES.toMicros(1);
  private static final int DIGITS = 3;
  private static final double MICROS_A_MILLI = 1000;

  private final ConcurrentMap<String, ConcurrentHistogram> byName = new ConcurrentHashMap<>();

  /**
   * What one name has so far.
   *
   * @param count calls; 0 = the times say nothing
   */
  public record Quantiles(long count, double p50Ms, double p99Ms, double maxMs) {}

  void record(String name, long nanos) {
    byName
        .computeIfAbsent(name, n -> new ConcurrentHistogram(LONGEST_MICROS, DIGITS))
        .recordValue(Math.min(LONGEST_MICROS, TimeUnit.NANOSECONDS.toMicros(nanos)));
  }

  Quantiles of(String name) {
    ConcurrentHistogram live = byName.get(name);
    if (live == null) {
      return new Quantiles(0, 0, 0, 0);
    }
    ConcurrentHistogram h = live.copy();
    return new Quantiles(
        h.getTotalCount(),
        h.getValueAtPercentile(50) / MICROS_A_MILLI,
        h.getValueAtPercentile(99) / MICROS_A_MILLI,
        h.getMaxValue() / MICROS_A_MILLI);
  }
}

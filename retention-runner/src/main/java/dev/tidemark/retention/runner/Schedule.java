package dev.tidemark.retention.runner;

import java.time.Duration;

/**
 * The times of a scheduled task, all from its period.
 *
 * @param period the cadence over all replicas
 * @param poll how often a replica asks whether the task is due: a tenth of the period
 * @param lease how long a claim lasts unless renewed: twice the period
 */
record Schedule(Duration period, Duration poll, Duration lease) {
  private static final Duration SHORTEST_POLL = Duration.ofMillis(500);
  private static final Duration LONGEST_POLL = Duration.ofSeconds(60);

  static Schedule of(Duration period, LeaseBounds bounds) {
    return new Schedule(
        period,
        within(SHORTEST_POLL, period.dividedBy(10), LONGEST_POLL),
        within(bounds.shortest(), period.multipliedBy(2), bounds.longest()));
  }

  /** A claim or a lock is shown to be alive this often. */
  Duration heartbeat() {
    return lease.dividedBy(3);
  }

  private static Duration within(Duration least, Duration wanted, Duration most) {
    if (wanted.compareTo(least) < 0) {
      return least;
    }
    return wanted.compareTo(most) > 0 ? most : wanted;
  }

  /** The shortest and the longest lease. */
  record LeaseBounds(Duration shortest, Duration longest) {
    static final LeaseBounds DEFAULT =
        new LeaseBounds(Duration.ofSeconds(60), Duration.ofMinutes(30));

    LeaseBounds {
      if (shortest.toMillis() < 1 || shortest.compareTo(longest) > 0) {
        throw new IllegalArgumentException(
            "lease bounds: must be at least 1 ms and in order, not " + shortest + " .. " + longest);
      }
    }
  }
}

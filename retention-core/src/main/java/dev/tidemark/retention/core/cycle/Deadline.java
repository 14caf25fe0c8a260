package dev.tidemark.retention.core.cycle;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * The soft end of a piece of work, by the JVM's clock: it may end a cycle early, it never decides
 * what is deleted.
 *
 * @param clock what passed since it was made is read from here
 */
record Deadline(Clock clock, Instant begin, Instant end) {
  static Deadline in(Clock clock, Duration budget) {
    Instant now = clock.instant();
    return new Deadline(clock, now, now.plus(budget));
  }

  /** A deadline at this share of the budget, counted from the same beginning. */
  Deadline share(double share) {
    long nanos = (long) (Duration.between(begin, end).toNanos() * share);
    return new Deadline(clock, begin, begin.plusNanos(nanos));
  }

  boolean passed() {
    return !clock.instant().isBefore(end);
  }

  Duration elapsed() {
    return Duration.between(begin, clock.instant());
  }
}

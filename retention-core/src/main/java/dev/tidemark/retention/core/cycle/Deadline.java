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
public record Deadline(Clock clock, Instant begin, Instant end) {
  public static Deadline in(Clock clock, Duration budget) {
    Instant now = clock.instant();
    return new Deadline(clock, now, now.plus(budget));
  }

  /** A deadline at this share of the budget, counted from the same beginning. */
  Deadline share(double share) {
    long nanos = (long) (Duration.between(begin, end).toNanos() * share);
    return new Deadline(clock, begin, begin.plusNanos(nanos));
  }

  /** This deadline, or the time that is {@code budget} from now if that comes first. */
  public Deadline earlier(Duration budget) {
    Instant other = clock.instant().plus(budget);
    return other.isBefore(end) ? new Deadline(clock, begin, other) : this;
  }

  /** A deadline at the middle of what is left. */
  Deadline half() {
    Instant now = clock.instant();
    return new Deadline(clock, begin, now.plus(Duration.between(now, end).dividedBy(2)));
  }

  /** What is left of it; zero when it has passed. */
  public Duration left() {
    return passed() ? Duration.ZERO : Duration.between(clock.instant(), end);
  }

  /** Also when the clock was set back behind the beginning: a jump may shorten, never lengthen. */
  public boolean passed() {
    Instant now = clock.instant();
    return !now.isBefore(end) || now.isBefore(begin);
  }
}

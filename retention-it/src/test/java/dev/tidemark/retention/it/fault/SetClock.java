package dev.tidemark.retention.it.fault;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** The clock of a JVM that somebody sets. */
final class SetClock extends Clock {
  private final Clock right = Clock.systemUTC();
  private volatile Duration off;

  SetClock(Duration off) {
    this.off = off;
  }

  void set(Duration off) {
    this.off = off;
  }

  @Override
  public Instant instant() {
    return right.instant().plus(off);
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }
}

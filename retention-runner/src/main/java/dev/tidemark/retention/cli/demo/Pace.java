package dev.tidemark.retention.cli.demo;

import java.util.concurrent.TimeUnit;

/** So many times a second. Who falls behind by more than a second does not catch up. */
final class Pace {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final long interval;
  private long next = System.nanoTime();

  Pace(int timesASecond) {
    this.interval = SECOND / timesASecond;
  }

  /** Waits for the next time; false when it is time to stop. */
  boolean next(Stop stop) throws InterruptedException {
    next = Math.max(next + interval, System.nanoTime() - SECOND);
    return stop.pauseUntil(next);
  }
}

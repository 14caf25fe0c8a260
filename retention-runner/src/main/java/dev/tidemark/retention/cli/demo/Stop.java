package dev.tidemark.retention.cli.demo;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Ends a group of threads between two pieces of work, also while they wait for the next one. */
final class Stop {
  private final CountDownLatch requested = new CountDownLatch(1);

  void request() {
    requested.countDown();
  }

  boolean requested() {
    return requested.getCount() == 0;
  }

  /** Waits until then by {@link System#nanoTime()}; false when it is time to stop instead. */
  boolean pauseUntil(long nanoTime) throws InterruptedException {
    long left = nanoTime - System.nanoTime();
    return left > 0 ? !requested.await(left, TimeUnit.NANOSECONDS) : !requested();
  }
}

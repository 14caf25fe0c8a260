package dev.tidemark.retention.runner;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** Threads that never keep a process alive, and how they end. */
final class Threads {
  private Threads() {}

  static ThreadFactory daemon(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }

  /**
   * Ends a timer and waits for the run in flight. An interrupt does not end the wait; it is kept
   * for the caller.
   */
  static void stop(ExecutorService timer) {
    timer.shutdown();
    uninterruptibly(() -> timer.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS));
  }

  static void join(Thread thread) {
    uninterruptibly(thread::join);
  }

  private static void uninterruptibly(Wait wait) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          wait.await();
          return;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private interface Wait {
    void await() throws InterruptedException;
  }
}

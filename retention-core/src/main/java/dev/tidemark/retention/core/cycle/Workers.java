package dev.tidemark.retention.core.cycle;

/** Runs the step workers of a phase side by side. */
public interface Workers {
  /**
   * Runs {@code worker} once on each of {@code width} threads and returns when all have ended. If
   * any threw, the first failure is thrown after all have ended.
   */
  void run(int width, Runnable worker);
}

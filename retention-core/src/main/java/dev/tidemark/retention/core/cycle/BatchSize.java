package dev.tidemark.retention.core.cycle;

/**
 * The rows of a partition's next step: a tenth of the most at first, doubled after every full
 * batch.
 */
final class BatchSize {
  private final int most;
  private int next;
  private boolean grown;

  BatchSize(int most) {
    this.most = most;
    this.next = Math.max(1, most / 10);
  }

  int next() {
    return next;
  }

  /** Whether a full batch has gone. */
  boolean grown() {
    return grown;
  }

  void full() {
    grown = true;
    next = (int) Math.min(most, next * 2L);
  }
}

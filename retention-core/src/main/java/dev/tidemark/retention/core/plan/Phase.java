package dev.tidemark.retention.core.plan;

/**
 * The phases that visit partitions. (Phase 4, the cleanup, and phase 5, the metrics purge, choose
 * their own rows.)
 */
public enum Phase {
  /** Rules 1 and 2: age, and age with consumption. */
  RETENTION(1),
  /** The hash sidecar. */
  TXNS_PURGE(2),
  /** Eviction of what has waited too long, consumed or not. */
  MAX_WAIT(3);

  private final int number;

  Phase(int number) {
    this.number = number;
  }

  /** The number the work list uses. */
  public int number() {
    return number;
  }
}

package dev.tidemark.retention.core.cycle;

/** How a cycle ended. */
public sealed interface CycleOutcome {
  /** It ran. */
  record Swept(CycleReport report) implements CycleOutcome {}

  /** Another writer holds the lock: nothing was done, and the period counts as served. */
  record Busy() implements CycleOutcome {}
}

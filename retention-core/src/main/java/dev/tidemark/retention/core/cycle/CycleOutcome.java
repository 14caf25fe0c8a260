package dev.tidemark.retention.core.cycle;

/** How a cycle ended. */
public sealed interface CycleOutcome {
  /** It ran to its end, or to the end of its budget. */
  record Swept(CycleReport report) implements CycleOutcome {}

  /** It had to stop before; what was committed stays. */
  record Stopped(CycleReport report, StopSignal.Reason reason) implements CycleOutcome {}

  /** Another writer holds the lock: nothing was done, and the period counts as served. */
  record Busy() implements CycleOutcome {}
}

package dev.tidemark.retention.core.database;

import java.util.Optional;

/**
 * What one run of a policy did, and why it ended.
 *
 * @param skipped rows that somebody held at the last batch
 * @param failure of its table; what was deleted before stays deleted
 */
public record TableRun(
    long deleted, long archived, long skipped, End end, Optional<StepFailedException> failure) {

  /** Why a run began no further batch. */
  public enum End {
    /** Nothing outside the window is left. */
    DONE,
    /** Its time was over; there is more. */
    TIME,
    /** What is left cannot go now: somebody holds it, or a trigger keeps it. */
    STUCK,
    /** A replica lags, or a vacuum of the table is at work: it waited to the end of its time. */
    THROTTLED,
    /** Somebody else runs this policy. */
    BUSY,
    /** It was disabled, or removed. */
    DISABLED,
    /** The task was paused. */
    PAUSED,
    /** Somebody else has the task. */
    LOST,
    /** See {@link TableRun#failure}. */
    FAILED
  }
}

package dev.tidemark.retention.core.database;

import org.jspecify.annotations.Nullable;

/**
 * A lock or a statement took longer than its patience, or an operator cancelled it. Nothing was
 * changed; trying later may work.
 */
public final class TimedOutException extends StepFailedException {
  public TimedOutException(String message, String sqlState, @Nullable Throwable cause) {
    super(message, sqlState, cause);
  }
}

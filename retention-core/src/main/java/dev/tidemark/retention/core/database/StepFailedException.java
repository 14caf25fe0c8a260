package dev.tidemark.retention.core.database;

import org.jspecify.annotations.Nullable;

/**
 * One statement failed for a reason of its own: the partition is skipped, everything else is
 * served.
 */
public class StepFailedException extends DatabaseException {
  public StepFailedException(String message, String sqlState, @Nullable Throwable cause) {
    super(message, sqlState, cause);
  }
}

package dev.tidemark.retention.core.database;

import org.jspecify.annotations.Nullable;

/**
 * Every call would fail the same way: the schema or a privilege is missing, the isolation level is
 * wrong, foreign keys are off, or the server is read-only. It ends the cycle.
 */
public final class UnfitSessionException extends DatabaseException {
  public UnfitSessionException(String message, String sqlState, @Nullable Throwable cause) {
    super(message, sqlState, cause);
  }
}

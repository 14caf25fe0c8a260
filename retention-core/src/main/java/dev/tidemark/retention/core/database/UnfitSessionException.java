package dev.tidemark.retention.core.database;

import org.jspecify.annotations.Nullable;

/**
 * Every call in this session would fail the same way: the isolation level is wrong, foreign keys
 * are off, the server is read-only, or the login was refused. It ends the cycle.
 */
public final class UnfitSessionException extends DatabaseException {
  public UnfitSessionException(String message, String sqlState, @Nullable Throwable cause) {
    super(message, sqlState, cause);
  }
}

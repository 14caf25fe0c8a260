package dev.tidemark.retention.core.database;

import org.jspecify.annotations.Nullable;

/**
 * The server cannot be reached, is shutting down, or has no connection left. It ends the cycle; the
 * next one tries again.
 */
public final class DatabaseUnavailableException extends DatabaseException {
  public DatabaseUnavailableException(String message, String sqlState, @Nullable Throwable cause) {
    super(message, sqlState, cause);
  }
}

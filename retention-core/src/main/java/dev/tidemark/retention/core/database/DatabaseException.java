package dev.tidemark.retention.core.database;

import org.jspecify.annotations.Nullable;

/**
 * Anything a database call can end with. The SQLSTATE is mapped to one of the subclasses in one
 * place, in retention-sql.
 */
public abstract class DatabaseException extends RuntimeException {
  private final String sqlState;

  protected DatabaseException(String message, String sqlState, @Nullable Throwable cause) {
    super(message, cause);
    this.sqlState = sqlState;
  }

  /** Five characters, as the server or the driver gave it. */
  public final String sqlState() {
    return sqlState;
  }
}

package dev.tidemark.retention.core.database;

import org.jspecify.annotations.Nullable;

/** A function refused an argument; the message names it and says what is allowed. */
public final class InvalidArgumentException extends StepFailedException {
  public InvalidArgumentException(String message, String sqlState, @Nullable Throwable cause) {
    super(message, sqlState, cause);
  }
}

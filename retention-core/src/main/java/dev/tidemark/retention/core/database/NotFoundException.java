package dev.tidemark.retention.core.database;

import org.jspecify.annotations.Nullable;

/** The queue or the partition that was named does not exist. */
public final class NotFoundException extends StepFailedException {
  public NotFoundException(String message, String sqlState, @Nullable Throwable cause) {
    super(message, sqlState, cause);
  }
}

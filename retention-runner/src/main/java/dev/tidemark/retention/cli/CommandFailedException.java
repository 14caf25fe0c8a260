package dev.tidemark.retention.cli;

import org.jspecify.annotations.Nullable;

/** A command that could not do its work. The message is for the terminal. */
final class CommandFailedException extends RuntimeException {
  CommandFailedException(String message) {
    super(message);
  }

  CommandFailedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}

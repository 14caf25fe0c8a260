package dev.tidemark.retention.cli.embedded;

/**
 * Why the embedded PostgreSQL cannot be used. The message names the directory and is meant to be
 * shown as it is; a server that was started on the way has been stopped again.
 */
public final class EmbeddedServerException extends RuntimeException {
  EmbeddedServerException(String message) {
    super(message);
  }

  EmbeddedServerException(String message, Throwable cause) {
    super(message, cause);
  }
}

package dev.tidemark.retention.it.suite;

/** A database that the laws must not, or cannot, run in. */
final class UnfitDatabaseException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnfitDatabaseException(String message) {
    super(message);
  }

  UnfitDatabaseException(String message, Throwable cause) {
    super(message, cause);
  }
}

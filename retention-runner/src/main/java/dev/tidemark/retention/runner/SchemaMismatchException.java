package dev.tidemark.retention.runner;

/**
 * The deployed schema is not the one this build works with. The message is one line for the
 * operator.
 */
public final class SchemaMismatchException extends IllegalStateException {
  SchemaMismatchException(String message) {
    super(message);
  }
}

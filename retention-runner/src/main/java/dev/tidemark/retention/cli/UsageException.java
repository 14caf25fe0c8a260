package dev.tidemark.retention.cli;

/**
 * The command line asks for something that cannot be meant. One line: what was given, and what is
 * allowed.
 */
final class UsageException extends IllegalArgumentException {
  UsageException(String message) {
    super(message);
  }
}

package dev.tidemark.retention.cli;

import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * What the server advises beside an error: where a function refuses, the statement that mends it.
 */
final class ServerHint {
  private ServerHint() {}

  /** To follow the message on its line; empty when there is none. */
  static String of(Throwable e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof PSQLException failure) {
        return text(failure.getServerErrorMessage());
      }
    }
    return "";
  }

  private static String text(@Nullable ServerErrorMessage message) {
    String hint = message == null ? null : message.getHint();
    return hint == null ? "" : "; hint: " + hint.replaceAll("\\s*\\R\\s*", " ");
  }
}

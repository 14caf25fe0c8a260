package dev.tidemark.retention.sql;

import dev.tidemark.retention.core.database.DatabaseException;
import dev.tidemark.retention.core.database.DatabaseUnavailableException;
import dev.tidemark.retention.core.database.InvalidArgumentException;
import dev.tidemark.retention.core.database.NotFoundException;
import dev.tidemark.retention.core.database.StepFailedException;
import dev.tidemark.retention.core.database.TimedOutException;
import dev.tidemark.retention.core.database.UnfitSessionException;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import org.jooq.exception.DataAccessException;
import org.jspecify.annotations.Nullable;

/**
 * The one place where a SQLSTATE becomes an exception. The codes of the schema's own, TM001 and on,
 * are in docs/reference/errors.md.
 */
final class SqlStates {
  private static final String UNKNOWN = "XX000";

  private SqlStates() {}

  static DatabaseException translate(DataAccessException e) {
    SQLException cause = e.getCause(SQLException.class);
    return cause == null
        ? new StepFailedException(oneLine(e.getMessage()), UNKNOWN, e)
        : translate(cause);
  }

  static DatabaseException translate(SQLException e) {
    if (e instanceof BatchUpdateException && e.getNextException() != null) {
      // The batch itself only says that it was aborted.
      return translate(e.getNextException());
    }
    String state = e.getSQLState() == null ? stateOf(e) : e.getSQLState();
    String message = oneLine(e.getMessage());
    return switch (state) {
      case "22023" -> new InvalidArgumentException(message, state, e);
      case "TM003", "TM004", "TM008" -> new NotFoundException(message, state, e);
      // lock_not_available; query_canceled: statement_timeout, or an operator.
      case "55P03", "57014" -> new TimedOutException(message, state, e);
      case "TM001", "TM002" -> new UnfitSessionException(message, state, e);
      case "25006" ->
          new UnfitSessionException(
              message + " (a standby, or default_transaction_read_only)", state, e);
      // Shutdown, crash, starting up, idle session or transaction ended by the server.
      case "57P01", "57P02", "57P03", "57P05", "25P03", "25P04" ->
          new DatabaseUnavailableException(message, state, e);
      default ->
          switch (state.substring(0, 2)) {
            case "08", "53", "58" -> new DatabaseUnavailableException(message, state, e);
            // Wrong password, no such database. Not classes 42 and 3F: a trigger of one partition
            // can
            // raise an undefined or a forbidden object too, and the others are to be served.
            case "28", "3D" -> new UnfitSessionException(message, state, e);
            default -> new StepFailedException(message, state, e);
          };
    };
  }

  /** The failure of one partition that a drain has caught, whatever its code. */
  static StepFailedException ofPartition(String state, String message) {
    return state.equals("55P03")
        ? new TimedOutException(oneLine(message), state, null)
        : new StepFailedException(oneLine(message), state, null);
  }

  /** Pools and drivers refuse a closed connection without a code. */
  private static String stateOf(SQLException e) {
    return String.valueOf(e.getMessage()).contains("is closed") ? "08003" : UNKNOWN;
  }

  private static String oneLine(@Nullable String message) {
    String text = message == null ? "no message" : message.strip();
    int end = text.indexOf('\n');
    String line = end < 0 ? text : text.substring(0, end);
    return line.startsWith("ERROR: ") ? line.substring("ERROR: ".length()) : line;
  }
}

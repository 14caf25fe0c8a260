package dev.tidemark.retention.it.support;

import java.sql.SQLException;

/** A statement that failed; {@link #state()} is what most tests ask for. */
public final class SqlFailure extends RuntimeException {
  private final String state;

  SqlFailure(SQLException cause) {
    super(cause.getMessage(), cause);
    this.state = String.valueOf(cause.getSQLState());
  }

  public String state() {
    return state;
  }
}

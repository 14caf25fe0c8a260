package dev.tidemark.retention.sql;

import dev.tidemark.retention.core.database.DatabaseUnavailableException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.DataType;
import org.jooq.Field;
import org.jooq.Query;
import org.jooq.SQLDialect;
import org.jooq.conf.Settings;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One borrowed connection. It is in autocommit between calls, whatever the pool's default, and
 * nothing set here outlives its transaction, so it goes back as it came. Not thread-safe.
 */
final class Session implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Session.class);

  private static final Settings SETTINGS =
      new Settings()
          // Without it an OffsetDateTime is bound as text and cast by the server.
          .withBindOffsetDateTimeType(true)
          .withExecuteLogging(false);

  private final Connection connection;
  private final boolean autoCommitBefore;
  private final DSLContext dsl;
  private boolean broken;

  private Session(Connection connection, boolean autoCommitBefore) {
    this.connection = connection;
    this.autoCommitBefore = autoCommitBefore;
    this.dsl = DSL.using(connection, SQLDialect.POSTGRES, SETTINGS);
  }

  /**
   * Whether the connection outlived what was done on it: only then is a failure of a statement the
   * statement's own. A pool may have closed it for a SQLSTATE it does not like.
   */
  boolean isUsable() {
    try {
      return !broken && !connection.isClosed();
    } catch (SQLException e) {
      LOG.debug("a connection that does not know whether it is closed", e);
      return false;
    }
  }

  /** Borrows a connection, as {@link #borrow}, and puts it into autocommit. */
  static Session open(DataSource dataSource) {
    Connection connection = borrow(dataSource);
    try {
      boolean before = connection.getAutoCommit();
      if (!before) {
        connection.setAutoCommit(true);
      }
      return new Session(connection, before);
    } catch (SQLException e) {
      giveBack(connection);
      throw SqlStates.translate(e);
    } catch (RuntimeException | Error e) {
      giveBack(connection);
      throw e;
    }
  }

  /**
   * A connection as the pool gives it. None to be had, which a pool reports without a SQLSTATE, is
   * a {@link DatabaseUnavailableException}.
   */
  static Connection borrow(DataSource dataSource) {
    try {
      return dataSource.getConnection();
    } catch (SQLException e) {
      String state = e.getSQLState();
      if (state != null && !state.startsWith("08")) {
        throw SqlStates.translate(e);
      }
      throw new DatabaseUnavailableException(String.valueOf(e.getMessage()), "08001", e);
    }
  }

  /** {@link #transaction(List, Function)} with nothing further set. */
  <T> T transaction(Function<DSLContext, T> work) {
    return transaction(List.of(), work);
  }

  /** One statement that commits by itself. */
  <T> T autocommit(Function<DSLContext, T> statement) {
    try {
      return statement.apply(dsl);
    } catch (DataAccessException e) {
      throw SqlStates.translate(e);
    }
  }

  /**
   * One transaction at READ COMMITTED, whatever the pool's default level, with what it sets gone at
   * its end.
   *
   * @param local further {@code SET LOCAL} statements, sent in the same round trip
   */
  <T> T transaction(List<Query> local, Function<DSLContext, T> work) {
    List<Query> first = new ArrayList<>();
    first.add(readCommitted());
    first.addAll(local);
    return begun(first, work);
  }

  /**
   * One look: whatever {@code work} asks, it sees the same moment, and {@code now()} is the same.
   * The server itself refuses to write or to lock a row in it.
   */
  <T> T snapshot(Function<DSLContext, T> work) {
    return begun(
        List.of(
            setLocal("transaction_isolation", "repeatable read"),
            setLocal("transaction_read_only", "on")),
        work);
  }

  private <T> T begun(List<Query> first, Function<DSLContext, T> work) {
    try {
      connection.setAutoCommit(false);
      try {
        dsl.batch(first).execute();
        T result = work.apply(dsl);
        connection.commit();
        return result;
      } catch (SQLException | RuntimeException | Error e) {
        rollback();
        throw e;
      } finally {
        restoreAutoCommit();
      }
    } catch (DataAccessException e) {
      throw SqlStates.translate(e);
    } catch (SQLException e) {
      throw SqlStates.translate(e);
    }
  }

  /** The first statement of every transaction: the pool's default level may be another. */
  static Query readCommitted() {
    return DSL.setLocal(DSL.name("transaction_isolation"), DSL.inline("read committed"));
  }

  /**
   * A function of the server, whatever the search_path says: an unqualified name finds another one
   * where a schema shadows it.
   */
  static <T> Field<T> server(String function, DataType<T> type, Field<?>... arguments) {
    return DSL.function(DSL.name("pg_catalog", function), type, arguments);
  }

  static Query setLocal(String setting, String value) {
    return DSL.setLocal(DSL.name(setting), DSL.inline(value));
  }

  static Query setLocal(String setting, Duration value) {
    return setLocal(setting, value.toMillis() + "ms");
  }

  /**
   * Ends the connection without asking the server: for one that may be broken in the middle of
   * something.
   */
  void abandon() {
    broken = true;
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      LOG.warn("could not abort a broken connection: {}", e.getMessage());
    }
  }

  private void rollback() {
    try {
      connection.rollback();
    } catch (SQLException e) {
      // Not a warning: what broke the connection is being thrown, and will be logged as such.
      LOG.debug("could not roll back, the connection is dropped", e);
      abandon();
    }
  }

  private void restoreAutoCommit() throws SQLException {
    if (!connection.isClosed()) {
      connection.setAutoCommit(true);
    }
  }

  @Override
  public void close() {
    try {
      if (!autoCommitBefore && !connection.isClosed()) {
        connection.setAutoCommit(false);
      }
    } catch (SQLException e) {
      LOG.warn("could not restore autocommit of a connection: {}", e.getMessage());
    }
    giveBack(connection);
  }

  private static void giveBack(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      LOG.warn("could not give a connection back: {}", e.getMessage());
    }
  }
}

package dev.tidemark.retention.sql;

import static org.jooq.impl.DSL.inline;

import dev.tidemark.retention.core.database.DatabaseException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transaction that holds advisory lock {@value #LOCK} for one cycle, on a connection of its
 * own.
 *
 * <p>The lock has transaction scope, so however the transaction ends, it is free: commit, rollback,
 * a dead connection. The transaction touches no table and no catalog: a relation lock would stay
 * until its end and stand before everybody's DDL. READ COMMITTED, since another level would pin
 * xmin. The server ends it by itself when no {@link #ping} came for one lease.
 */
public final class HolderTransaction implements AutoCloseable {
  /** The lock number every sweeping scheme shares. */
  public static final long LOCK = 737001;

  private static final int TRANSACTION_TIMEOUT_SINCE = 17;
  private static final Logger LOG = LoggerFactory.getLogger(HolderTransaction.class);

  private final Connection connection;
  private final DSLContext dsl;
  private boolean open = true;

  private HolderTransaction(Connection connection) {
    this.connection = connection;
    this.dsl = DSL.using(connection, SQLDialect.POSTGRES);
  }

  /**
   * Opens the transaction and tries the lock, without waiting.
   *
   * @param lease how long the server lets the transaction idle between two pings
   * @return the holder, or empty when the lock is busy; then nothing is held
   */
  public static Optional<HolderTransaction> open(DataSource dataSource, Duration lease) {
    HolderTransaction holder;
    try {
      Connection connection = dataSource.getConnection();
      holder = new HolderTransaction(connection);
    } catch (SQLException e) {
      throw SqlStates.translate(e);
    }
    try {
      if (holder.begin(lease)) {
        return Optional.of(holder);
      }
    } catch (DataAccessException e) {
      holder.close();
      throw SqlStates.translate(e);
    } catch (SQLException e) {
      holder.close();
      throw SqlStates.translate(e);
    }
    holder.close();
    return Optional.empty();
  }

  private boolean begin(Duration lease) throws SQLException {
    connection.setAutoCommit(false);
    dsl.execute(Session.readCommitted());
    dsl.execute(Session.setLocal("idle_in_transaction_session_timeout", lease));
    // An unknown setting would abort the transaction, so older servers must not see it.
    if (connection.getMetaData().getDatabaseMajorVersion() >= TRANSACTION_TIMEOUT_SINCE) {
      dsl.execute(Session.setLocal("transaction_timeout", "0"));
    }
    return Boolean.TRUE.equals(
        dsl.select(DSL.function("pg_try_advisory_xact_lock", SQLDataType.BOOLEAN, inline(LOCK)))
            .fetchSingle()
            .value1());
  }

  /**
   * Shows the server that the holder is alive; to be called every third of the lease.
   *
   * @throws DatabaseException when the connection, and with it the lock, is gone
   */
  public synchronized void ping() {
    if (!open) {
      return;
    }
    try {
      dsl.selectOne().fetch();
    } catch (DataAccessException e) {
      throw SqlStates.translate(e);
    }
  }

  /**
   * Ends the transaction, which releases the lock. Safe to repeat, and never throws: a broken
   * connection has released it too.
   */
  @Override
  public synchronized void close() {
    if (!open) {
      return;
    }
    open = false;
    try (connection) {
      connection.rollback();
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      LOG.warn("the holder's connection was broken when its cycle ended: {}", e.getMessage());
    }
  }
}

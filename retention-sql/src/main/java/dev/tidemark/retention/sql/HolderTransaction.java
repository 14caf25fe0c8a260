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
 * until its end and stand before everybody's DDL. It keeps no snapshot either, which would hold
 * back vacuum and CREATE INDEX CONCURRENTLY: READ COMMITTED, and never a SELECT as the last
 * statement. The server ends it by itself when no {@link #ping} came for one lease.
 */
public final class HolderTransaction implements AutoCloseable {
  /** The lock number every sweeping scheme shares. */
  public static final long LOCK = 737001;

  private static final int TRANSACTION_TIMEOUT_SINCE = 17;
  private static final Logger LOG = LoggerFactory.getLogger(HolderTransaction.class);

  private final Connection connection;
  private final DSLContext dsl;
  private final Duration lease;
  private boolean autoCommitBefore = true;
  private boolean open = true;

  private HolderTransaction(Connection connection, Duration lease) {
    this.connection = connection;
    this.dsl = DSL.using(connection, SQLDialect.POSTGRES);
    this.lease = lease;
  }

  /**
   * Opens the transaction and tries the lock, without waiting.
   *
   * @param lease how long the server lets the transaction idle between two pings
   * @return the holder, or empty when the lock is busy; then nothing is held
   */
  public static Optional<HolderTransaction> open(DataSource dataSource, Duration lease) {
    HolderTransaction holder = new HolderTransaction(Session.borrow(dataSource), lease);
    try {
      if (holder.begin()) {
        return Optional.of(holder);
      }
    } catch (DataAccessException e) {
      holder.close();
      throw SqlStates.translate(e);
    } catch (SQLException e) {
      holder.close();
      throw SqlStates.translate(e);
    } catch (RuntimeException | Error e) {
      holder.close();
      throw e;
    }
    holder.close();
    return Optional.empty();
  }

  private boolean begin() throws SQLException {
    autoCommitBefore = connection.getAutoCommit();
    connection.setAutoCommit(false);
    dsl.execute(Session.readCommitted());
    setLease();
    // An unknown setting would abort the transaction, so older servers must not see it.
    if (connection.getMetaData().getDatabaseMajorVersion() >= TRANSACTION_TIMEOUT_SINCE) {
      dsl.execute(Session.setLocal("transaction_timeout", "0"));
    }
    boolean locked =
        Boolean.TRUE.equals(
            dsl.select(
                    Session.server("pg_try_advisory_xact_lock", SQLDataType.BOOLEAN, inline(LOCK)))
                .fetchSingle()
                .value1());
    setLease();
    return locked;
  }

  /**
   * Sets the lease, and ends whatever snapshot the statement before it left: the last one before
   * the transaction idles. The driver leaves the portal of a SELECT open until the next statement,
   * and the snapshot with it; SET takes none.
   */
  private void setLease() {
    dsl.execute(Session.setLocal("idle_in_transaction_session_timeout", lease));
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
      setLease();
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
      connection.setAutoCommit(autoCommitBefore);
    } catch (SQLException e) {
      LOG.warn("the holder's connection was broken when its cycle ended: {}", e.getMessage());
    }
  }
}

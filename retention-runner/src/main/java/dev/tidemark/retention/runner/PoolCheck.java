package dev.tidemark.retention.runner;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a pool has the connections a cycle uses at once. Found out at the start: later it would
 * be a cycle that waits for itself.
 */
final class PoolCheck {
  private static final Logger LOG = LoggerFactory.getLogger("retention");

  /** Longer than pools wait for a connection by default. */
  private static final Duration PATIENCE = Duration.ofSeconds(45);

  private PoolCheck() {}

  /**
   * Asks a HikariCP pool for its size; any other pool has to give that many connections at once,
   * and gets them back.
   *
   * @throws PoolTooSmallException when there are fewer
   */
  static void require(DataSource pool, int needed) {
    try {
      if (pool.isWrapperFor(HikariDataSource.class)) {
        requireConfigured(pool.unwrap(HikariDataSource.class), needed);
      } else {
        requireGiven(pool, needed);
      }
    } catch (SQLException e) {
      throw new PoolTooSmallException("the pool does not work: " + e.getMessage(), needed, e);
    }
  }

  private static void requireConfigured(HikariDataSource pool, int needed) {
    int connections = pool.getMaximumPoolSize();
    if (connections < needed) {
      throw new PoolTooSmallException(
          "pool '" + pool.getPoolName() + "' has " + connections + " connections", needed, null);
    }
  }

  private static void requireGiven(DataSource pool, int needed) throws SQLException {
    List<Connection> given = new ArrayList<>();
    try {
      while (given.size() < needed) {
        given.add(borrow(pool).join());
      }
    } catch (CompletionException e) {
      throw new PoolTooSmallException(
          "the pool gave " + given.size() + " connections at once and no more", needed, e);
    } finally {
      for (Connection connection : given) {
        connection.close();
      }
    }
  }

  /** Borrows from a thread of its own, for a pool that would wait for ever. */
  private static CompletableFuture<Connection> borrow(DataSource pool) {
    CompletableFuture<Connection> given = new CompletableFuture<>();
    Threads.daemon("retention-pool-check")
        .newThread(
            () -> {
              try {
                Connection connection = pool.getConnection();
                if (!given.complete(connection)) {
                  connection.close();
                }
              } catch (SQLException | RuntimeException e) {
                if (!given.completeExceptionally(e)) {
                  LOG.debug("the pool answered too late", e);
                }
              }
            })
        .start();
    return given.orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
  }
}

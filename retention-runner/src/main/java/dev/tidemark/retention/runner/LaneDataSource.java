package dev.tidemark.retention.runner;

import java.io.PrintWriter;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A pool behind a lane: a slot before every connection, given back when the connection is closed.
 * So nobody holds a connection while it waits for a slot, whoever asks.
 */
final class LaneDataSource implements DataSource {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final DataSource pool;
  private final MaintenanceLane lane;

  LaneDataSource(DataSource pool, MaintenanceLane lane) {
    this.pool = pool;
    this.lane = lane;
  }

  @Override
  public Connection getConnection() throws SQLException {
    return admitted(pool::getConnection);
  }

  @Override
  public Connection getConnection(@Nullable String user, @Nullable String password)
      throws SQLException {
    return admitted(() -> pool.getConnection(user, password));
  }

  private Connection admitted(Borrow borrow) throws SQLException {
    MaintenanceLane.Slot slot = enter();
    try {
      return givingBack(borrow.connection(), slot);
    } catch (SQLException | RuntimeException | Error e) {
      slot.close();
      throw e;
    }
  }

  private MaintenanceLane.Slot enter() throws SQLException {
    try {
      return lane.enter(PATIENCE)
          .orElseThrow(
              () ->
                  new SQLTransientConnectionException(
                      "the maintenance lane had no slot within " + PATIENCE.toSeconds() + " s"));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLTransientConnectionException("interrupted while waiting for a slot", e);
    }
  }

  private static Connection givingBack(Connection connection, MaintenanceLane.Slot slot) {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          try {
            return method.invoke(connection, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          } finally {
            if (method.getName().equals("close")) {
              slot.close();
            }
          }
        };
    return (Connection)
        Proxy.newProxyInstance(
            LaneDataSource.class.getClassLoader(), new Class<?>[] {Connection.class}, handler);
  }

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    return pool.getLogWriter();
  }

  @Override
  public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
    pool.setLogWriter(out);
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    pool.setLoginTimeout(seconds);
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return pool.getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() {
    return Logger.getLogger(LaneDataSource.class.getName());
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return pool.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return pool.isWrapperFor(type);
  }

  private interface Borrow {
    Connection connection() throws SQLException;
  }
}

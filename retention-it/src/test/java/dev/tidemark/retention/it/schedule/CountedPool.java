package dev.tidemark.retention.it.schedule;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** A pool that nobody recognizes, counting the connections it gave and those that are out. */
public final class CountedPool implements DataSource {
  private final DataSource pool;
  private final AtomicLong borrowed = new AtomicLong();
  private final AtomicInteger out = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();

  public CountedPool(DataSource pool) {
    this.pool = pool;
  }

  public long borrowed() {
    return borrowed.get();
  }

  public int out() {
    return out.get();
  }

  /** The most that were out at once since the last {@link #forget}. */
  public int most() {
    return most.get();
  }

  public void forget() {
    most.set(0);
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection connection = pool.getConnection();
    borrowed.incrementAndGet();
    most.accumulateAndGet(out.incrementAndGet(), Math::max);
    return (Connection)
        Proxy.newProxyInstance(
            CountedPool.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                out.decrementAndGet();
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return pool.getConnection(user, password);
  }

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    return pool.getLogWriter();
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
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
    return Logger.getLogger("counted");
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLException("wraps nothing");
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }
}

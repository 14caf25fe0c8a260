package dev.tidemark.retention.it.support;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** A database of its own for one test class, gone when closed. */
public final class TestDatabase implements AutoCloseable {
  private static final int POOL = 24;

  private final String url;
  private final List<AutoCloseable> opened = new ArrayList<>();

  private TestDatabase(String url) {
    this.url = url;
  }

  /** A database with the schema deployed. */
  public static TestDatabase migrated() {
    return new TestDatabase(TestServer.get().create());
  }

  /** A database without it. */
  public static TestDatabase empty() {
    return new TestDatabase(TestServer.get().createEmpty());
  }

  public String url() {
    return url;
  }

  /** The URL for another login. */
  public String urlAs(String user, String password) {
    int query = url.indexOf('?');
    return (query < 0 ? url : url.substring(0, query)) + "?user=" + user + "&password=" + password;
  }

  /** A connection of its own, in autocommit; closed with the database at the latest. */
  public Sql connect() {
    Sql sql = Sql.connect(url);
    opened.add(sql);
    return sql;
  }

  /** A pool as a broker would have one. */
  public DataSource pool() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(POOL);
    config.setMinimumIdle(0);
    HikariDataSource pool = new HikariDataSource(config);
    opened.add(pool);
    return pool;
  }

  @Override
  public void close() {
    for (AutoCloseable each : opened) {
      try {
        each.close();
      } catch (Exception e) {
        throw new IllegalStateException("a test left something that does not close", e);
      }
    }
    TestServer.get().drop(url);
  }
}

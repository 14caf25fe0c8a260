package dev.tidemark.retention.it.support;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * A database for one test class. One that was made for it is gone when closed; one that was there
 * is left as it was found: without queues.
 */
public final class TestDatabase implements AutoCloseable {
  private static final int POOL = 24;

  private static volatile Consumer<String> lastLook = url -> {};

  private final String url;
  private final Ending ending;
  private final List<AutoCloseable> opened = new ArrayList<>();

  private TestDatabase(String url, Ending ending) {
    this.url = url;
    this.ending = ending;
  }

  /** A database with the schema deployed. */
  public static TestDatabase migrated() {
    return new TestDatabase(TestServer.get().create(), TestDatabase::drop);
  }

  /** A database without it. */
  public static TestDatabase empty() {
    return new TestDatabase(TestServer.get().createEmpty(), TestDatabase::drop);
  }

  /** A database that is there, with the schema and without queues, and stays. */
  public static TestDatabase inPlace(String url) {
    return new TestDatabase(url, TestDatabase::forget);
  }

  /**
   * While {@code run} goes on, {@code look} is given the URL of each database that was made for a
   * test, after its last connection is closed and before it is dropped.
   */
  public static <T> T shownBeforeDropped(Consumer<String> look, Supplier<T> run) {
    Consumer<String> before = lastLook;
    lastLook = look;
    try {
      return run.get();
    } finally {
      lastLook = before;
    }
  }

  public String url() {
    return url;
  }

  /** The URL for another login. */
  public String urlAs(String user, String password) {
    return DatabaseUrl.of(url).as(user, password).toString();
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
    ending.of(url);
  }

  private static void drop(String url) {
    lastLook.accept(url);
    TestServer.get().drop(url);
  }

  /**
   * Takes every queue out of a database, with all history, all leases and all policies of tables.
   */
  public static void forget(String url) {
    try (Sql sql = Sql.connect(url)) {
      for (Object queue : sql.column("select name from queen.queues order by name")) {
        sql.run("select queen.delete_queue_v1(p_name => ?)", queue);
      }
      sql.run("delete from queen.retention_history");
      sql.run("delete from queen.retention_history_minutes");
      sql.run("delete from queen.maintenance_leases");
      sql.run("delete from queen.table_policies");
      sql.run("delete from queen.table_history");
    }
  }

  private interface Ending {
    void of(String url);
  }
}

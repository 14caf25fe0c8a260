package dev.tidemark.retention.cli.bench;

import dev.tidemark.retention.cli.embedded.EmbeddedServer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * The bench's server: temporary, but as durable as a real one. Autovacuum is off so that it does
 * not come to one side and not to the other; every measurement begins vacuumed instead. Owns its
 * databases.
 */
public final class BenchServer implements AutoCloseable {
  private static final String TEMPLATE = "bench";

  private final EmbeddedServer server;
  private final BenchDatabase maintenance;
  private final Map<String, BenchDatabase> open = new HashMap<>();

  private BenchServer(EmbeddedServer server) {
    this.server = server;
    this.maintenance = new BenchDatabase(server.jdbcUrl(), server.user());
  }

  /**
   * Starts it.
   *
   * @param migrate deploys the schema
   * @param atSignal runs when a signal ends the JVM, before the server is stopped
   */
  public static BenchServer start(Consumer<DataSource> migrate, Runnable atSignal)
      throws SQLException {
    EmbeddedServer server = EmbeddedServer.measured();
    server.beforeStop(atSignal);
    BenchServer started = new BenchServer(server);
    try {
      started.autovacuum(false);
      started.makeTemplate(migrate);
      return started;
    } catch (SQLException | RuntimeException e) {
      started.close();
      throw e;
    }
  }

  private void makeTemplate(Consumer<DataSource> migrate) throws SQLException {
    maintenance.run("create database " + TEMPLATE);
    try (BenchDatabase template = connect(TEMPLATE)) {
      migrate.accept(template.dataSource());
      BenchSql.install(template.dataSource());
    }
  }

  private BenchDatabase connect(String name) {
    String url = server.jdbcUrl();
    return new BenchDatabase(url.substring(0, url.lastIndexOf('/') + 1) + name, server.user());
  }

  /** An empty database with the schema and the bench's functions. The server closes it. */
  BenchDatabase database(String name) throws SQLException {
    maintenance.run("create database " + name + " template " + TEMPLATE);
    BenchDatabase database = connect(name);
    open.put(name, database);
    return database;
  }

  /** Gives its space back. */
  void drop(String name) throws SQLException {
    BenchDatabase database = open.remove(name);
    if (database != null) {
      database.close();
      maintenance.run("drop database " + name + " with (force)");
    }
  }

  /** On only in rows to whose measurement it belongs. */
  void autovacuum(boolean on) throws SQLException {
    autovacuum(on, 10);
  }

  /**
   * The same for a row in which seconds stand for minutes.
   *
   * @param naptime seconds between two of its visits
   */
  void autovacuum(boolean on, int naptime) throws SQLException {
    maintenance.run("alter system set autovacuum_naptime = '" + naptime + "s'");
    maintenance.run("alter system set autovacuum = " + (on ? "on" : "off"));
    maintenance.number("select pg_reload_conf()::int");
  }

  /**
   * What differs from PostgreSQL's defaults and says something about speed, as {@code name=value}.
   */
  public List<String> settings() throws SQLException {
    return maintenance.column(
        """
        select name || '=' || current_setting(name)
          from pg_settings
         where source in ('command line', 'configuration file')
           and category !~ '^(Client|Connections|Reporting|File|Preset)'
           and name <> 'dynamic_shared_memory_type'
            or name in ('fsync', 'full_page_writes', 'synchronous_commit', 'data_checksums')
         order by name
        """);
  }

  /** The database's clock: the JVM's is not asked. */
  public String date() throws SQLException {
    return maintenance
        .column("select to_char(now() at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")
        .get(0);
  }

  public String version() throws SQLException {
    return "PostgreSQL "
        + maintenance.column("select split_part(current_setting('server_version'), ' ', 1)").get(0);
  }

  @Override
  public void close() {
    new ArrayList<>(open.values()).forEach(BenchDatabase::close);
    maintenance.close();
    server.close();
  }
}

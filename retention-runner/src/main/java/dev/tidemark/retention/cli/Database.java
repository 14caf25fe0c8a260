package dev.tidemark.retention.cli;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import dev.tidemark.retention.cli.embedded.EmbeddedServer;
import dev.tidemark.retention.runner.SchemaCheck;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The database a command works on: a pool, and the embedded server behind it where there is one.
 */
final class Database implements AutoCloseable {
  private static final Duration CONNECT_PATIENCE = Duration.ofSeconds(10);

  private final @Nullable EmbeddedServer server;
  private final HikariDataSource pool;

  private Database(@Nullable EmbeddedServer server, HikariDataSource pool) {
    this.server = server;
    this.pool = pool;
  }

  /**
   * Opens the database the options name, with a deployed schema: an embedded one is migrated,
   * another has to be already.
   *
   * @param shape what the command needs of its pool
   */
  static Database deployed(CommonOptions options, Output output, PoolShape shape) {
    Database database = open(options, output, shape);
    try {
      if (database.server != null) {
        Migrator.migrate(database.pool);
      } else {
        SchemaCheck.requireKnown(database.pool);
      }
      return database;
    } catch (RuntimeException e) {
      database.close();
      throw e;
    }
  }

  /** Opens it whatever its schema. */
  static Database open(CommonOptions options, Output output, PoolShape shape) {
    if (options.embedded != null && options.jdbcUrl != null) {
      throw new UsageException("--embedded and --jdbc-url name two databases: give one");
    }
    if (options.embedded != null && options.embedded.toString().isEmpty()) {
      throw new UsageException("--embedded: must name a directory, not ''");
    }
    if (options.embedded == null) {
      return new Database(null, pool(Target.of(options, System.getenv()), shape));
    }
    EmbeddedServer server = EmbeddedServer.open(options.embedded);
    output.note((server.started() ? "started " : "joined ") + server.jdbcUrl());
    return on(server, shape);
  }

  /** A temporary one, gone with the command. */
  static Database temporary(PoolShape shape) {
    Database database = on(EmbeddedServer.temporary(), shape);
    Migrator.migrate(database.pool);
    return database;
  }

  private static Database on(EmbeddedServer server, PoolShape shape) {
    try {
      return new Database(server, pool(new Target(server.jdbcUrl(), server.user(), null), shape));
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  DataSource dataSource() {
    return pool;
  }

  /** Runs an action when a signal ends the command, before an embedded server of it is stopped. */
  void onShutdown(Runnable action) {
    if (server != null && server.started()) {
      server.beforeStop(action);
    } else {
      Runtime.getRuntime().addShutdownHook(new Thread(action, "retention-shutdown"));
    }
  }

  @Override
  public void close() {
    pool.close();
    if (server != null) {
      server.close();
    }
  }

  private static HikariDataSource pool(Target target, PoolShape shape) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("retention");
    config.setJdbcUrl(target.jdbcUrl());
    config.setUsername(target.user());
    config.setPassword(target.password());
    config.setMaximumPoolSize(shape.connections());
    config.setMinimumIdle(0);
    config.setConnectionTimeout(CONNECT_PATIENCE.toMillis());
    config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    config.addDataSourceProperty("ApplicationName", "retention");
    config.addDataSourceProperty("tcpKeepAlive", "true");
    config.addDataSourceProperty("socketTimeout", String.valueOf(shape.readTimeout().toSeconds()));
    try {
      return new HikariDataSource(config);
    } catch (PoolInitializationException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new CommandFailedException(
          "cannot connect to " + target.jdbcUrl() + ": " + cause.getMessage(), e);
    } catch (RuntimeException e) {
      throw new UsageException(
          "--jdbc-url: must be jdbc:postgresql://HOST:PORT/DATABASE, not '"
              + target.jdbcUrl()
              + "'");
    }
  }

  /** Where, as whom, with what. */
  record Target(String jdbcUrl, @Nullable String user, @Nullable String password) {
    static Target of(CommonOptions options, Map<String, String> environment) {
      String url = options.jdbcUrl;
      if (url == null) {
        String host = environment.get("PGHOST");
        String database = environment.get("PGDATABASE");
        if (host == null && database == null) {
          throw new UsageException(
              "say which database: --embedded DIR, --jdbc-url URL, or PGHOST and PGDATABASE");
        }
        url =
            "jdbc:postgresql://"
                + (host == null ? "localhost" : host)
                + ":"
                + environment.getOrDefault("PGPORT", "5432")
                + "/"
                + (database == null ? environment.getOrDefault("PGUSER", "") : database);
      } else if (!url.startsWith("jdbc:postgresql:")) {
        throw new UsageException(
            "--jdbc-url: must be jdbc:postgresql://HOST:PORT/DATABASE, not '" + url + "'");
      }
      String user = options.user == null ? environment.get("PGUSER") : options.user;
      String password =
          options.password == null ? environment.get("PGPASSWORD") : new String(options.password);
      return new Target(url, user, password);
    }
  }
}

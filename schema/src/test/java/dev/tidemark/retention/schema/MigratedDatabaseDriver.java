package dev.tidemark.retention.schema;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.logging.Logger;
import org.flywaydb.core.Flyway;
import org.jspecify.annotations.Nullable;

/**
 * The database the bindings are generated from: connecting to {@value #URL} starts an embedded
 * PostgreSQL and migrates it; closing the connection stops it.
 */
public final class MigratedDatabaseDriver implements Driver {
  public static final String URL = "jdbc:tidemark-migrated:";

  static {
    try {
      DriverManager.registerDriver(new MigratedDatabaseDriver());
    } catch (SQLException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @Override
  public @Nullable Connection connect(String url, Properties info) throws SQLException {
    if (!acceptsURL(url)) {
      return null;
    }
    EmbeddedPostgres server;
    try {
      server = EmbeddedPostgres.start();
    } catch (IOException e) {
      throw new SQLException("cannot start the embedded PostgreSQL", e);
    }
    try {
      Flyway.configure(MigratedDatabaseDriver.class.getClassLoader())
          .dataSource(server.getPostgresDatabase())
          .defaultSchema(Migrations.SCHEMA)
          .table(Migrations.HISTORY_TABLE)
          .locations(Migrations.LOCATIONS.toArray(String[]::new))
          .placeholderReplacement(false)
          .loggers("slf4j")
          .load()
          .migrate();
      return stoppingOnClose(server.getPostgresDatabase().getConnection(), server);
    } catch (SQLException | RuntimeException e) {
      try (server) {
        throw e;
      } catch (IOException notStopped) {
        e.addSuppressed(notStopped);
        throw e;
      }
    }
  }

  private static Connection stoppingOnClose(Connection connection, EmbeddedPostgres server) {
    InvocationHandler handler =
        (proxy, method, args) -> {
          try {
            return method.invoke(connection, args);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          } finally {
            if (method.getName().equals("close")) {
              server.close();
            }
          }
        };
    return (Connection)
        Proxy.newProxyInstance(
            MigratedDatabaseDriver.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            handler);
  }

  @Override
  public boolean acceptsURL(String url) {
    return url.startsWith(URL);
  }

  @Override
  public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
    return new DriverPropertyInfo[0];
  }

  @Override
  public int getMajorVersion() {
    return 1;
  }

  @Override
  public int getMinorVersion() {
    return 0;
  }

  @Override
  public boolean jdbcCompliant() {
    return false;
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException();
  }
}

package dev.tidemark.retention.it.support;

import dev.tidemark.retention.schema.Migrations;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import org.flywaydb.core.Flyway;

/**
 * The one server of this JVM, chosen by the property {@code tidemark.database}: {@code embedded}
 * (the default), {@code testcontainers}, or a JDBC URL with a user that may create databases and
 * roles. It holds a migrated template from which test databases are copied.
 */
final class TestServer {
  private static final String PROPERTY = "tidemark.database";

  private final String admin;
  private final String template;

  private TestServer(String adminUrl, boolean outlivesTheTests) {
    this.admin = adminUrl;
    this.template = "tidemark_template_" + UUID.randomUUID().toString().replace('-', '_');
    admin(adminUrl, "create database " + template);
    Flyway.configure()
        .dataSource(url(template), null, null)
        .defaultSchema(Migrations.SCHEMA)
        .table(Migrations.HISTORY_TABLE)
        .locations(Migrations.LOCATIONS.toArray(String[]::new))
        .placeholderReplacement(false)
        .load()
        .migrate();
    if (outlivesTheTests) {
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> admin(adminUrl, "drop database if exists " + template + " with (force)")));
    }
  }

  static TestServer get() {
    return Holder.SERVER;
  }

  /** Copies the template; the new database's URL. */
  String create() {
    String name = "tidemark_" + UUID.randomUUID().toString().replace('-', '_');
    // Copies of one template wait for each other's connection to it to end.
    synchronized (this) {
      admin(admin, "create database " + name + " template " + template);
    }
    return url(name);
  }

  /** An empty database without the schema. */
  String createEmpty() {
    String name = "tidemark_" + UUID.randomUUID().toString().replace('-', '_');
    admin(admin, "create database " + name);
    return url(name);
  }

  void drop(String url) {
    admin(admin, "drop database if exists " + DatabaseUrl.of(url).database() + " with (force)");
  }

  private String url(String database) {
    return DatabaseUrl.of(admin).with(database).toString();
  }

  private static void admin(String url, String sql) {
    try (Connection c = DriverManager.getConnection(url);
        Statement s = c.createStatement()) {
      s.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql + ": " + e.getMessage(), e);
    }
  }

  private static final class Holder {
    static final TestServer SERVER = start();

    private static TestServer start() {
      String choice = System.getProperty(PROPERTY, "embedded");
      if (choice.startsWith("jdbc:postgresql:")) {
        return new TestServer(choice, true);
      }
      return switch (choice) {
        case "embedded" -> new TestServer(EmbeddedServer.start(), false);
        case "testcontainers" -> new TestServer(ContainerServer.start(), false);
        default ->
            throw new IllegalArgumentException(
                PROPERTY
                    + ": must be embedded, testcontainers or jdbc:postgresql://..., not '"
                    + choice
                    + "'");
      };
    }
  }
}

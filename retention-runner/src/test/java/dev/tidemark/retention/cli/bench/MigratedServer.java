package dev.tidemark.retention.cli.bench;

import dev.tidemark.retention.schema.Migrations;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/** The bench's server, as the command starts it. */
final class MigratedServer {
  private MigratedServer() {}

  static BenchServer start() throws SQLException {
    return BenchServer.start(MigratedServer::migrate, () -> {});
  }

  private static void migrate(DataSource dataSource) {
    Flyway.configure()
        .dataSource(dataSource)
        .defaultSchema(Migrations.SCHEMA)
        .table(Migrations.HISTORY_TABLE)
        .locations(Migrations.LOCATIONS.toArray(String[]::new))
        .placeholderReplacement(false)
        .load()
        .migrate();
  }
}

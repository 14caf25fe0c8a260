package dev.tidemark.retention.cli;

import dev.tidemark.retention.schema.Migrations;
import java.util.List;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.output.MigrateResult;

/** Deploys the schema with Flyway, with the settings docs/operations gives for its command line. */
final class Migrator {
  private Migrator() {}

  /** What was applied, in order, and the version reached. */
  record Applied(String version, List<String> migrations) {}

  static Applied migrate(DataSource dataSource) {
    MigrateResult result =
        Flyway.configure(Migrator.class.getClassLoader())
            .dataSource(dataSource)
            .defaultSchema(Migrations.SCHEMA)
            .table(Migrations.HISTORY_TABLE)
            .locations(Migrations.LOCATIONS.toArray(String[]::new))
            .placeholderReplacement(false)
            .load()
            .migrate();
    String version =
        result.targetSchemaVersion == null
            ? result.initialSchemaVersion
            : result.targetSchemaVersion;
    return new Applied(
        String.valueOf(version),
        result.migrations.stream()
            .map(m -> (m.version.isEmpty() ? "" : m.version + " ") + m.description)
            .toList());
  }
}

package dev.tidemark.retention.runner;

import dev.tidemark.retention.schema.Migrations;
import dev.tidemark.retention.sql.DeployedSchema;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** Compares the deployed migrations with the ones this build was made for. */
public final class SchemaCheck {
  private SchemaCheck() {}

  /**
   * Passes when exactly the shipped versioned migrations are deployed.
   *
   * @throws SchemaMismatchException one line: not deployed, which file is missing, or which version
   *     is unknown
   */
  public static void requireKnown(DataSource dataSource) {
    Optional<Set<String>> deployed = DeployedSchema.versions(dataSource, Migrations.HISTORY_TABLE);
    if (deployed.isEmpty()) {
      throw new SchemaMismatchException(
          "schema "
              + Migrations.SCHEMA
              + " is not deployed: run 'retention migrate', or Flyway with the settings in docs/operations");
    }
    for (Migrations.Migration shipped : Migrations.VERSIONED) {
      if (!deployed.get().contains(shipped.version())) {
        throw new SchemaMismatchException(
            "schema "
                + Migrations.SCHEMA
                + " lacks migration "
                + shipped.fileName()
                + ": run 'retention migrate'");
      }
    }
    Set<String> unknown = new TreeSet<>(deployed.get());
    unknown.removeAll(
        Migrations.VERSIONED.stream()
            .map(Migrations.Migration::version)
            .collect(Collectors.toSet()));
    if (!unknown.isEmpty()) {
      throw new SchemaMismatchException(
          "schema "
              + Migrations.SCHEMA
              + " has migrations this version does not know: "
              + String.join(", ", unknown)
              + "; use the release that brought them");
    }
  }
}

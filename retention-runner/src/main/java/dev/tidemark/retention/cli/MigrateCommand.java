package dev.tidemark.retention.cli;

import dev.tidemark.retention.schema.Migrations;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;

@Command(name = "migrate", description = "Deploy the schema, or bring it up to date.")
final class MigrateCommand extends DatabaseCommand {
  @Override
  Database open(CommonOptions options, Output output) {
    return Database.open(options, output, pool());
  }

  /** A migration may wait for a long time behind somebody's transaction. */
  @Override
  PoolShape pool() {
    return new PoolShape(2, Duration.ZERO);
  }

  @Override
  int run(Database database, Output output) {
    Migrator.Applied applied = Migrator.migrate(database.dataSource());
    if (output.isJson()) {
      output.document(new Document(Migrations.SCHEMA, applied.version(), applied.migrations()));
    } else {
      applied.migrations().forEach(m -> output.line("applied " + m));
      output.line("schema " + Migrations.SCHEMA + " is at version " + applied.version());
    }
    return ExitCode.DONE;
  }

  record Document(String schema, String version, List<String> applied) {}
}

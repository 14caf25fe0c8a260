package dev.tidemark.retention.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** Options that stand before or after the command. */
final class CommonOptions {
  @Option(
      names = "--jdbc-url",
      paramLabel = "URL",
      scope = ScopeType.INHERIT,
      description =
          "The database, jdbc:postgresql://HOST:PORT/DATABASE. Without it: PGHOST, PGPORT, PGDATABASE.")
  @Nullable String jdbcUrl;

  @Option(
      names = "--user",
      paramLabel = "USER",
      scope = ScopeType.INHERIT,
      description = "The database user. Without it: PGUSER.")
  @Nullable String user;

  @Option(
      names = "--password",
      paramLabel = "PASSWORD",
      arity = "0..1",
      interactive = true,
      scope = ScopeType.INHERIT,
      description =
          "The password; without a value it is asked for. Without the option: PGPASSWORD, or the password file.")
  char @Nullable [] password;

  @Option(
      names = "--embedded",
      paramLabel = "DIR",
      scope = ScopeType.INHERIT,
      description =
          "An embedded PostgreSQL that keeps its data in DIR: created, migrated and started as needed.")
  @Nullable Path embedded;

  @Option(
      names = "--json",
      scope = ScopeType.INHERIT,
      description = "Print one JSON document on standard output.")
  boolean json;
}

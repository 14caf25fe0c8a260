package dev.tidemark.retention.schema;

import java.util.List;

/**
 * Where the migrations lie and which versions this build ships.
 *
 * <p>Every deployment, by the plain Flyway CLI or by {@code retention migrate}, uses these
 * settings: the schema {@value #SCHEMA} (created by Flyway), the history table {@value
 * #HISTORY_TABLE} in it, the locations {@link #LOCATIONS}, and no placeholders.
 */
public final class Migrations {
  public static final String SCHEMA = "queen";
  public static final String HISTORY_TABLE = "tidemark_schema_history";
  public static final List<String> LOCATIONS =
      List.of("classpath:tidemark/migration/versioned", "classpath:tidemark/migration/functions");

  /**
   * Versioned migrations, oldest first, as {@code version description}; MigrationsTest holds it
   * against the files.
   */
  public static final List<Migration> VERSIONED =
      List.of(
          new Migration("0001", "roles"),
          new Migration("0002", "log"),
          new Migration("0003", "neighbours"),
          new Migration("0004", "maintenance"),
          new Migration("0005", "grants"),
          new Migration("0006", "paged_work_list"),
          new Migration("0007", "history_minutes"),
          new Migration("0008", "cleanup_position"),
          new Migration("0009", "event_tables"));

  private Migrations() {}

  /** One versioned file, {@code V<version>__<description>.sql}. */
  public record Migration(String version, String description) {
    public String fileName() {
      return "V" + version + "__" + description + ".sql";
    }
  }
}

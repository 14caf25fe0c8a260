package dev.tidemark.retention.sql;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import dev.tidemark.retention.core.database.StepFailedException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.jooq.impl.SQLDataType;

/**
 * Reads which versioned migrations have been applied, from Flyway's history table in schema queen.
 */
public final class DeployedSchema {
  private static final String UNDEFINED_TABLE = "42P01";

  private DeployedSchema() {}

  /**
   * The versions applied with success, or empty when the schema was never deployed.
   *
   * @param historyTable the table's name in schema queen
   */
  public static Optional<Set<String>> versions(DataSource dataSource, String historyTable) {
    try (Session session = Session.open(dataSource)) {
      return Optional.of(
          session.autocommit(
              dsl ->
                  new TreeSet<>(
                      dsl.select(field(name("version"), SQLDataType.VARCHAR))
                          .from(table(name("queen", historyTable)))
                          .where(field(name("success"), SQLDataType.BOOLEAN))
                          .and(field(name("version")).isNotNull())
                          .fetch(0, String.class))));
    } catch (StepFailedException e) {
      if (e.sqlState().equals(UNDEFINED_TABLE)) {
        return Optional.empty();
      }
      throw e;
    }
  }
}

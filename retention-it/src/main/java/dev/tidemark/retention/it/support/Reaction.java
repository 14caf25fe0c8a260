package dev.tidemark.retention.it.support;

import java.util.UUID;

/**
 * Something that happens in the very transaction of a statement, each time there is one: statements
 * that a trigger runs. Closing it takes the trigger away.
 */
public final class Reaction implements AutoCloseable {
  private final Sql keeper;
  private final String schema;

  private Reaction(Sql keeper, String schema) {
    this.keeper = keeper;
    this.schema = schema;
  }

  /**
   * @param event such as {@code delete on queen.log_txns for each row when (old.base_offset = 0)}
   * @param statements PL/pgSQL; every name in its schema. {@code %s} is a schema to put things in.
   */
  public static Reaction to(TestDatabase database, String event, String statements) {
    return to(database, event, "", statements);
  }

  /**
   * The same, with something of its own.
   *
   * @param table the columns of the table {@code seen}, in the reaction's schema
   */
  public static Reaction to(TestDatabase database, String event, String table, String statements) {
    Sql keeper = database.connect();
    String schema = "reaction_" + UUID.randomUUID().toString().replace('-', '_');
    keeper.run("create schema " + schema);
    keeper.run("grant usage on schema %s to public".formatted(schema));
    if (!table.isEmpty()) {
      keeper.run("create table %s.seen (%s)".formatted(schema, table));
    }
    keeper.run(
        "create function %s.react() returns trigger language plpgsql as $$ begin %s; return null; end $$"
            .formatted(schema, statements.replace("%s", schema)));
    keeper.run(
        "create trigger %2$s after %1$s execute function %2$s.react()".formatted(event, schema));
    return new Reaction(keeper, schema);
  }

  /** What it has written into its table. */
  public String seen() {
    return schema + ".seen";
  }

  @Override
  public void close() {
    keeper.run("drop schema " + schema + " cascade");
    keeper.close();
  }
}

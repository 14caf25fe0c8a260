package dev.tidemark.retention.it.support;

import java.util.UUID;

/**
 * A place inside a function where whoever comes by waits until the test lets go: a lock that the
 * gate's own session holds, asked for by a trigger or by a row policy. Closing it lets all pass and
 * takes it away.
 */
public final class Gate implements AutoCloseable {
  private static final String VISITORS =
      "select pid from pg_stat_activity where ? = any (pg_blocking_pids(pid))";

  private final Sql keeper;
  private final String schema;
  private final String afterwards;

  private Gate(Sql keeper, String schema, String afterwards) {
    this.keeper = keeper;
    this.schema = schema;
    this.afterwards = afterwards;
  }

  /**
   * A shut gate after a kind of statement, for instance {@code delete on queen.log_txns for each
   * statement}.
   */
  public static Gate after(TestDatabase database, String event) {
    Sql keeper = database.connect();
    String schema = shut(keeper, "trigger", "null");
    keeper.run(
        "create trigger %2$s after %1$s execute function %2$s.gate()".formatted(event, schema));
    return new Gate(keeper, schema, "");
  }

  /**
   * A shut gate at the first row of {@code queen.<table>} that a session writes, or where it
   * commits that.
   */
  public static Gate atWrite(TestDatabase database, String table, Where where) {
    Sql keeper = database.connect();
    String schema = shut(keeper, "trigger", "null");
    keeper.run(
        "create constraint trigger %2$s after insert or update or delete on queen.%1$s deferrable %3$s for each row execute function %2$s.gate()"
            .formatted(table, schema, where.initially));
    return new Gate(keeper, schema, "");
  }

  /**
   * A shut gate at the first row that a statement reads of this table: its snapshot is taken, and
   * what commits now is not in it. Superusers pass; see {@link #standBefore}.
   */
  public static Gate atRead(TestDatabase database, String table) {
    Sql keeper = database.connect();
    String schema = shut(keeper, "boolean", "true");
    String before =
        keeper.value(
            "select format('alter table %1$s %%s row level security; alter table %1$s %%s row level security',"
                    .formatted(table)
                + " case when relrowsecurity then 'enable' else 'disable' end,"
                + " case when relforcerowsecurity then 'force' else 'no force' end)"
                + " from pg_class where oid = ?::regclass",
            table);
    keeper.run("alter table %s enable row level security".formatted(table));
    keeper.run("alter table %s force row level security".formatted(table));
    // Restrictive, so that no policy which is there already lets anybody past the gate.
    keeper.run("create policy %2$s_all on %1$s using (true)".formatted(table, schema));
    keeper.run(
        "create policy %2$s on %1$s as restrictive using (%2$s.gate())".formatted(table, schema));
    return new Gate(
        keeper, schema, "drop policy %2$s_all on %1$s; %3$s".formatted(table, schema, before));
  }

  /** Makes a session one that a gate at a read stops. */
  public static void standBefore(Sql session) {
    standBefore(session, "queen_retention");
  }

  /** The same, for a session that has to do what that role may. */
  public static void standBefore(Sql session, String role) {
    if (session.<Boolean>value(
        "select rolsuper or rolbypassrls from pg_roles where rolname = current_user")) {
      session.run("set role " + role);
    }
  }

  private static String shut(Sql keeper, String returns, String value) {
    String schema = "gate_" + UUID.randomUUID().toString().replace('-', '_');
    long key = schema.hashCode();
    keeper.run("set lock_timeout = '30s'");
    keeper.run("create schema " + schema);
    keeper.run("grant usage on schema %s to public".formatted(schema));
    keeper.run(
        "create function %s.gate() returns %s language plpgsql as $$ begin perform"
                .formatted(schema, returns)
            + " pg_advisory_xact_lock_shared(%d); return %s; end $$".formatted(key, value));
    keeper.rows("select pg_advisory_lock(?)", key);
    return schema;
  }

  /** The server process that everybody at the gate waits for. */
  public int backend() {
    return keeper.backend();
  }

  /** How many sessions stand before it. */
  public long waiting(Sql observer) {
    return observer.number("select count(*) from (" + VISITORS + ") v", backend());
  }

  /** The session that stands before it, once one does. */
  public int visitor(Sql observer) {
    Waiting.untilTrue(observer, "select exists (" + VISITORS + ")", backend());
    return (int) observer.number(VISITORS + " limit 1", backend());
  }

  public void open() {
    keeper.run("select pg_advisory_unlock_all()");
  }

  @Override
  public void close() {
    open();
    // The trigger or the policy goes with its function.
    keeper.run("drop schema " + schema + " cascade");
    if (!afterwards.isEmpty()) {
      keeper.run(afterwards);
    }
    keeper.close();
  }

  /** When a session that writes comes to the gate. */
  public enum Where {
    AT_THE_ROW("initially immediate"),
    AT_COMMIT("initially deferred");

    private final String initially;

    Where(String initially) {
      this.initially = initially;
    }
  }
}

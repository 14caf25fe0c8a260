package dev.tidemark.retention.it.support;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A place in other sessions' transactions where they wait until a test lets them go on. A trigger
 * waits for an advisory lock that the test holds. Needs the owner of the table.
 */
public final class Pause implements AutoCloseable {
  /** No number of the schema's own. */
  private static final long LOCK = 5_550_717L;

  private final Sql sql;
  private final String table;
  private boolean holding = true;

  private Pause(Sql sql, String table) {
    this.sql = sql;
    this.table = table;
  }

  /** At the first row of {@code queen.<table>} that a session writes, or when it commits that. */
  public static Pause on(Sql sql, String table, Where where) {
    sql.rows("select pg_advisory_lock(?)", LOCK);
    sql.run(
        "create or replace function queen.test_pause() returns trigger language plpgsql as"
            + " 'begin perform pg_advisory_xact_lock_shared("
            + LOCK
            + "); return null; end'");
    sql.run(
        "create constraint trigger test_pause after insert or update or delete on queen."
            + table
            + " deferrable "
            + where.initially
            + " for each row execute function queen.test_pause()");
    return new Pause(sql, table);
  }

  /** The session that waits here, once one does. */
  public int waiting() {
    Waiting.untilTrue(sql, "select exists (" + PIDS + ")", LOCK);
    return pids().get(0) instanceof Number pid ? pid.intValue() : -1;
  }

  private static final String PIDS =
      "select pid from pg_locks where locktype = 'advisory' and objid = ? and not granted"
          + " and database = (select oid from pg_database where datname = current_database())";

  private List<@Nullable Object> pids() {
    return sql.column(PIDS, LOCK);
  }

  /** Nobody waits here from now on. */
  public void letGo() {
    if (holding) {
      sql.rows("select pg_advisory_unlock(?)", LOCK);
      holding = false;
    }
  }

  @Override
  public void close() {
    letGo();
    sql.run("drop trigger test_pause on queen." + table);
    sql.run("drop function queen.test_pause()");
  }

  /** When a session waits. */
  public enum Where {
    AT_THE_ROW("initially immediate"),
    AT_COMMIT("initially deferred");

    private final String initially;

    Where(String initially) {
      this.initially = initially;
    }
  }
}

package dev.tidemark.retention.it.support;

/**
 * What statements of one session read from a table, by the server's own counters: the plan as it
 * ran inside a function, where no EXPLAIN reaches.
 */
public final class Reads {
  private final Sql sql;
  private final String table;

  /** Over {@code queen.<table>}. Nobody else may read the table meanwhile. */
  public Reads(Sql sql, String table) {
    this.sql = sql;
    this.table = table;
  }

  /** What {@code work} read. */
  public Read during(Runnable work) {
    Read before = counters();
    work.run();
    Read after = counters();
    return new Read(
        after.sequentialScans - before.sequentialScans,
        after.sequentialRows - before.sequentialRows,
        after.indexEntries - before.indexEntries);
  }

  private Read counters() {
    sql.run("select pg_stat_force_next_flush()");
    return new Read(
        counter("seq_scan", "pg_stat_user_tables"),
        counter("seq_tup_read", "pg_stat_user_tables"),
        counter("idx_tup_read", "pg_stat_user_indexes"));
  }

  private long counter(String column, String view) {
    return sql.number(
        "select sum(" + column + ") from " + view + " where relid = ?::regclass", "queen." + table);
  }

  public record Read(long sequentialScans, long sequentialRows, long indexEntries) {}
}

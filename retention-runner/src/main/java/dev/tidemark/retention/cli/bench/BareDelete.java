package dev.tidemark.retention.cli.bench;

import java.sql.SQLException;

/** {@code bare_delete.sql}: the least that deleting the same rows costs. */
final class BareDelete {
  private static final String SQL = BenchSql.read("bare_delete");

  private BareDelete() {}

  /** Seconds it takes, its commit included. */
  static double seconds(BenchDatabase database, long rows) throws SQLException {
    long start = System.nanoTime();
    long deleted = database.run(SQL);
    double seconds = Cycles.seconds(start);
    if (deleted != rows) {
      throw new IllegalStateException(
          "the bare DELETE took " + deleted + " rows where the runner takes " + rows);
    }
    return seconds;
  }
}

package dev.tidemark.retention.it.history;

import dev.tidemark.retention.it.support.Sql;
import java.util.UUID;

/** What is wrong with the watermarks of a row, and the statement that makes it so. */
enum Tear {
  LOST(
      "set oldest_live_at = null, oldest_txn_at = null where id = ?"
          + " and (oldest_live_at is not null or oldest_txn_at is not null)"),
  LIVE_TOO_OLD(
      "set oldest_live_at = oldest_live_at - interval '1 microsecond' where id = ? and oldest_live_at is not null"),
  TXN_TOO_YOUNG(
      "set oldest_txn_at = oldest_txn_at + interval '1 microsecond' where id = ? and oldest_txn_at is not null"),
  LIVE_WHERE_NONE_IS("set oldest_live_at = created_at where id = ? and oldest_live_at is null"),
  TXN_WHERE_NONE_IS("set oldest_txn_at = created_at where id = ? and oldest_txn_at is null");

  private final String statement;

  Tear(String set) {
    this.statement = "update queen.log_partitions " + set;
  }

  /** Whether it made the row wrong. */
  boolean on(Sql sql, UUID partition) {
    return sql.run(statement, partition) > 0;
  }
}

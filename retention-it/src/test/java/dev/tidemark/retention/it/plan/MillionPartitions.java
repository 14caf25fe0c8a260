package dev.tidemark.retention.it.plan;

import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import java.util.List;
import java.util.UUID;

/**
 * A million partitions in ten queues, numbered: the first are empty and kept by a dead letter (some
 * by streams state, too), the next are empty and dead, the rest hold a segment each, a second apart
 * from ten days ago on. One more holds {@link #DEEP} segments of the last hours. Nothing is ever
 * vacuumed, and statistics are as old as a test wants them.
 */
final class MillionPartitions {
  static final int PARTITIONS = 1_000_000;
  static final int KEPT = 100_000;
  static final int EMPTY = 200_000;
  static final int QUEUES = 10;
  static final int DEEP = 200_000;

  /** Partitions from {@link #EMPTY} on up to here have a cursor. */
  static final int READ = 300_000;

  private static final List<String> TABLES =
      List.of(
          "queen.log_partitions",
          "queen.log_segments",
          "queen.log_txns",
          "queen.log_consumers",
          "queen.log_dlq",
          "queen_streams.state");
  private static final List<String> INDEXES =
      List.of(
          "log_partitions_queue_last_write",
          "log_partitions_due_live",
          "log_partitions_due_txns",
          "log_partitions_silent");

  private final Sql sql;

  /** Over a migrated database without queues; the tables stay empty, and are known to be. */
  MillionPartitions(TestDatabase database) {
    sql = database.connect();
    TABLES.forEach(table -> sql.run("alter table " + table + " set (autovacuum_enabled = off)"));
    sql.run(
        "insert into queen.queues (id, name, retention_enabled)"
            + " select ('00000000-0000-4000-9000-' || lpad(to_hex(i), 12, '0'))::uuid, 'q' || i, true from generate_series(0, ? - 1) i",
        QUEUES);
    analyze();
  }

  /** The id of the partition with this number; the one after the last is the deep one. */
  static UUID id(long number) {
    return new UUID(0x4000L, 0x8000_0000_0000_0000L | number);
  }

  static UUID queue(long number) {
    return new UUID(0x4000L, 0x9000_0000_0000_0000L | number);
  }

  void fill() {
    // Without a foreign key check for every row, and each index built once.
    sql.run("set session_replication_role = replica");
    List<Object> definitions =
        INDEXES.stream()
            .map(i -> sql.<Object>value("select pg_get_indexdef(?::regclass)", "queen." + i))
            .toList();
    INDEXES.forEach(index -> sql.run("drop index queen." + index));
    sql.run(
        """
        insert into queen.log_partitions
               (id, queue_id, name, last_offset, log_start, txns_start, oldest_live_at, oldest_txn_at, created_at, last_write_at)
        select ('00000000-0000-4000-8000-' || lpad(to_hex(i), 12, '0'))::uuid,
               ('00000000-0000-4000-9000-' || lpad(to_hex(i %% %2$s), 12, '0'))::uuid,
               'p' || i, 0, l.start, l.start, l.at, l.at, '2000-01-01Z', '2000-01-01Z'::timestamptz + i * interval '1 s'
          from generate_series(0, %1$s - 1) i
         cross join lateral (
               select case when i < %3$s then 1 else 0 end as start,
                      case when i >= %3$s then now() - interval '10 days' + (i - %3$s) * interval '1 s' end as at) l
        """
            .formatted(PARTITIONS, QUEUES, EMPTY));
    definitions.forEach(definition -> sql.run(String.valueOf(definition)));
    for (String table : List.of("log_segments", "log_txns")) {
      sql.run(
          "insert into queen."
              + table
              + " select id, 0, 0, oldest_live_at, '' from queen.log_partitions where oldest_live_at is not null");
    }
    sql.run(
        "insert into queen.log_dlq (partition_id, transaction_id)"
            + " select id, 't' from queen.log_partitions where id < ?",
        id(KEPT));
    sql.run(
        "insert into queen_streams.state (partition_id, key)"
            + " select id, 'k' from queen.log_partitions where id < ?",
        id(KEPT / 10));
    sql.run(
        "insert into queen.log_consumers (partition_id, consumer_group, committed, created_at)"
            + " select id, 'g', 0, '2000-01-01Z' from queen.log_partitions where id >= ? and id < ?",
        id(EMPTY),
        id(READ));
    sql.run(
        "insert into queen.log_partitions (id, queue_id, name, last_offset, oldest_live_at, oldest_txn_at, last_created_at)"
            + " values (?, ?, 'deep', ? - 1, now() - interval '3 hours', now() - interval '3 hours', now())",
        id(PARTITIONS),
        queue(0),
        DEEP);
    sql.run(
        "insert into queen.log_segments select ?::uuid, i, i, now() - interval '3 hours' + i * interval '0.01 s', ''"
            + " from generate_series(0, ? - 1) i",
        id(PARTITIONS),
        DEEP);
    sql.run(
        "insert into queen.log_txns select partition_id, base_offset, end_offset, created_at, '' from queen.log_segments"
            + " where partition_id = ?",
        id(PARTITIONS));
    sql.run("reset session_replication_role");
  }

  void analyze() {
    TABLES.forEach(table -> sql.run("analyze " + table));
  }

  /** Every window of every queue is this long. */
  void windows(int seconds) {
    sql.run(
        "update queen.queues set retention_seconds = ?, completed_retention_seconds = ?, max_wait_time_seconds = ?,"
            + " dedup_window_seconds = ?",
        seconds,
        seconds,
        seconds,
        seconds);
  }

  /**
   * What retention leaves until a vacuum: the deep log is deleted up to {@code offset}, and read a
   * little further by a group {@code reader}; the first {@code partitions} of the empty dead ones
   * are gone, and the watermark of as many that hold data has moved to now.
   */
  void deleteHeads(long offset, int partitions) {
    sql.run("set session_replication_role = replica");
    for (String table : List.of("log_segments", "log_txns")) {
      sql.run(
          "delete from queen." + table + " where partition_id = ? and base_offset < ?",
          id(PARTITIONS),
          offset);
    }
    sql.run(
        "update queen.log_partitions p set log_start = ?, txns_start = ?, oldest_live_at = s.created_at, oldest_txn_at = s.created_at"
            + " from queen.log_segments s where p.id = ? and s.partition_id = p.id and s.base_offset = ?",
        offset,
        offset,
        id(PARTITIONS),
        offset);
    sql.run(
        "insert into queen.log_consumers (partition_id, consumer_group, committed) values (?, 'reader', ? + 50)",
        id(PARTITIONS),
        offset);
    sql.run(
        "delete from queen.log_partitions where id >= ? and id < ?",
        id(KEPT),
        id(KEPT + partitions));
    sql.run(
        "update queen.log_partitions set oldest_live_at = now(), oldest_txn_at = now() where id >= ? and id < ?",
        id(EMPTY),
        id(EMPTY + partitions));
    sql.run("reset session_replication_role");
  }

  void deleteEverything() {
    sql.run("set session_replication_role = replica");
    TABLES.forEach(table -> sql.run("delete from " + table));
    sql.run("reset session_replication_role");
  }
}

package dev.tidemark.retention.it.support;

/** Many partitions whose head a cursor holds, made in bulk. */
public final class HeldPartitions {
  private HeldPartitions() {}

  /**
   * Adds them to every queue there is: one segment of a day ago each, due by consumption where the
   * queue has a shorter window. A tenth has no cursor, the others one at the beginning.
   */
  public static void add(Sql sql, int partitions) {
    // Without a foreign key check for every row.
    sql.run("set session_replication_role = replica");
    sql.run(
        "insert into queen.log_partitions (queue_id, name, last_offset, oldest_live_at, last_created_at)"
            + " select q.id, 'held' || i, 0, now() - interval '1 day' + i * interval '1 millisecond', now()"
            + "   from queen.queues q, generate_series(1, ?) i",
        partitions);
    sql.run(
        "insert into queen.log_segments (partition_id, base_offset, end_offset, created_at, blob)"
            + " select id, 0, 0, oldest_live_at, '' from queen.log_partitions where name like 'held%'");
    sql.run(
        "insert into queen.log_consumers (partition_id, consumer_group)"
            + " select id, 'g' from queen.log_partitions where name like 'held%' and name not like '%3'");
    sql.run("reset session_replication_role");
  }
}

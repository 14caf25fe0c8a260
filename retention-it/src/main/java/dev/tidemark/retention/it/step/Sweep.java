package dev.tidemark.retention.it.step;

import dev.tidemark.retention.it.step.Drain.Cutoffs;
import dev.tidemark.retention.it.support.Sql;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One sweep over all that a partition holds, by plain statements: where every drain has to end. */
public final class Sweep {
  private Sweep() {}

  /**
   * What the rules say, without the engine: everything old enough goes at once, and the row says
   * what is left.
   */
  public static void over(Sql sql, UUID partition, Cutoffs cutoffs) {
    Map<String, @Nullable Object> gone =
        sql.row(
            """
            with gone as (
                delete from queen.log_segments s
                 where s.partition_id = ?
                   and (s.created_at < ?::timestamptz
                        or s.created_at < ?::timestamptz
                        or s.created_at < ?::timestamptz
                           and s.end_offset <= (select min(c.committed) from queen.log_consumers c where c.partition_id = s.partition_id))
                returning s.end_offset - s.base_offset + 1 as messages)
            select count(*) as segments, coalesce(sum(messages), 0)::bigint as messages from gone
            """,
            partition,
            cutoffs.all(),
            cutoffs.maxWait(),
            cutoffs.completed());
    sql.run(
        "delete from queen.log_txns where partition_id = ? and created_at < ?::timestamptz",
        partition,
        cutoffs.txns());
    sql.run(
        """
        update queen.log_partitions p
           set log_start = coalesce((select min(s.base_offset) from queen.log_segments s where s.partition_id = p.id), p.last_offset + 1),
               oldest_live_at = (select min(s.created_at) from queen.log_segments s where s.partition_id = p.id),
               txns_start = coalesce((select min(t.base_offset) from queen.log_txns t where t.partition_id = p.id), p.last_offset + 1),
               oldest_txn_at = (select min(t.created_at) from queen.log_txns t where t.partition_id = p.id)
         where p.id = ?
        """,
        partition);
    sql.run(
        "insert into queen.retention_history"
            + " (partition_id, segments_deleted, messages_deleted, retention_type)"
            + " values (?, ?, ?, 'sweep')",
        partition,
        gone.get("segments"),
        gone.get("messages"));
  }
}

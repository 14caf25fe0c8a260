package dev.tidemark.retention.it.support;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The invariants of the schema that one look at the tables can check, over every partition. */
public final class Invariants {
  private static final String CHECK =
      """
      with segments as (
          select s.*, lead(s.base_offset) over w as next_base, lead(s.created_at) over w as next_at,
                 row_number() over w as nr
            from queen.log_segments s
          window w as (partition by s.partition_id order by s.base_offset)),
      txns as (
          select t.*, lead(t.base_offset) over w as next_base, row_number() over w as nr
            from queen.log_txns t
          window w as (partition by t.partition_id order by t.base_offset)),
      live as (
          select p.*, f.base_offset as first_base, f.created_at as first_at, l.end_offset as last_end,
                 tf.base_offset as first_txn, tf.created_at as first_txn_at, tl.end_offset as last_txn_end
            from queen.log_partitions p
            left join segments f on f.partition_id = p.id and f.nr = 1
            left join segments l on l.partition_id = p.id and l.next_base is null
            left join txns tf on tf.partition_id = p.id and tf.nr = 1
            left join txns tl on tl.partition_id = p.id and tl.next_base is null)
      select id::text as partition, '1: log_start is not the first live base_offset' as broken
        from live where log_start is distinct from coalesce(first_base, last_offset + 1)
      union all select id::text, '1: txns_start is not the first sidecar base_offset'
        from live where txns_start is distinct from coalesce(first_txn, last_offset + 1)
      union all select id::text, '3: the live segments do not end at last_offset'
        from live where last_end is distinct from (case when first_base is not null then last_offset end)
      union all select id::text, '3: the sidecar does not end at last_offset'
        from live where last_txn_end is distinct from (case when first_txn is not null then last_offset end)
      union all select partition_id::text, '3: live segments are not contiguous'
        from segments where next_base <> end_offset + 1
      union all select partition_id::text, '3: sidecar rows are not contiguous'
        from txns where next_base <> end_offset + 1
      union all select partition_id::text, '4: created_at goes back'
        from segments where next_at < created_at
      union all select id::text, '6: oldest_live_at is not that of the segment at log_start'
        from live where oldest_live_at is distinct from first_at
      union all select id::text, '6: oldest_txn_at is not that of the row at txns_start'
        from live where oldest_txn_at is distinct from first_txn_at
      """;

  private Invariants() {}

  /** What is broken; empty when all hold. */
  public static List<Map<String, @Nullable Object>> broken(Sql sql) {
    return sql.rows(CHECK);
  }
}

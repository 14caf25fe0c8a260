package dev.tidemark.retention.it.support;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Whether anybody still holds what a runner or a step holds while it works. */
public final class Locks {
  private static final String HELD =
      """
      with partitions as (select id from queen.log_partitions for update skip locked),
      tasks as (select task from queen.maintenance_leases for update skip locked)
      select 'the lock of the sweep' as held, l.pid::text as which
        from pg_locks l
       where l.locktype = 'advisory' and l.objid = 737001
         and l.database = (select oid from pg_database where datname = current_database())
      union all select 'the row of a partition', p.id::text
        from queen.log_partitions p where p.id not in (select id from partitions)
      union all select 'the row of a task', t.task
        from queen.maintenance_leases t where t.task not in (select task from tasks)
      """;

  private Locks() {}

  /** What is held; empty when a new session could have all of it at once. */
  public static List<Map<String, @Nullable Object>> held(Sql sql) {
    return sql.rows(HELD);
  }
}

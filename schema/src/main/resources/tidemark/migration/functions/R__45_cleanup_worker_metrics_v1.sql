create or replace function queen.cleanup_worker_metrics_v1(p_cutoff timestamptz, p_max_rows int)
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- cleanup_worker_metrics_v1(cutoff, max_rows)
--   -> {"deleted", "done", "worker_metrics", "queue_lag_metrics", "system_metrics", "retention_history",
--       "retention_history_minutes", "table_history"}
--
-- Purpose  Trim samples, retention_history, its minute totals and table_history to the metrics window, oldest first.
-- Expects  cutoff = now - METRICS_RETENTION_DAYS; NULL turns the purge off. max_rows >= 1 bounds each table. Loop until done.
-- Ensures  No row at or after cutoff goes; a total goes when its whole minute is before cutoff. done: no table gave a full batch.
-- Locks    The rows it deletes, to this call's commit; totals SKIP LOCKED, since a roll-up locks them in another order.
-- Errors   22023 bad max_rows. TM001, TM002 see require_step_context_v1.
declare
    c_minutes constant text := 'retention_history_minutes';
    c_tables  constant jsonb := '{"worker_metrics": "sampled_at", "queue_lag_metrics": "sampled_at", "system_metrics": "sampled_at",
                                  "retention_history": "executed_at", "retention_history_minutes": "minute",
                                  "table_history": "executed_at"}'::jsonb;
    v_table   text;
    v_column  text;
    v_deleted bigint;
    v_total   bigint := 0::bigint;
    v_result  jsonb := '{}'::jsonb;
    v_done    boolean := true;
begin
    perform queen.require_step_context_v1(p_function => 'cleanup_worker_metrics_v1', p_max_rows => p_max_rows);
    for v_table, v_column in select t.key, t.value from jsonb_each_text(c_tables) t loop
        execute format(
            'delete from queen.%1$I m'
            ' where m.id = any (array(select o.id from queen.%1$I o where o.%2$I < $1 order by o.%2$I limit %3$s%4$s)) and m.%2$I < $1',
            v_table, v_column, p_max_rows, case v_table when c_minutes then ' for update skip locked' else '' end)
          using case v_table when c_minutes then date_bin('1 minute', p_cutoff, 'epoch'::timestamptz) else p_cutoff end;
        get diagnostics v_deleted = row_count;
        v_total := v_total + v_deleted;
        v_done := v_done and v_deleted < p_max_rows;
        v_result := v_result || jsonb_build_object(v_table, v_deleted);
    end loop;
    return v_result || jsonb_build_object('deleted', v_total, 'done', v_done);
end
$$;

revoke all on function queen.cleanup_worker_metrics_v1 from public;
grant execute on function queen.cleanup_worker_metrics_v1 to queen_retention;
call queen.publish_contract_v1('queen.cleanup_worker_metrics_v1');

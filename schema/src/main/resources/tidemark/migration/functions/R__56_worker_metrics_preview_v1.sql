create or replace function queen.worker_metrics_preview_v1(p_cutoff timestamptz, p_max_rows int)
    returns table (table_name text, rows bigint)
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set enable_bitmapscan = off
    set jit = off
as $$
-- worker_metrics_preview_v1(cutoff, max_rows) -> (table_name, rows), one row a table
--
-- Purpose  How many rows of samples and history phase 5 (cleanup_worker_metrics_v1) would delete if it ran until done.
-- Expects  cutoff = now - METRICS_RETENTION_DAYS; NULL: none. max_rows >= 1 ends the count of each table.
-- Ensures  rows = max_rows means at least so many. Reads at most max_rows index entries a table. What is only to be rolled up
--          into minute totals is none of it.
-- Locks    None.
-- Errors   22023 bad max_rows.
declare
    c_tables constant jsonb := '{"worker_metrics": "sampled_at", "queue_lag_metrics": "sampled_at", "system_metrics": "sampled_at",
                                 "retention_history": "executed_at", "retention_history_minutes": "minute",
                                 "table_history": "executed_at"}'::jsonb;
    v_column text;
begin
    if (p_max_rows >= 1) is not true then
        raise exception 'worker_metrics_preview_v1: p_max_rows must be at least 1, not %', coalesce(p_max_rows::text, 'null')
            using errcode = '22023';
    end if;
    for table_name, v_column in select t.key, t.value from jsonb_each_text(c_tables) t loop
        execute format(
            'select count(*) from (select 1 from queen.%1$I m where m.%2$I < $1 order by m.%2$I limit %3$s) o',
            table_name, v_column, p_max_rows)
           into rows
          using case table_name
                    when 'retention_history_minutes' then date_bin('1 minute', p_cutoff, 'epoch'::timestamptz)
                    else p_cutoff end;
        return next;
    end loop;
end
$$;

revoke all on function queen.worker_metrics_preview_v1 from public;
grant execute on function queen.worker_metrics_preview_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.worker_metrics_preview_v1');

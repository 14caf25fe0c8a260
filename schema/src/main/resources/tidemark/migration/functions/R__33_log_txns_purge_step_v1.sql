create or replace function queen.log_txns_purge_step_v1(p_pid uuid, p_cutoff timestamptz, p_max_rows int)
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set enable_bitmapscan = off
    set jit = off
    set plan_cache_mode = force_generic_plan
as $$
-- log_txns_purge_step_v1(pid, cutoff, max_rows) -> {"deleted", "new_txns_start", "done", "held_ms"}
--
-- Purpose  Purge at most max_rows sidecar rows of one partition, oldest first.
-- Expects  cutoff from the cycle's one clock; NULL turns the purge off. max_rows >= 1. Loop until done or deleted = 0.
-- Ensures  No row at or after cutoff goes. txns_start and oldest_txn_at move together, never back. done is false when a full
--          batch went and more is there. held_ms: from the grant of the lock to the answer. A vanished partition: deleted 0,
--          new_txns_start null, done. Safe to repeat.
-- Locks    The partition row FOR UPDATE, to this call's commit: a push's deduplication probe reads txns_start under it.
-- Errors   22023 pid is NULL, bad max_rows. XX001 times decrease within the batch. TM001, TM002 see require_step_context_v1.
declare
    v_txns_start bigint;
    v_next       bigint;
    v_locked_at  timestamptz;
    v_edge       bigint[];
    v_from       bigint;
    v_kept       bigint;
    v_deleted    bigint;
begin
    perform queen.require_step_context_v1(p_function => 'log_txns_purge_step_v1', p_max_rows => p_max_rows);
    if p_pid is null then
        raise exception 'log_txns_purge_step_v1: p_pid must not be null' using errcode = '22023';
    end if;

    -- A statement of its own, as in log_retention_step_v1, and so is the way to the first row that stays.
    select p.txns_start, p.last_offset + 1 into v_txns_start, v_next
      from queen.log_partitions p
     where p.id = p_pid
       for update;
    v_locked_at := clock_timestamp();

    select array_agg(e.base_offset order by e.base_offset) into v_edge
      from (select t.base_offset
              from queen.log_txns t
             where t.partition_id = p_pid and t.base_offset >= v_txns_start
             order by t.base_offset
            offset p_max_rows - 1
             limit 2) e;

    v_from := coalesce(v_edge[1], v_txns_start);
    loop
        select t.base_offset into v_kept
          from queen.log_txns t
         where t.partition_id = p_pid
           and t.base_offset >= v_from
           and t.base_offset <= coalesce(v_edge[1], 9223372036854775807)
           and (t.created_at < p_cutoff) is not true
         order by t.base_offset
         limit 1;
        exit when v_kept is null or v_from = v_txns_start;
        v_from := v_txns_start;
    end loop;

    v_next := coalesce(v_kept, v_edge[2], v_next);
    delete from queen.log_txns t
     where t.partition_id = p_pid
       and t.base_offset >= v_txns_start
       and t.base_offset < v_next
       and t.created_at < p_cutoff;
    get diagnostics v_deleted = row_count;
    if v_kept is null and v_edge[1] is not null and v_deleted <> p_max_rows then
        raise exception 'log_txns_purge_step_v1: partition % is out of order: % of the % hash rows from offset % may go, but not those before the last',
            p_pid, v_deleted, p_max_rows, v_txns_start
            using errcode = 'XX001';
    end if;
    if v_deleted = 0 then
        return jsonb_build_object(
            'deleted', 0, 'new_txns_start', v_txns_start, 'done', true,
            'held_ms', round(extract(epoch from clock_timestamp() - v_locked_at) * 1000, 3));
    end if;

    update queen.log_partitions p
       set txns_start = greatest(p.txns_start, v_next),
           oldest_txn_at = (select t.created_at
                              from queen.log_txns t
                             where t.partition_id = p_pid and t.base_offset >= v_next
                             order by t.base_offset
                             limit 1)
     where p.id = p_pid;

    return jsonb_build_object(
        'deleted', v_deleted,
        'new_txns_start', v_next,
        'done', (v_next = v_edge[2]) is not true,
        'held_ms', round(extract(epoch from clock_timestamp() - v_locked_at) * 1000, 3));
end
$$;

revoke all on function queen.log_txns_purge_step_v1 from public;
grant execute on function queen.log_txns_purge_step_v1 to queen_retention;
call queen.publish_contract_v1('queen.log_txns_purge_step_v1');

create or replace function queen.log_txns_purge_step_v1(p_pid uuid, p_cutoff timestamptz, p_max_rows int)
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set enable_bitmapscan = off
    set jit = off
as $$
-- log_txns_purge_step_v1(pid, cutoff, max_rows) -> {"deleted", "new_txns_start", "done"}
--
-- Purpose  Purge at most max_rows sidecar rows of one partition, oldest first.
-- Expects  cutoff from the cycle's one clock; NULL turns the purge off. max_rows >= 1. Loop until done or deleted = 0.
-- Ensures  No row at or after cutoff goes. txns_start and oldest_txn_at move together, never back. done is false when the
--          boundary was the batch horizon. A vanished partition: deleted 0, new_txns_start null, done. Safe to repeat.
-- Locks    The partition row FOR UPDATE, to this call's commit: a push's deduplication probe reads txns_start under it.
-- Errors   22023 pid is NULL, bad max_rows. TM001, TM002 see require_step_context_v1.
declare
    v_txns_start bigint;
    v_horizon    bigint;
    v_boundary   bigint;
    v_oldest     timestamptz;
    v_deleted    bigint;
begin
    perform queen.require_step_context_v1(p_function => 'log_txns_purge_step_v1', p_max_rows => p_max_rows);
    if p_pid is null then
        raise exception 'log_txns_purge_step_v1: p_pid must not be null' using errcode = '22023';
    end if;

    -- A statement of its own, as in log_retention_step_v1.
    select p.txns_start into v_txns_start from queen.log_partitions p where p.id = p_pid for update;
    if not found then
        return jsonb_build_object('deleted', 0, 'new_txns_start', null, 'done', true);
    end if;

    select t.base_offset into v_horizon
      from queen.log_txns t
     where t.partition_id = p_pid and t.base_offset >= v_txns_start
     order by t.base_offset
    offset p_max_rows
     limit 1;

    -- The first fresh row inside the batch ends the walk; nothing fresh: the horizon, or the end of the sidecar.
    select t.base_offset into v_boundary
      from queen.log_txns t
     where t.partition_id = p_pid
       and t.base_offset >= v_txns_start
       and t.base_offset < coalesce(v_horizon, 9223372036854775807)
       and t.created_at >= p_cutoff
     order by t.base_offset
     limit 1;
    if not found and p_cutoff is not null then
        v_boundary := v_horizon;
        if v_boundary is null then
            select t.end_offset + 1 into v_boundary
              from queen.log_txns t
             where t.partition_id = p_pid and t.base_offset >= v_txns_start
             order by t.base_offset desc
             limit 1;
        end if;
    end if;

    delete from queen.log_txns t
     where t.partition_id = p_pid and t.base_offset >= v_txns_start and t.base_offset < v_boundary;
    get diagnostics v_deleted = row_count;
    if v_deleted = 0 then
        return jsonb_build_object('deleted', 0, 'new_txns_start', v_txns_start, 'done', true);
    end if;

    select t.created_at into v_oldest
      from queen.log_txns t
     where t.partition_id = p_pid and t.base_offset >= v_boundary
     order by t.base_offset
     limit 1;
    update queen.log_partitions p
       set txns_start = greatest(p.txns_start, v_boundary),
           oldest_txn_at = v_oldest
     where p.id = p_pid;

    return jsonb_build_object(
        'deleted', v_deleted,
        'new_txns_start', v_boundary,
        'done', v_boundary is distinct from v_horizon);
end
$$;

revoke all on function queen.log_txns_purge_step_v1 from public;
grant execute on function queen.log_txns_purge_step_v1 to queen_retention;
call queen.publish_contract_v1('queen.log_txns_purge_step_v1');

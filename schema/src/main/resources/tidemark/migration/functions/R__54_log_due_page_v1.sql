create or replace function queen.log_due_page_v1(
    p_phase    int,
    p_queue_id uuid,
    p_from     timestamptz,
    p_cutoff   timestamptz,
    p_after_at timestamptz,
    p_after_id uuid,
    p_max_rows int)
    returns table (partition_id uuid, watermark timestamptz)
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set enable_bitmapscan = off
    set jit = off
as $$
-- log_due_page_v1(phase, queue_id, from, cutoff, after_at, after_id, max_rows) -> (partition_id, watermark)
--
-- Purpose  The next page of what log_work_list_v1 listed of one queue and lane.
-- Expects  phase 1, 2 or 3. cutoff: that list's, so that a cycle has one clock. from: where the lane begins (by consumption, the age
--          cutoff), or NULL. after_at and after_id: the last row read, or both NULL. max_rows >= 1.
-- Ensures  from <= watermark < cutoff, strictly after the last row read, oldest first. One index range. Fewer than max_rows: the end.
-- Locks    None.
-- Errors   22023 another phase, half a last row, or an argument that is NULL or below 1.
declare
    v_from   timestamptz := coalesce(p_from, '-infinity');
    v_after  boolean     := coalesce(p_after_at >= v_from, false);
    v_column text        := case p_phase when 2 then 'oldest_txn_at' else 'oldest_live_at' end;
begin
    if (p_phase between 1 and 3 and p_queue_id is not null and p_cutoff is not null and p_max_rows >= 1
        and num_nulls(p_after_at, p_after_id) in (0, 2)) is not true then
        raise exception 'log_due_page_v1: p_phase must be 1 to 3, p_queue_id and p_cutoff not null, p_max_rows at least 1, and p_after_at and p_after_id both or neither null'
            using errcode = '22023';
    end if;

    -- A literal limit, as in log_work_list_v1. One pair bounds the range from below (no partition has the nil id).
    return query execute format($query$
        select p.id, p.%1$I
          from queen.log_partitions p
         where p.queue_id = $1 and (p.%1$I, p.id) > ($2, $3) and p.%1$I < $4
         order by p.%1$I, p.id
         limit %2$s
        $query$, v_column, p_max_rows)
        using p_queue_id,
              case when v_after then p_after_at else v_from end,
              case when v_after then p_after_id else '00000000-0000-0000-0000-000000000000'::uuid end,
              p_cutoff;
end
$$;

revoke all on function queen.log_due_page_v1 from public;
grant execute on function queen.log_due_page_v1 to queen_retention;
call queen.publish_contract_v1('queen.log_due_page_v1');

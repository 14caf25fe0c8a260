create or replace function queen.log_watermark_walk_step_v1(p_after uuid, p_max_rows int)
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set enable_bitmapscan = off
    set jit = off
as $$
-- log_watermark_walk_step_v1(after, max_rows) -> {"scanned", "repaired", "held", "last_id", "done"}
--
-- Purpose  Re-derive oldest_live_at and oldest_txn_at from the tables and mend the rows that drifted: the first fill after an
--          upgrade, and the safety walk after it.
-- Expects  after = last_id of the call before, NULL to begin. max_rows >= 1 bounds the rows read. Loop until done, and walk
--          again when held was more than 0.
-- Ensures  A healthy page takes no row lock. The call ends with the first 64 rows in which something drifted, so it mends at most
--          64. What is written was read again under the lock. A drifted row that someone else holds is passed and counted in
--          held: nothing is waited for, and nobody stops the walk. scanned counts up to last_id; done: the last page was not full.
-- Locks    Up to 64 drifted rows FOR UPDATE, ascending in one statement, SKIP LOCKED, to this call's commit.
-- Errors   22023 bad max_rows. TM001, TM002 see require_step_context_v1.
declare
    c_slice    constant int := 64;
    v_page     uuid[];
    v_rows     int;
    v_read     int := 0;
    v_drifted  uuid[];
    v_locked   uuid[];
    v_repaired bigint := 0::bigint;
begin
    perform queen.require_step_context_v1(p_function => 'log_watermark_walk_step_v1', p_max_rows => p_max_rows);

    -- Bounds and LIMIT are literals, so that the page is one index range whatever the statistics say.
    execute format(
        'select array_agg(p.id order by p.id) from ('
        '  select q.id from queen.log_partitions q where %s order by q.id limit %s) p',
        case when p_after is null then 'true' else format('q.id > %L::uuid', p_after) end, p_max_rows)
       into v_page;
    v_rows := coalesce(cardinality(v_page), 0);

    -- Slice by slice: reading a whole page of drifted rows to mend a few would read it again in every call.
    while v_read < v_rows and v_drifted is null loop
        select array_agg(w.id) into v_drifted
          from queen.log_watermark_truth_v1(p_ids => v_page[v_read + 1 : v_read + c_slice]) w
         where w.drifted;
        v_read := least(v_read + c_slice, v_rows);
    end loop;

    if v_drifted is not null then
        select array_agg(l.id) into v_locked
          from (select p.id
                  from queen.log_partitions p
                 where p.id = any (v_drifted)
                 order by p.id
                   for update skip locked) l;

        -- A new statement: the truth as it is now that nobody can push, delete or seek.
        update queen.log_partitions p
           set oldest_live_at = w.live_at,
               oldest_txn_at = w.txn_at
          from queen.log_watermark_truth_v1(p_ids => v_locked) w
         where p.id = w.id and w.drifted;
        get diagnostics v_repaired = row_count;
    end if;

    return jsonb_build_object(
        'scanned', v_read,
        'repaired', v_repaired,
        -- One that vanished meanwhile needs no second look.
        'held', (select count(*) from queen.log_partitions p where p.id = any (v_drifted) and not p.id = any (coalesce(v_locked, '{}'))),
        'last_id', coalesce(v_page[v_read], p_after),
        'done', v_read = v_rows and v_rows < p_max_rows);
end
$$;

revoke all on function queen.log_watermark_walk_step_v1 from public;
grant execute on function queen.log_watermark_walk_step_v1 to queen_retention;
call queen.publish_contract_v1('queen.log_watermark_walk_step_v1');

create or replace function queen.log_watermark_walk_step_v1(p_after uuid, p_max_rows int)
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- log_watermark_walk_step_v1(after, max_rows) -> {"scanned", "repaired", "last_id", "done"}
--
-- Purpose  Re-derive oldest_live_at and oldest_txn_at from the tables and mend the rows that drifted: the first fill after an
--          upgrade, and the safety walk after it.
-- Expects  after = last_id of the call before, NULL to begin. max_rows >= 1 bounds the rows read. Loop until done.
-- Ensures  A healthy page takes no row lock. At most 64 rows are mended a call; last_id then stops there, and before a drifted
--          row that someone else held, so the next call begins with it. What is written was read again under the lock.
--          scanned counts up to last_id; done: the last page was not full.
-- Locks    The first drifted row FOR UPDATE, waited for while nothing else is held; then up to 63 later ones, ascending, SKIP
--          LOCKED, which never wait. To this call's commit.
-- Errors   22023 bad max_rows. TM001, TM002 see require_step_context_v1.
declare
    c_group    constant int := 64;
    v_page     uuid[];
    v_drifted  uuid[];
    v_held     uuid[];
    v_skipped  uuid;
    v_last_id  uuid;
    v_repaired bigint := 0;
    v_scanned  bigint;
begin
    perform queen.require_step_context_v1(p_function => 'log_watermark_walk_step_v1', p_max_rows => p_max_rows);

    -- Bounds and LIMIT are literals, so that the page is one index range whatever the statistics say.
    execute format(
        'select array_agg(p.id order by p.id) from ('
        '  select q.id from queen.log_partitions q where %s order by q.id limit %s) p',
        case when p_after is null then 'true' else format('q.id > %L::uuid', p_after) end, p_max_rows)
       into v_page;
    v_last_id := v_page[cardinality(v_page)];

    select array_agg(d.id order by d.id) into v_drifted
      from (select w.id from queen.log_watermark_truth_v1(p_ids => v_page) w where w.drifted order by w.id limit c_group) d;

    if v_drifted is not null then
        perform 1 from queen.log_partitions p where p.id = v_drifted[1] for update;
        select array_agg(l.id) into v_held
          from (select p.id
                  from queen.log_partitions p
                 where p.id = any (v_drifted)
                 order by p.id
                   for update skip locked) l;

        -- A new statement: the truth as it is now that nobody can push, delete or seek.
        update queen.log_partitions p
           set oldest_live_at = w.live_at,
               oldest_txn_at = w.txn_at
          from queen.log_watermark_truth_v1(p_ids => v_held) w
         where p.id = w.id and w.drifted;
        get diagnostics v_repaired = row_count;

        if cardinality(v_drifted) = c_group then
            v_last_id := v_drifted[c_group];
        end if;
        -- A row that someone else held is looked at again; one that vanished needs no look.
        select p.id into v_skipped
          from queen.log_partitions p
         where p.id = any (v_drifted) and not p.id = any (coalesce(v_held, '{}'))
         order by p.id
         limit 1;
        if found then
            v_last_id := coalesce((select u.id from unnest(v_page) u(id) where u.id < v_skipped order by u.id desc limit 1), p_after);
        end if;
    end if;

    v_scanned := (select count(*) from unnest(v_page) u(id) where u.id <= v_last_id);
    return jsonb_build_object(
        'scanned', v_scanned,
        'repaired', v_repaired,
        'last_id', coalesce(v_last_id, p_after),
        'done', v_scanned = coalesce(cardinality(v_page), 0) and v_scanned < p_max_rows);
end
$$;

revoke all on function queen.log_watermark_walk_step_v1 from public;
grant execute on function queen.log_watermark_walk_step_v1 to queen_retention;
call queen.publish_contract_v1('queen.log_watermark_walk_step_v1');

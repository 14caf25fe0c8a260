create or replace function queen.table_delete_step_v1(p_name text, p_cutoff timestamptz, p_max_rows int, p_lock_ms int default 50)
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
    set lock_timeout = '50ms'
as $$
-- table_delete_step_v1(name, cutoff, max_rows, lock_ms)
--   -> {"policy", "relation", "leaf", "deleted", "archived", "skipped", "kept", "newest", "done", "stuck", "state", "cutoff", "held_ms"}
--
-- Purpose  Delete at most max_rows rows of an event table, oldest first, from one of its leaves, or move them into the archive.
-- Expects  cutoff from the caller's one clock; NULL turns it off. max_rows >= 1. lock_ms: 1 to 60000, how long it waits for a
--          row, or for the table. Loop until done, or stuck, or the state is not ok.
-- Ensures  A row goes if its time is before table_bound_v1 of the cutoff, or of now() - keep if that is earlier, and the
--          predicate holds. It begins where the last step of the leaf ended. Rows that a writer holds are passed (skipped);
--          kept: rows that it chose and a trigger, or a change made just now, did not let go. newest: the time of the last row
--          chosen, in the column's own terms. done: no leaf had anything left, from its beginning; false after a full batch,
--          and where rows that stay were enough for one step. stuck: something is left, and nothing of it could go, which each
--          leaf is asked once for one cutoff. One table_history row if and only if something went. cutoff: the one that was
--          used. state: ok; disabled: nothing was done, and nothing is to do; busy: somebody else is at this policy, nothing
--          was done.
-- Locks    The policy, by pg_try_advisory_xact_lock (737002, hashtext of its name); the table as table_open_v1; the rows it
--          deletes, as DELETE does. All to this call's commit.
-- Errors   22023 bad max_rows, lock_ms or cutoff. TM008 no such policy. TM009 see table_open_v1; or a leaf has no index on the
--          time, or is a foreign table, and no other leaf has anything left. TM010 see table_leaf_batch_v1. 55P03 something is
--          held for longer than lock_ms. 42501 a privilege is missing, or row security would hide rows. What a trigger or a
--          foreign key raises. TM001, TM002 see require_step_context_v1.
declare
    v_found   record;
    v_cutoff  timestamptz;
    v_leaf    record;
    v_batch   record;
    v_began   timestamptz;
    v_deleted bigint := 0::bigint;
    v_left    boolean := false;
    v_full    boolean := false;
    v_next    oid;
    v_more    boolean := false;
    v_locked  bigint := 0::bigint;
    v_until   timestamptz := clock_timestamp() + interval '50 milliseconds';
    v_bare    text;
    v_mend    text;
    v_stuck   boolean;
    v_answer  jsonb := jsonb_build_object(
        'policy', p_name, 'relation', null, 'leaf', null, 'deleted', 0, 'archived', 0, 'skipped', 0, 'kept', 0, 'newest', null,
        'done', true, 'stuck', false, 'state', 'ok', 'cutoff', null, 'held_ms', 0);
    v_skipped bigint := 0::bigint;
    v_kept    bigint := 0::bigint;
begin
    perform queen.require_step_context_v1(p_function => 'table_delete_step_v1', p_max_rows => p_max_rows);
    if (p_lock_ms between 1 and 60000) is not true then
        raise exception 'table_delete_step_v1: p_lock_ms must be from 1 to 60000, not %', coalesce(p_lock_ms::text, 'null')
            using errcode = '22023';
    end if;
    -- Undone when the function ends, by its SET clause.
    perform set_config('lock_timeout', p_lock_ms::text, true);
    if not pg_try_advisory_xact_lock(737002, hashtext(p_name)) then
        return v_answer || '{"state": "busy", "done": false}';
    end if;
    select o.* into v_found from queen.table_open_v1(p_name => p_name) o;
    v_cutoff := least(p_cutoff, queen.table_cutoff_v1(p_keep => (v_found.policy).keep));
    v_answer := v_answer || jsonb_build_object('relation', v_found.relation, 'cutoff', v_cutoff);
    if p_cutoff is null or not (v_found.policy).enabled then
        return v_answer || jsonb_build_object('state', case when (v_found.policy).enabled then 'ok' else 'disabled' end, 'cutoff', null);
    end if;

    for v_leaf in
        select l.leaf_id, l.leaf, l.kind, lead(l.leaf_id) over (order by l.leaf_id < r.leaf_id, l.leaf_id) is null as is_last
          from queen.table_leaves_v1(p_relation => (v_found.policy).relation_id) l
          left join queen.table_runs r on r.policy = p_name
         order by l.leaf_id < r.leaf_id, l.leaf_id
    loop
        if v_leaf.kind <> 'r' or queen.table_index_v1(p_leaf => v_leaf.leaf_id, p_column => (v_found.policy).column_name) is null then
            v_bare := case when v_leaf.kind <> 'r' then format('leaf %s is a foreign table', v_leaf.leaf)
                           else format('leaf %s has no index on %I', v_leaf.leaf, (v_found.policy).column_name) end;
            v_mend := case when v_leaf.kind = 'r' then format('create index concurrently on %s (%I);', v_leaf.leaf, (v_found.policy).column_name)
                           else 'Detach it: retention deletes from tables only.' end;
            continue;
        end if;
        v_began := clock_timestamp();
        select b.* into v_batch
          from queen.table_leaf_step_v1(
                   p_policy => v_found.policy, p_leaf_id => v_leaf.leaf_id, p_type => v_found.column_type,
                   p_bound => queen.table_bound_v1(
                       p_kind => (v_found.policy).kind, p_zone => (v_found.policy).zone, p_type => v_found.column_type,
                       p_cutoff => v_cutoff),
                   p_cutoff => p_cutoff, p_max_rows => case when v_deleted = 0 then p_max_rows end,
                   p_archive => v_found.archive, p_columns => v_found.archive_columns) b;
        v_left := v_left or v_batch.remains;
        v_skipped := v_skipped + v_batch.skipped;
        if v_deleted = 0 then
            v_deleted := v_batch.deleted;
            v_full := v_batch.full_batch;
            v_kept := v_kept + v_batch.chosen - v_batch.deleted;
        end if;
        if v_deleted > 0 and v_answer ->> 'leaf' is null or v_full then
            v_answer := v_answer || jsonb_build_object(
                'leaf', v_batch.leaf, 'deleted', v_batch.deleted, 'archived', v_batch.archived, 'newest', v_batch.last,
                'held_ms', round(extract(epoch from clock_timestamp() - v_began) * 1000, 3));
            v_next := v_leaf.leaf_id;
        end if;
        exit when v_full or v_deleted > 0 and v_left;
        -- Rows that stay are locked to the end of the step all the same, and so it ends. The next one begins at this leaf.
        v_locked := v_locked + v_batch.chosen;
        if v_deleted = 0 and v_locked > 0 and not v_leaf.is_last and (v_locked >= p_max_rows or clock_timestamp() > v_until) then
            v_next := v_leaf.leaf_id;
            v_more := true;
            exit;
        end if;
    end loop;

    if v_next is not null then
        insert into queen.table_runs as r (policy, leaf_id)
        values (p_name, v_next)
        on conflict (policy) do update set leaf_id = excluded.leaf_id where r.leaf_id is distinct from excluded.leaf_id;
    end if;
    if v_deleted = 0 and not v_full and not v_more and v_bare is not null then
        raise exception 'table_delete_step_v1: %', v_bare using errcode = 'TM009', hint = v_mend;
    end if;
    v_stuck := v_left and v_deleted = 0 and not v_full and not v_more;
    if v_stuck then
        -- The next run asks each leaf anew.
        update queen.table_positions t set stuck_for = null where t.policy = p_name and t.stuck_for is not null;
    end if;
    if v_deleted > 0 then
        insert into queen.table_history
            (policy, relation, leaf, rows_deleted, rows_archived, rows_skipped, cutoff, held_ms)
        values (p_name, v_found.relation, v_answer ->> 'leaf', v_deleted, (v_answer ->> 'archived')::bigint, v_skipped, v_cutoff,
                (v_answer ->> 'held_ms')::numeric);
    end if;
    return v_answer || jsonb_build_object(
        'skipped', v_skipped, 'kept', v_kept, 'done', not v_left and not v_more and v_bare is null, 'stuck', v_stuck);
end
$$;

revoke all on function queen.table_delete_step_v1 from public;
grant execute on function queen.table_delete_step_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_delete_step_v1');

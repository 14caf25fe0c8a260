create or replace function queen.log_partition_cleanup_step_v1(
    p_cutoff   timestamptz,
    p_max_rows int,
    p_max_read int default null,
    p_after_at timestamptz default null,
    p_after_id uuid default null)
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set enable_bitmapscan = off
    set enable_hashjoin = off
    set enable_mergejoin = off
    set jit = off
as $$
-- log_partition_cleanup_step_v1(cutoff, max_rows, max_read, after_at, after_id) -> {"deleted", "done", "last_at", "last_id"}
--
-- Purpose  Delete at most max_rows partitions that are empty and silent since before cutoff, the longest silent first.
-- Expects  cutoff = now - PARTITION_CLEANUP_DAYS; NULL turns the cleanup off. max_rows >= 1. after_at and after_id: last_at and last_id
--          of the call before, or both NULL to begin. max_read >= 1: how many empty and silent partitions the call may look at,
--          whatever keeps them; loop until done. NULL: it looks on until it deletes something; loop until done or deleted = 0.
-- Ensures  Only what log_dead_partitions_v1 names, asked once more under the locks. Cursors go with the partition, and so do its
--          sidecar rows (nothing else would ever reach them). One __partition_deleted__ history row each. A partition that
--          someone holds, or one of whose cursors someone holds, is passed, not waited for. Up to (last_at, last_id) everything was
--          looked at: a call that goes on there reads none of it again. done: everything was, and the last look came up short of one
--          batch; last_at and last_id are null then.
-- Locks    The chosen partition rows FOR UPDATE, in ascending id order in one statement a batch looked at, then their cursor rows
--          likewise, both SKIP LOCKED, to this call's commit.
-- Errors   22023 bad max_rows, bad max_read, half a position. TM001, TM002 see require_step_context_v1.
declare
    v_page    record;
    v_last_at timestamptz := p_after_at;
    v_last_id uuid        := p_after_id;
    v_locked  uuid[];
    v_cursors text[];
    v_free    uuid[];
    v_dead    uuid[];
begin
    perform queen.require_step_context_v1(p_function => 'log_partition_cleanup_step_v1', p_max_rows => p_max_rows);
    if p_max_read < 1 or num_nulls(p_after_at, p_after_id) = 1 then
        raise exception 'log_partition_cleanup_step_v1: p_max_read must be at least 1, or null, and p_after_at and p_after_id both or neither null'
            using errcode = '22023';
    end if;

    loop
        select g.ids, g.last_at, g.last_id into v_page
          from queen.log_dead_page_v1(
               p_cutoff => p_cutoff, p_after_at => v_last_at, p_after_id => v_last_id,
               p_max_rows => p_max_rows, p_max_read => p_max_read) g;
        v_last_at := v_page.last_at;
        v_last_id := v_page.last_id;
        exit when v_page.ids = '{}';

        select array_agg(l.id) into v_locked
          from (select p.id
                  from queen.log_partitions p
                 where p.id = any (v_page.ids)
                 order by p.id
                   for update skip locked) l;

        -- Pop and ack take the cursor row alone: one that is held may be about to become a live lease, and the delete below
        -- would wait for it with the whole batch in hand.
        select array_agg(h.partition_id || ' ' || h.consumer_group) into v_cursors
          from (select c.partition_id, c.consumer_group
                  from queen.log_consumers c
                 where c.partition_id = any (v_locked)
                 order by c.partition_id, c.consumer_group
                   for update skip locked) h;
        -- An array, read once: an anti join that was planned while there were few cursors would read them all for each partition.
        select array_agg(p.id) into v_free
          from unnest(v_locked) p(id)
         where not p.id = any (array(
               select c.partition_id
                 from queen.log_consumers c
                where c.partition_id = any (v_locked)
                  -- Hashed; an array would be searched from its start for each cursor once the plan is generic.
                  and c.partition_id || ' ' || c.consumer_group not in (select unnest(v_cursors))));

        -- A new statement under the locks decides: the lock's own recheck covers the row's columns, not the NOT EXISTS legs.
        -- Planned for these ids: the generic plan of a sixth execution was seen to walk every empty partition instead.
        execute 'select array_agg(d.id) from queen.log_dead_partitions_v1(p_cutoff => $1) d where d.id = any ($2)'
           into v_dead
          using p_cutoff, v_free;
        -- All of them are held. Without a bound the caller has nobody but this call to get past them.
        exit when v_dead is not null or v_last_id is null or p_max_read is not null;
    end loop;

    if v_dead is not null then
        delete from queen.log_txns t where t.partition_id = any (v_dead);
        delete from queen.log_consumers c where c.partition_id = any (v_dead);
        insert into queen.retention_history (partition_id, queue_id, messages_deleted, segments_deleted, retention_type)
        select p.id, p.queue_id, 0, 0, '__partition_deleted__'
          from queen.log_partitions p
         where p.id = any (v_dead);
        delete from queen.log_partitions p where p.id = any (v_dead);
    end if;

    return jsonb_build_object(
        'deleted', coalesce(cardinality(v_dead), 0),
        'done', v_last_id is null,
        'last_at', v_last_at,
        'last_id', v_last_id);
end
$$;

revoke all on function queen.log_partition_cleanup_step_v1 from public;
grant execute on function queen.log_partition_cleanup_step_v1 to queen_retention;
call queen.publish_contract_v1('queen.log_partition_cleanup_step_v1');

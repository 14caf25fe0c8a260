create or replace function queen.log_partition_cleanup_step_v1(p_cutoff timestamptz, p_max_rows int)
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
-- log_partition_cleanup_step_v1(cutoff, max_rows) -> {"deleted", "done"}
--
-- Purpose  Delete at most max_rows partitions that are empty and silent since before cutoff, the longest silent first.
-- Expects  cutoff = now - PARTITION_CLEANUP_DAYS; NULL turns the cleanup off. max_rows >= 1. Loop until done or deleted = 0.
-- Ensures  Only what log_dead_partitions_v1 names, asked once more under the locks. Cursors go with the partition, and so do its
--          sidecar rows (nothing else would ever reach them). One __partition_deleted__ history row each. A partition that
--          someone holds, or one of whose cursors someone holds, is skipped, not waited for; the scan looks at twice the batch, so
--          that a few held ones at its head do not stop it. done: the scan came up short of one batch.
-- Locks    The chosen partition rows FOR UPDATE, in ascending id order in one statement, then their cursor rows likewise, both SKIP
--          LOCKED, to this call's commit.
-- Errors   22023 bad max_rows. TM001, TM002 see require_step_context_v1.
declare
    v_candidates uuid[];
    v_found      int;
    v_batch      uuid[];
    v_locked     uuid[];
    v_cursors    text[];
    v_free       uuid[];
    v_dead       uuid[];
begin
    perform queen.require_step_context_v1(p_function => 'log_partition_cleanup_step_v1', p_max_rows => p_max_rows);

    -- LIMIT as a literal: bound as a parameter, the planner would guess a tenth of the table and leave the index.
    -- No hash or merge join: either reads a whole veto table (dead letters are never purged) and gives up the index order, so
    -- that a batch of ten costs as much as every candidate. Nested probes stop with the batch.
    execute format(
        'select array_agg(c.id) from ('
        '  select d.id from queen.log_dead_partitions_v1(p_cutoff => $1) d order by d.last_write_at limit %s) c',
        2 * p_max_rows::bigint)
       into v_candidates
      using p_cutoff;

    v_found := coalesce(cardinality(v_candidates), 0);
    v_batch := v_candidates[1 : least(p_max_rows, v_found)];

    loop
        select array_agg(l.id) into v_locked
          from (select p.id
                  from queen.log_partitions p
                 where p.id = any (v_batch)
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
        select array_agg(p.id) into v_free
          from unnest(v_locked) p(id)
         where not exists (
               select 1
                 from queen.log_consumers c
                where c.partition_id = p.id
                  and not c.partition_id || ' ' || c.consumer_group = any (coalesce(v_cursors, '{}')));

        -- A new statement under the locks decides: the lock's own recheck covers the row's columns, not the NOT EXISTS legs.
        -- Planned for these ids: the generic plan of a sixth execution was seen to walk every empty partition instead.
        execute 'select array_agg(d.id) from queen.log_dead_partitions_v1(p_cutoff => $1) d where d.id = any ($2)'
           into v_dead
          using p_cutoff, v_free;
        exit when v_dead is not null or v_found <= p_max_rows or v_batch = v_candidates[p_max_rows + 1 : v_found];
        -- All of the head is held: the other half, so that it does not stand before everybody else for ever.
        v_batch := v_candidates[p_max_rows + 1 : v_found];
    end loop;

    delete from queen.log_txns t where t.partition_id = any (v_dead);
    delete from queen.log_consumers c where c.partition_id = any (v_dead);
    insert into queen.retention_history (partition_id, queue_id, messages_deleted, segments_deleted, retention_type)
    select p.id, p.queue_id, 0, 0, '__partition_deleted__'
      from queen.log_partitions p
     where p.id = any (v_dead);
    delete from queen.log_partitions p where p.id = any (v_dead);

    return jsonb_build_object(
        'deleted', coalesce(cardinality(v_dead), 0),
        'done', v_found < p_max_rows);
end
$$;

revoke all on function queen.log_partition_cleanup_step_v1 from public;
grant execute on function queen.log_partition_cleanup_step_v1 to queen_retention;
call queen.publish_contract_v1('queen.log_partition_cleanup_step_v1');

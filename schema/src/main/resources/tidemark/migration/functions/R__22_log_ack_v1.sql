create or replace function queen.log_ack_v1(p_partition_id uuid, p_group text, p_worker text, p_offset bigint)
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- log_ack_v1(partition_id, group, worker, offset) -> {"acked", "committed"}
--
-- Purpose  Commit everything up to and including offset for one group.
-- Expects  The worker that holds the group's lease on this partition, and an offset inside the leased batch. Any message of a
--          segment will do, not only its last.
-- Ensures  committed never moves back. The lease ends when the batch is through. An offset at or below committed is acked and
--          changes nothing, whoever asks: the retry of an ack whose answer was lost. Above it, acked is false, and nothing
--          changes, for a worker without the lease or an offset past the batch.
--          Where retention has deleted below, the ack is as harmless as ever.
-- Locks    The cursor row, to commit. Not the partition row: a step that reads the cursor too early only keeps more.
-- Errors   22023 naming the argument that is NULL.
declare
    v_cursor record;
    v_acked  boolean;
begin
    if p_partition_id is null or p_group is null or p_worker is null or p_offset is null then
        raise exception 'log_ack_v1: % must not be null', case
            when p_partition_id is null then 'p_partition_id' when p_group is null then 'p_group'
            when p_worker is null then 'p_worker' else 'p_offset' end
            using errcode = '22023';
    end if;
    select c.committed, c.batch_end, c.worker_id into v_cursor
      from queen.log_consumers c
     where c.partition_id = p_partition_id and c.consumer_group = p_group
       for update;
    if not found then
        return jsonb_build_object('acked', false, 'committed', null);
    end if;

    -- An expired lease that nobody took over still acks: the row is locked, so nobody is about to.
    v_acked := p_offset <= v_cursor.committed or (v_cursor.worker_id = p_worker and p_offset <= v_cursor.batch_end);
    if v_acked is not true then
        return jsonb_build_object('acked', false, 'committed', v_cursor.committed);
    end if;
    if p_offset > v_cursor.committed then
        update queen.log_consumers c
           set committed = p_offset,
               -- It stops at what a bigint holds: offsets that are read again after a seek count again.
               total_consumed = least(c.total_consumed::numeric + p_offset - c.committed, 9223372036854775807)::bigint,
               batch_retry_count = 0,
               batch_end = case when p_offset < c.batch_end then c.batch_end end,
               worker_id = case when p_offset < c.batch_end then c.worker_id end,
               lease_expires_at = case when p_offset < c.batch_end then c.lease_expires_at end,
               lease_acquired_at = case when p_offset < c.batch_end then c.lease_acquired_at end
         where c.partition_id = p_partition_id and c.consumer_group = p_group;
    end if;
    return jsonb_build_object('acked', true, 'committed', greatest(p_offset, v_cursor.committed));
end
$$;

revoke all on function queen.log_ack_v1 from public;
grant execute on function queen.log_ack_v1 to queen_broker;
call queen.publish_contract_v1('queen.log_ack_v1');

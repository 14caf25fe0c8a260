create or replace function queen.log_pop_v1(
    p_queue         text,
    p_partition     text,
    p_group         text,
    p_worker        text,
    p_max_messages  int,
    p_lease_seconds int)
    returns table (
        partition_id uuid,
        from_offset  bigint,
        to_offset    bigint,
        base_offset  bigint,
        end_offset   bigint,
        created_at   timestamptz,
        blob         bytea)
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set enable_bitmapscan = off
    set enable_hashjoin = off
    set enable_mergejoin = off
    set jit = off
as $$
-- log_pop_v1(queue, partition, group, worker, max_messages, lease_seconds)
--   -> (partition_id, from_offset, to_offset, base_offset, end_offset, created_at, blob), one row a segment touched, in log order
--
-- Purpose  Lease the next messages of one partition to a worker of a group: (committed, batch_end]. The first pop joins the group.
-- Expects  A partition, or NULL for any of the queue that has work for the group. lease_seconds NULL: the queue's leaseTime.
-- Ensures  Of a segment the messages from_offset .. to_offset are leased, at most max_messages in all: a batch may begin and end
--          in the middle of a segment. No row: nothing to do, or another lease stands; a partition that does not exist has nothing.
--          With NULL, the partition with the oldest data first; a cursor that somebody holds is skipped. At most 32 partitions are
--          tried, so that under more poppers than that at once a pop may come back empty though there is work: pop again.
-- Locks    The cursor row FOR UPDATE, to commit. A first contact also takes KEY SHARE on the partition row.
-- Errors   22023 naming the argument. TM003 no such queue. 23503 the partition was deleted in this very moment.
--          TM001, TM002 see require_step_context_v1.
declare
    v_queue        record;
    v_seconds      int;
    v_partition_id uuid;
begin
    perform queen.require_step_context_v1(p_function => 'log_pop_v1', p_max_rows => 1);
    perform queen.require_name_v1(p_function => 'log_pop_v1', p_argument => 'p_queue', p_value => p_queue);
    perform queen.require_name_v1(p_function => 'log_pop_v1', p_argument => 'p_group', p_value => p_group);
    if coalesce(p_worker, '') = '' then
        raise exception 'log_pop_v1: p_worker must not be null or empty' using errcode = '22023';
    end if;
    if (p_max_messages >= 1) is not true then
        raise exception 'log_pop_v1: p_max_messages must be at least 1, not %', coalesce(p_max_messages::text, 'null')
            using errcode = '22023';
    end if;
    if p_lease_seconds < 1 then
        raise exception 'log_pop_v1: p_lease_seconds must be at least 1, or null, not %', p_lease_seconds using errcode = '22023';
    end if;
    select q.id, q.lease_time into v_queue from queen.queues q where q.name = p_queue;
    if not found then
        raise exception 'log_pop_v1: no queue %', p_queue using errcode = 'TM003';
    end if;
    v_seconds := coalesce(p_lease_seconds, v_queue.lease_time);

    if p_partition is not null then
        select p.id into v_partition_id
          from queen.log_partitions p
         where p.queue_id = v_queue.id and p.name = p_partition;
        if found then
            return query
            select * from queen.log_lease_batch_v1(
                p_partition_id => v_partition_id, p_group => p_group, p_worker => p_worker,
                p_max_messages => p_max_messages, p_lease_seconds => v_seconds, p_wait => true);
        end if;
        return;
    end if;

    -- A plain read: what it says may be stale, so log_lease_batch_v1 looks again under the cursor's lock.
    for v_partition_id in
        select p.id
          from queen.log_partitions p
          left join queen.log_consumers c on c.partition_id = p.id and c.consumer_group = p_group
         where p.queue_id = v_queue.id
           and p.oldest_live_at is not null
           and p.last_offset > coalesce(c.committed, -1)
           and (c.batch_end is null or c.lease_expires_at <= clock_timestamp())
         order by p.oldest_live_at, p.id
         limit 32
    loop
        return query
        select * from queen.log_lease_batch_v1(
            p_partition_id => v_partition_id, p_group => p_group, p_worker => p_worker,
            p_max_messages => p_max_messages, p_lease_seconds => v_seconds, p_wait => false);
        exit when found;
    end loop;
end
$$;

revoke all on function queen.log_pop_v1 from public;
grant execute on function queen.log_pop_v1 to queen_broker;
call queen.publish_contract_v1('queen.log_pop_v1');

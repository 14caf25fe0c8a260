create or replace function queen.log_lease_batch_v1(
    p_partition_id  uuid,
    p_group         text,
    p_worker        text,
    p_max_messages  int,
    p_lease_seconds int,
    p_wait          boolean)
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
    set jit = off
as $$
-- log_lease_batch_v1(partition_id, group, worker, max_messages, lease_seconds, wait) -> as log_pop_v1
--
-- Purpose  Lease the next batch of one partition to a worker; log_pop_v1 is written over it.
-- Expects  What log_pop_v1 has checked. wait: whether to wait for the cursor row, or to leave it to whoever holds it.
-- Ensures  No row where nothing is wanted, or where a lease that has not run out stands (one without an end never does). A lease
--          that ran out is taken over and counted in batch_retry_count. A cursor below log_start resumes at the first live segment.
-- Locks    The cursor row FOR UPDATE, to commit. A first contact takes KEY SHARE on the partition row before.
-- Errors   23503 the partition is gone.
declare
    v_cursor record;
    v_now    timestamptz;
    v_start  bigint;
    v_base   bigint;
    v_from   bigint;
    v_last   bigint;
    v_to     bigint;
begin
    -- The partition before the cursor, like everybody else. Left to the foreign key it would come after, and a seek that holds the
    -- partition waits for this cursor.
    if not exists (select from queen.log_consumers c where c.partition_id = p_partition_id and c.consumer_group = p_group) then
        perform from queen.log_partitions p where p.id = p_partition_id for key share;
    end if;
    insert into queen.log_consumers as c (partition_id, consumer_group)
    values (p_partition_id, p_group)
    on conflict on constraint log_consumers_pkey do nothing;
    if p_wait then
        select c.committed, c.batch_end, c.lease_expires_at into v_cursor
          from queen.log_consumers c
         where c.partition_id = p_partition_id and c.consumer_group = p_group
           for update;
    else
        select c.committed, c.batch_end, c.lease_expires_at into v_cursor
          from queen.log_consumers c
         where c.partition_id = p_partition_id and c.consumer_group = p_group
           for update skip locked;
    end if;
    v_now := clock_timestamp();
    if not found or (v_cursor.batch_end is not null and (v_cursor.lease_expires_at <= v_now) is not true) then
        return;
    end if;

    -- The segment that holds the next wanted offset begins at or below it; where that one is deleted, the next live one. Both looks
    -- end at log_start: below it is what steps deleted, and until a vacuum every entry of it would be read again in each pop.
    select p.log_start into v_start from queen.log_partitions p where p.id = p_partition_id;
    select s.base_offset, greatest(s.base_offset, v_cursor.committed + 1) into v_base, v_from
      from queen.log_segments s
     where s.partition_id = p_partition_id
       and s.base_offset >= coalesce((
               select g.base_offset
                 from queen.log_segments g
                where g.partition_id = p_partition_id and g.base_offset between v_start and v_cursor.committed + 1
                order by g.base_offset desc
                limit 1), v_start)
       and s.end_offset > v_cursor.committed
     order by s.base_offset
     limit 1;
    if not found then
        return;
    end if;
    -- Live segments are contiguous, so the range is arithmetic and no blob is read to find it.
    select s.end_offset into v_last
      from queen.log_segments s
     where s.partition_id = p_partition_id and s.base_offset >= v_base
     order by s.base_offset desc
     limit 1;
    v_to := v_from + least(v_last - v_from, p_max_messages - 1);

    return query
    select p_partition_id, greatest(s.base_offset, v_from), least(s.end_offset, v_to), s.base_offset, s.end_offset, s.created_at, s.blob
      from queen.log_segments s
     where s.partition_id = p_partition_id and s.base_offset between v_base and v_to
     order by s.base_offset;
    -- A step deletes from the bottom and does not wait for cursors: it may have taken all of it since the range was chosen.
    if found then
        update queen.log_consumers c
           set batch_end = v_to,
               worker_id = p_worker,
               lease_acquired_at = v_now,
               lease_expires_at = v_now + make_interval(secs => p_lease_seconds),
               batch_retry_count = case when c.batch_end is null then 0 else c.batch_retry_count + 1 end
         where c.partition_id = p_partition_id and c.consumer_group = p_group;
    end if;
end
$$;

revoke all on function queen.log_lease_batch_v1 from public;
grant execute on function queen.log_lease_batch_v1 to queen_broker;
call queen.publish_contract_v1('queen.log_lease_batch_v1');

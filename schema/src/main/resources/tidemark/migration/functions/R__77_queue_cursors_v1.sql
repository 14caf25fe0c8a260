create or replace function queen.queue_cursors_v1(p_queue text)
    returns table (
        partition_id   uuid,
        partition_name text,
        log_start      bigint,
        txns_start     bigint,
        last_offset    bigint,
        oldest_live_at timestamptz,
        consumer_group text,
        committed      bigint)
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- queue_cursors_v1(queue)
--   -> (partition_id, partition_name, log_start, txns_start, last_offset, oldest_live_at, consumer_group, committed),
--      by partition and group
--
-- Purpose  Where a queue's logs begin and end, and how far each group is in them: who holds the log, and with how much.
-- Ensures  One row a partition and group; a partition without a cursor has one row, with both NULL. One snapshot.
-- Locks    None.
-- Errors   22023 queue is NULL or empty. TM003 the queue does not exist.
begin
    perform queen.require_name_v1(p_function => 'queue_cursors_v1', p_argument => 'p_queue', p_value => p_queue);
    if not exists (select 1 from queen.queues q where q.name = p_queue) then
        raise exception 'queue_cursors_v1: no queue %', p_queue using errcode = 'TM003';
    end if;
    return query
    select p.id, p.name, p.log_start, p.txns_start, p.last_offset, p.oldest_live_at, c.consumer_group, c.committed
      from queen.log_partitions p
      join queen.queues q on q.id = p.queue_id
      left join queen.log_consumers c on c.partition_id = p.id
     where q.name = p_queue
     order by p.name, c.consumer_group;
end
$$;

revoke all on function queen.queue_cursors_v1 from public;
grant execute on function queen.queue_cursors_v1 to queen_broker, queen_retention, queen_reader;
call queen.publish_contract_v1('queen.queue_cursors_v1');

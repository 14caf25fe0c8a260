create or replace function queen.queue_partitions_v1(p_queue text)
    returns table (
        partition_id   uuid,
        partition_name text,
        log_start      bigint,
        last_offset    bigint,
        oldest_live_at timestamptz)
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- queue_partitions_v1(queue) -> (partition_id, partition_name, log_start, last_offset, oldest_live_at), by name
--
-- Purpose  List a queue's partitions and where their logs begin and end.
-- Locks    None.
-- Errors   22023 queue is NULL or empty. TM003 the queue does not exist.
begin
    perform queen.require_name_v1(p_function => 'queue_partitions_v1', p_argument => 'p_queue', p_value => p_queue);
    if not exists (select 1 from queen.queues q where q.name = p_queue) then
        raise exception 'queue_partitions_v1: no queue %', p_queue using errcode = 'TM003';
    end if;
    return query
    select p.id, p.name, p.log_start, p.last_offset, p.oldest_live_at
      from queen.log_partitions p
      join queen.queues q on q.id = p.queue_id
     where q.name = p_queue
     order by p.name;
end
$$;

revoke all on function queen.queue_partitions_v1 from public;
grant execute on function queen.queue_partitions_v1 to queen_broker, queen_retention, queen_reader;
call queen.publish_contract_v1('queen.queue_partitions_v1');

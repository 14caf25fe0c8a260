create or replace function queen.log_partition_provision_v1(p_queue text, p_partition text)
    returns uuid
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- log_partition_provision_v1(queue, partition) -> partition id
--
-- Purpose  Find a partition, or create it and its queue on first contact.
-- Expects  To be called before any partition lock is taken. A NULL partition means 'Default'.
-- Ensures  A new queue has the default options; a new partition is empty.
-- Locks    None on an existing partition. A create takes KEY SHARE on the queue row.
-- Errors   22023 naming the argument: NULL, empty or too long. 23503 the queue was deleted in this very moment: try again.
--          TM001, TM002 see require_step_context_v1.
declare
    v_partition constant text := coalesce(p_partition, 'Default');
    v_id        uuid;
begin
    perform queen.require_step_context_v1(p_function => 'log_partition_provision_v1', p_max_rows => 1);
    perform queen.require_name_v1(p_function => 'log_partition_provision_v1', p_argument => 'p_queue', p_value => p_queue);
    perform queen.require_name_v1(p_function => 'log_partition_provision_v1', p_argument => 'p_partition', p_value => v_partition);
    loop
        select p.id into v_id
          from queen.log_partitions p
          join queen.queues q on q.id = p.queue_id
         where q.name = p_queue and p.name = v_partition;
        exit when found;
        insert into queen.queues (name) values (p_queue) on conflict (name) do nothing;
        insert into queen.log_partitions (queue_id, name)
        select q.id, v_partition from queen.queues q where q.name = p_queue
        on conflict (queue_id, name) do nothing;
        -- Round again: whoever created it first may also have dropped it again.
    end loop;
    return v_id;
end
$$;

revoke all on function queen.log_partition_provision_v1 from public;
grant execute on function queen.log_partition_provision_v1 to queen_broker;
call queen.publish_contract_v1('queen.log_partition_provision_v1');

create or replace function queen.delete_queue_v1(p_name text)
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- delete_queue_v1(name) -> {"deleted", "partitions"}
--
-- Purpose  Remove a queue and everything in it, consumed or not: an explicit operation, never part of a cycle.
-- Ensures  log_txns and log_dlq rows go first, since no cascade reaches them; the queue row's cascade takes partitions,
--          segments, cursors, subscriptions and samples. retention_history and its minutes, message_traces, streams state
--          and timers outlive it. An unknown queue: deleted false. A push in flight fails on its foreign key, and its retry
--          provisions a new queue.
-- Locks    The queue row, then all its partition rows in ascending id order in one statement, FOR UPDATE, to commit.
-- Errors   22023 name is NULL or empty. TM001, TM002 see require_step_context_v1.
declare
    v_queue_id   uuid;
    v_partitions uuid[];
begin
    perform queen.require_step_context_v1(p_function => 'delete_queue_v1', p_max_rows => 1);
    perform queen.require_name_v1(p_function => 'delete_queue_v1', p_argument => 'p_name', p_value => p_name);
    -- The queue row keeps a new partition from being provisioned: its foreign-key check has to wait.
    select q.id into v_queue_id from queen.queues q where q.name = p_name for update;
    if not found then
        return jsonb_build_object('deleted', false, 'partitions', 0);
    end if;
    select array_agg(l.id) into v_partitions
      from (select p.id from queen.log_partitions p where p.queue_id = v_queue_id order by p.id for update) l;

    delete from queen.log_txns t where t.partition_id = any (v_partitions);
    delete from queen.log_dlq d where d.partition_id = any (v_partitions);
    delete from queen.queues q where q.id = v_queue_id;
    return jsonb_build_object('deleted', true, 'partitions', coalesce(cardinality(v_partitions), 0));
end
$$;

revoke all on function queen.delete_queue_v1 from public;
grant execute on function queen.delete_queue_v1 to queen_broker;
call queen.publish_contract_v1('queen.delete_queue_v1');

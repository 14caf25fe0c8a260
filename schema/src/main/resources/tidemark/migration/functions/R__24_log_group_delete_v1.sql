create or replace function queen.log_group_delete_v1(p_queue text, p_group text)
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- log_group_delete_v1(queue, group) -> {"deleted"}
--
-- Purpose  Remove a group from a queue: its cursors, its subscription and its position. It no longer pins anything.
-- Ensures  deleted counts the cursors. A step that runs at the same time sees each cursor or does not: either way it deletes
--          only what some remaining cursor has committed.
-- Locks    The queue row FOR KEY SHARE, then the group's cursor rows, in ascending partition order, to commit.
-- Errors   22023 naming the argument. TM003 the queue does not exist.
declare
    v_queue_id uuid;
    v_deleted  bigint;
begin
    perform queen.require_name_v1(p_function => 'log_group_delete_v1', p_argument => 'p_queue', p_value => p_queue);
    perform queen.require_name_v1(p_function => 'log_group_delete_v1', p_argument => 'p_group', p_value => p_group);
    -- Locked, so that delete_queue_v1 comes wholly before or after: its cascade takes these tables in another order.
    select q.id into v_queue_id from queen.queues q where q.name = p_queue for key share;
    if not found then
        raise exception 'log_group_delete_v1: no queue %', p_queue using errcode = 'TM003';
    end if;

    perform 1
       from queen.log_consumers c
      where c.partition_id in (select p.id from queen.log_partitions p where p.queue_id = v_queue_id) and c.consumer_group = p_group
      order by c.partition_id
        for update;
    delete from queen.log_consumers c
     using queen.log_partitions p
     where p.queue_id = v_queue_id and c.partition_id = p.id and c.consumer_group = p_group;
    get diagnostics v_deleted = row_count;
    delete from queen.consumer_groups_metadata m where m.queue_id = v_queue_id and m.consumer_group = p_group;
    delete from queen.consumer_watermarks w where w.queue_id = v_queue_id and w.consumer_group = p_group;
    return jsonb_build_object('deleted', v_deleted);
end
$$;

revoke all on function queen.log_group_delete_v1 from public;
grant execute on function queen.log_group_delete_v1 to queen_broker;
call queen.publish_contract_v1('queen.log_group_delete_v1');

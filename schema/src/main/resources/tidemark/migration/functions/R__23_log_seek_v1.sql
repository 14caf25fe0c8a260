create or replace function queen.log_seek_v1(p_partition_id uuid, p_group text, p_offset bigint)
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- log_seek_v1(partition_id, group, offset) -> {"committed"}
--
-- Purpose  Move a group's cursor either way: offset is the next one it reads, so committed becomes offset - 1. A group that had
--          no cursor joins.
-- Expects  0 <= offset <= last_offset + 1. Past the end, messages that nobody has seen would count as consumed; below
--          log_start is allowed, and reading resumes at the first live segment.
-- Ensures  A lease on the partition ends: its worker's later acks answer acked false.
-- Locks    The partition row FOR NO KEY UPDATE first, so that rule 2 never races a cursor that moves back; then the cursor row.
-- Errors   22023 naming the argument. TM004 the partition does not exist. TM001, TM002 see require_step_context_v1.
declare
    v_last_offset bigint;
begin
    perform queen.require_step_context_v1(p_function => 'log_seek_v1', p_max_rows => 1);
    if p_partition_id is null then
        raise exception 'log_seek_v1: p_partition_id must not be null' using errcode = '22023';
    end if;
    perform queen.require_name_v1(p_function => 'log_seek_v1', p_argument => 'p_group', p_value => p_group);
    -- Not FOR UPDATE: a first pop of the group has inserted the cursor when its foreign key asks for this row, and the insert below
    -- waits for that cursor.
    select p.last_offset into v_last_offset from queen.log_partitions p where p.id = p_partition_id for no key update;
    if not found then
        raise exception 'log_seek_v1: no partition %', p_partition_id using errcode = 'TM004';
    end if;
    if (p_offset between 0 and v_last_offset + 1) is not true then
        raise exception 'log_seek_v1: p_offset must be from 0 to %, not %', v_last_offset + 1, coalesce(p_offset::text, 'null')
            using errcode = '22023';
    end if;

    insert into queen.log_consumers (partition_id, consumer_group, committed)
    values (p_partition_id, p_group, p_offset - 1)
    on conflict (partition_id, consumer_group) do update
       set committed = excluded.committed,
           batch_end = null,
           worker_id = null,
           lease_expires_at = null,
           lease_acquired_at = null,
           batch_retry_count = 0;
    return jsonb_build_object('committed', p_offset - 1);
end
$$;

revoke all on function queen.log_seek_v1 from public;
grant execute on function queen.log_seek_v1 to queen_broker;
call queen.publish_contract_v1('queen.log_seek_v1');

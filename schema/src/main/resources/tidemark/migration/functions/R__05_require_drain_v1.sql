create or replace function queen.require_drain_v1(
    p_function        text,
    p_queue_id        uuid,
    p_pids            uuid[],
    p_rows            int[],
    p_max_rows        int,
    p_hold_ms         int,
    p_batches         int,
    p_time_ms         int,
    p_lock_timeout_ms int)
    returns void
    language plpgsql
    set search_path = pg_catalog, pg_temp
as $$
-- require_drain_v1(function, queue_id, pids, rows, max_rows, hold_ms, batches, time_ms, lock_timeout_ms) -> nothing
--
-- Purpose  Refuse to begin a drain that could not know where it ends, or whose rule it asks for.
-- Expects  The name of the procedure, for the message, and its arguments.
-- Ensures  Partitions without NULL, all of them of the queue or gone; rows as many as partitions, or NULL; every bound at least 1.
-- Locks    None.
-- Errors   22023 naming the argument.
declare
    v_bound text;
    v_alien uuid;
begin
    if (array_position(p_pids, null) is null and cardinality(p_pids) >= 0 and coalesce(array_lower(p_pids, 1), 1) = 1) is not true then
        raise exception '%: p_pids must be an array without null that begins at 1', p_function using errcode = '22023';
    end if;
    if cardinality(p_rows) <> cardinality(p_pids) or array_lower(p_rows, 1) <> 1 then
        raise exception '%: p_rows must have one entry a partition, % and not %', p_function, cardinality(p_pids), cardinality(p_rows)
            using errcode = '22023';
    end if;
    if 1 > any (p_rows) then
        raise exception '%: p_rows must be at least 1, not %', p_function, (select min(r) from unnest(p_rows) r)
            using errcode = '22023';
    end if;
    select format('%s must be at least 1, not %s', b.name, coalesce(b.value::text, 'null')) into v_bound
      from (values ('p_max_rows', p_max_rows), ('p_hold_ms', p_hold_ms), ('p_batches', p_batches),
                   ('p_time_ms', p_time_ms), ('p_lock_timeout_ms', p_lock_timeout_ms)) b(name, value)
     where (b.value >= 1) is not true
     limit 1;
    if found then
        raise exception '%: %', p_function, v_bound using errcode = '22023';
    end if;
    select p.id into v_alien from queen.log_partitions p where p.id = any (p_pids) and p.queue_id is distinct from p_queue_id limit 1;
    if found then
        raise exception '%: partition % is not of queue %', p_function, v_alien, coalesce(p_queue_id::text, 'null')
            using errcode = '22023';
    end if;
end
$$;

revoke all on function queen.require_drain_v1 from public;
grant execute on function queen.require_drain_v1 to queen_retention;
call queen.publish_contract_v1('queen.require_drain_v1');

create or replace function queen.lease_register_v1(p_task text, p_period_ms bigint)
    returns timestamptz
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- lease_register_v1(task, period_ms) -> next_due_at
--
-- Purpose  Enter a task in the schedule, or change its period.
-- Expects  1 <= period_ms <= 31622400000 (366 days). Called at every start; a transaction of its own.
-- Ensures  A new task is due at once. On an existing one only period_ms changes, and a shorter period pulls next_due_at in to at
--          most one new period from now. enabled is never touched.
-- Locks    The task's row.
-- Errors   22023 naming the argument.
declare
    v_next_due timestamptz;
begin
    if coalesce(p_task, '') = '' or (p_period_ms between 1 and 31622400000) is not true then
        raise exception 'lease_register_v1: p_task must not be empty and p_period_ms must be from 1 to 31622400000, not % and %',
            coalesce(p_task, 'null'), coalesce(p_period_ms::text, 'null')
            using errcode = '22023';
    end if;
    insert into queen.maintenance_leases as l (task, period_ms, next_due_at)
    values (p_task, p_period_ms, clock_timestamp())
    on conflict (task) do update
       set period_ms = excluded.period_ms,
           next_due_at = case when excluded.period_ms < l.period_ms
                              then least(l.next_due_at, clock_timestamp() + p_period_ms * interval '1 millisecond') else l.next_due_at end
    returning l.next_due_at into v_next_due;
    return v_next_due;
end
$$;

revoke all on function queen.lease_register_v1 from public;
grant execute on function queen.lease_register_v1 to queen_retention;
call queen.publish_contract_v1('queen.lease_register_v1');

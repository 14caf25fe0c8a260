create or replace function queen.lease_enable_v1(p_task text, p_enabled boolean)
    returns boolean
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- lease_enable_v1(task, enabled) -> bool: it was the other way before
--
-- Purpose  Pause a task on every replica, or let it run again.
-- Expects  A task that some runner has registered. A transaction of its own.
-- Ensures  Only enabled changes, and where it is so already, nothing. Paused: nobody claims the task, and whoever holds it is told by
--          its next renewal. Resumed: due when it would have been.
-- Locks    The task's row.
-- Errors   22023 naming the argument; the task is not registered.
begin
    if coalesce(p_task, '') = '' or p_enabled is null then
        raise exception 'lease_enable_v1: p_task must not be empty and p_enabled must be given, not % and %',
            coalesce(p_task, 'null'), coalesce(p_enabled::text, 'null')
            using errcode = '22023';
    end if;
    update queen.maintenance_leases l
       set enabled = p_enabled
     where l.task = p_task and l.enabled <> p_enabled;
    if found then
        return true;
    end if;
    if not exists (select 1 from queen.maintenance_leases l where l.task = p_task) then
        raise exception 'lease_enable_v1: no task %: no runner has registered it yet', p_task using errcode = '22023';
    end if;
    return false;
end
$$;

revoke all on function queen.lease_enable_v1 from public;
grant execute on function queen.lease_enable_v1 to queen_retention;
call queen.publish_contract_v1('queen.lease_enable_v1');

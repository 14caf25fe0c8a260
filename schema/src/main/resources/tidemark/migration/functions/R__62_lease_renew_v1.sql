create or replace function queen.lease_renew_v1(p_task text, p_holder text, p_fence bigint, p_lease_ms bigint)
    returns text
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- lease_renew_v1(task, holder, fence, lease_ms) -> 'renewed', 'paused' or 'lost'
--
-- Purpose  Keep a claimed task for another lease_ms from now.
-- Expects  holder and fence of the claim; 1 <= lease_ms <= 31622400000 (366 days). A transaction of its own.
-- Ensures  'paused': the task was disabled; the lease is left as it is and the holder should stop and release. 'lost': someone
--          else has the task, or it is gone; nothing changed and the holder must stop.
-- Locks    The task's row.
-- Errors   22023 naming the argument.
declare
    v_enabled boolean;
begin
    if coalesce(p_task, '') = '' or coalesce(p_holder, '') = '' or p_fence is null or (p_lease_ms between 1 and 31622400000) is not true then
        raise exception 'lease_renew_v1: p_task, p_holder and p_fence must be given and p_lease_ms must be from 1 to 31622400000, not %',
            coalesce(p_lease_ms::text, 'null')
            using errcode = '22023';
    end if;
    update queen.maintenance_leases l
       set lease_until = case when l.enabled then clock_timestamp() + p_lease_ms * interval '1 millisecond' else l.lease_until end
     where l.task = p_task and l.holder = p_holder and l.fence = p_fence
    returning l.enabled into v_enabled;
    return case when not found then 'lost' when v_enabled then 'renewed' else 'paused' end;
end
$$;

revoke all on function queen.lease_renew_v1 from public;
grant execute on function queen.lease_renew_v1 to queen_retention;
call queen.publish_contract_v1('queen.lease_renew_v1');

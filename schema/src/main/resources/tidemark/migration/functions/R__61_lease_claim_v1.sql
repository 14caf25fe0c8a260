create or replace function queen.lease_claim_v1(p_task text, p_holder text, p_lease_ms bigint)
    returns table (fence bigint, lease_until timestamptz, runs bigint)
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- lease_claim_v1(task, holder, lease_ms) -> (fence, lease_until, runs), no row when not claimed
--
-- Purpose  Take a task that is enabled, due and not leased: one atomic UPDATE, decided by the database's clock alone.
-- Expects  A holder name that no other process uses; 1 <= lease_ms <= 31622400000 (366 days). A transaction of its
--          own.
-- Ensures  The fence grows by one at every claim: whoever holds an older one has lost the task. next_due_at does not move.
-- Locks    The task's row.
-- Errors   22023 naming the argument.
begin
    if coalesce(p_task, '') = '' or coalesce(p_holder, '') = '' or (p_lease_ms between 1 and 31622400000) is not true then
        raise exception 'lease_claim_v1: p_task and p_holder must not be empty and p_lease_ms must be from 1 to 31622400000, not %, % and %',
            coalesce(p_task, 'null'), coalesce(p_holder, 'null'), coalesce(p_lease_ms::text, 'null')
            using errcode = '22023';
    end if;
    -- clock_timestamp(): behind another claimant's lock, now() would be the time before the wait.
    return query
    update queen.maintenance_leases l
       set lease_until = clock_timestamp() + p_lease_ms * interval '1 millisecond',
           holder = p_holder,
           fence = l.fence + 1,
           last_start_at = clock_timestamp()
     where l.task = p_task
       and l.enabled
       and l.next_due_at <= clock_timestamp()
       and (l.lease_until is null or l.lease_until <= clock_timestamp())
    returning l.fence, l.lease_until, l.runs;
end
$$;

revoke all on function queen.lease_claim_v1 from public;
grant execute on function queen.lease_claim_v1 to queen_retention;
call queen.publish_contract_v1('queen.lease_claim_v1');

create or replace function queen.lease_release_v1(p_task text, p_holder text, p_fence bigint, p_served boolean)
    returns boolean
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- lease_release_v1(task, holder, fence, served) -> bool: the claim was still ours
--
-- Purpose  Give a claimed task back.
-- Expects  holder and fence of the claim. served: the period counts as done (a success, or a busy advisory lock). A transaction of
--          its own.
-- Ensures  served: next_due_at moves by exactly one period, but never into the past, so an overrun does not compound; runs + 1.
--          Not served: the task stays due. A stale fence changes nothing and answers false.
-- Locks    The task's row.
-- Errors   22023 naming the argument.
begin
    if coalesce(p_task, '') = '' or coalesce(p_holder, '') = '' or p_fence is null or p_served is null then
        raise exception 'lease_release_v1: p_task, p_holder, p_fence and p_served must be given' using errcode = '22023';
    end if;
    update queen.maintenance_leases l
       set lease_until = null,
           holder = null,
           next_due_at = case when p_served
                              then greatest(l.next_due_at + l.period_ms * interval '1 millisecond', clock_timestamp())
                              else l.next_due_at end,
           last_end_at = case when p_served then clock_timestamp() else l.last_end_at end,
           last_duration_ms = case when p_served
                                   then round(1000 * extract(epoch from clock_timestamp() - l.last_start_at))
                                   else l.last_duration_ms end,
           runs = l.runs + case when p_served then 1 else 0 end
     where l.task = p_task and l.holder = p_holder and l.fence = p_fence;
    return found;
end
$$;

revoke all on function queen.lease_release_v1 from public;
grant execute on function queen.lease_release_v1 to queen_retention;
call queen.publish_contract_v1('queen.lease_release_v1');

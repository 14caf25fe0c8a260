-- A standard-SQL body: bound when created, so no search_path can bend it, and folded into the caller's query.
create or replace function queen.lease_standing_v1(p_task text, p_holder text, p_fence bigint)
    returns table (lease text)
    language sql
    stable
begin atomic
    select case when p_task is null then 'held'
                when l.task is null then 'lost'
                when l.enabled then 'held'
                else 'paused' end
      from (select 1) one
      left join queen.maintenance_leases l on l.task = p_task and l.holder = p_holder and l.fence = p_fence;
end;

revoke all on function queen.lease_standing_v1 from public;
grant execute on function queen.lease_standing_v1 to queen_retention;
comment on function queen.lease_standing_v1 is
$contract$lease_standing_v1(task, holder, fence) -> (lease), one row

Purpose  Say how a claim stands, for work that asks again and again whether it is still wanted.
Expects  holder and fence of the claim, or a NULL task for work beside the schedule.
Ensures  'held'; 'paused', the task was disabled; 'lost', somebody else has claimed it or it is gone. Beside the schedule: 'held'.
Locks    None.
Errors   None.$contract$;

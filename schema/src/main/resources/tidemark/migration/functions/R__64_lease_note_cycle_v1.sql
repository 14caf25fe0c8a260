create or replace function queen.lease_note_cycle_v1(p_task text, p_period_ms bigint, p_duration_ms bigint)
    returns void
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- lease_note_cycle_v1(task, period_ms, duration_ms) -> nothing
--
-- Purpose  Record a cycle that ran beside the schedule (retention once), so that status can tell when the last one was.
-- Expects  period_ms for a task that is not registered yet; duration_ms >= 0; neither past 31622400000 (366 days). A
--          transaction of its own.
-- Ensures  Nothing changes while a claim is running: its own times are being kept. Otherwise only last_start_at, last_end_at and last_duration_ms change; the schedule, the fence and runs do not.
-- Locks    The task's row.
-- Errors   22023 naming the argument.
begin
    if coalesce(p_task, '') = '' or (p_period_ms between 1 and 31622400000) is not true or (p_duration_ms between 0 and 31622400000) is not true then
        raise exception 'lease_note_cycle_v1: p_task must not be empty, p_period_ms from 1 and p_duration_ms from 0 to 31622400000'
            using errcode = '22023';
    end if;
    insert into queen.maintenance_leases as l (task, period_ms, last_start_at, last_end_at, last_duration_ms)
    values (p_task, p_period_ms, clock_timestamp() - p_duration_ms * interval '1 millisecond', clock_timestamp(), p_duration_ms)
    on conflict (task) do update
       set last_start_at = excluded.last_start_at,
           last_end_at = excluded.last_end_at,
           last_duration_ms = excluded.last_duration_ms
     where l.lease_until is null or l.lease_until <= clock_timestamp();
end
$$;

revoke all on function queen.lease_note_cycle_v1 from public;
grant execute on function queen.lease_note_cycle_v1 to queen_retention;
call queen.publish_contract_v1('queen.lease_note_cycle_v1');

create or replace function queen.table_run_note_v1(p_name text, p_started_at timestamptz, p_stopped text, p_deleted bigint, p_sqlstate text, p_error text)
    returns void
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
    set lock_timeout = '50ms'
as $$
-- table_run_note_v1(name, started_at, stopped, deleted, sqlstate, error) -> nothing
--
-- Purpose  Write down how a run of a policy ended, for whoever asks whether it works.
-- Expects  A policy, or one that is gone by now. stopped: as table_retention_run_v1 says it; deleted: rows; sqlstate and error
--          where it failed.
-- Ensures  last_success_at moves where it was done, or something went and nothing failed: not where it was busy, throttled or
--          stuck all the time. last_done_at moves where nothing was left. An error stays until another one. Nothing is written
--          where somebody holds the policy.
-- Locks    The policy's row FOR KEY SHARE, and its row of table_runs.
-- Errors   22023 stopped is NULL.
begin
    if p_stopped is null then
        raise exception 'table_run_note_v1: p_stopped must not be null' using errcode = '22023';
    end if;
    perform from queen.table_policies p where p.name = p_name for key share skip locked;
    if found then
        insert into queen.table_runs as r
            (policy, runs, last_start_at, last_end_at, last_success_at, last_done_at, last_stopped, last_error_at, last_sqlstate, last_error)
        values (p_name, 1, p_started_at, clock_timestamp(), case when p_sqlstate is null and (p_stopped = 'done' or p_deleted > 0) then clock_timestamp() end,
                case when p_stopped = 'done' then clock_timestamp() end, p_stopped,
                case when p_sqlstate is not null then clock_timestamp() end, p_sqlstate, p_error)
        on conflict (policy) do update
           set runs = r.runs + 1,
               last_start_at = excluded.last_start_at,
               last_end_at = excluded.last_end_at,
               last_success_at = coalesce(excluded.last_success_at, r.last_success_at),
               last_done_at = coalesce(excluded.last_done_at, r.last_done_at),
               last_stopped = excluded.last_stopped,
               last_error_at = coalesce(excluded.last_error_at, r.last_error_at),
               last_sqlstate = coalesce(excluded.last_sqlstate, r.last_sqlstate),
               last_error = coalesce(excluded.last_error, r.last_error);
    end if;
exception
    when lock_not_available then
        -- The policy is being set, or a step of another run is at it. A note is no reason for a run to end.
        null;
end
$$;

revoke all on function queen.table_run_note_v1 from public;
grant execute on function queen.table_run_note_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_run_note_v1');

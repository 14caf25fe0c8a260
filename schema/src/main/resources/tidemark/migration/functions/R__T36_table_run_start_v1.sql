create or replace function queen.table_run_start_v1(p_name text, p_started_at timestamptz)
    returns void
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
    set lock_timeout = '50ms'
as $$
-- table_run_start_v1(name, started_at) -> nothing
--
-- Purpose  Write down that a run of a policy begins: one that is cut off has no end to write, and should not come first again.
-- Expects  A policy, or one that is gone by now.
-- Ensures  last_start_at is started_at, unless somebody holds the policy.
-- Locks    The policy's row FOR KEY SHARE, and its row of table_runs.
-- Errors   None.
begin
    perform from queen.table_policies p where p.name = p_name for key share skip locked;
    if found then
        insert into queen.table_runs as r (policy, last_start_at)
        values (p_name, p_started_at)
        on conflict (policy) do update set last_start_at = excluded.last_start_at;
    end if;
exception
    when lock_not_available then
        -- The policy is being set, or a step of another run is at it. A note is no reason for a run to end.
        null;
end
$$;

revoke all on function queen.table_run_start_v1 from public;
grant execute on function queen.table_run_start_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_run_start_v1');

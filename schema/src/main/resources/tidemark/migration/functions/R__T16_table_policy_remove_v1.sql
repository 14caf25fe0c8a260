create or replace function queen.table_policy_remove_v1(p_name text)
    returns boolean
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- table_policy_remove_v1(name) -> boolean
--
-- Purpose  Forget a policy: no row goes by it any more.
-- Expects  Its name.
-- Ensures  It is gone with its positions, how its last run ended, and the caller's job for it, see table_unschedule_v1;
--          table_history stays. Answers whether there was one. The table itself is not touched, and may be gone already.
-- Locks    The policy's row, and the job's.
-- Errors   None.
begin
    -- Held first: nobody makes a job for it in between.
    perform from queen.table_policies p where p.name = p_name for update;
    perform queen.table_unschedule_v1(p_name => p_name);
    delete from queen.table_policies p where p.name = p_name;
    return found;
end
$$;

revoke all on function queen.table_policy_remove_v1 from public;
grant execute on function queen.table_policy_remove_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_policy_remove_v1');

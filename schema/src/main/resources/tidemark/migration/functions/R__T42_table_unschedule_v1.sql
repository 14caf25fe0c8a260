create or replace function queen.table_unschedule_v1(p_name text)
    returns boolean
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- table_unschedule_v1(name) -> boolean
--
-- Purpose  Take a policy's job from pg_cron.
-- Expects  The name of a policy, which may be gone already.
-- Ensures  No job of the caller runs it any more. Answers whether there was one; without pg_cron in this database, or without
--          the right to use it, there is none. A job that another role made is that role's to take away.
-- Locks    The job's row.
-- Errors   None.
declare
    v_found boolean;
begin
    if not exists (select from pg_extension e, pg_namespace n
                    where e.extname = 'pg_cron' and n.nspname = 'cron' and has_schema_privilege(n.oid, 'usage')) then
        return false;
    end if;
    execute 'select count(cron.unschedule(j.jobid)) > 0 from cron.job j where j.jobname = $1 and j.username = current_user'
       into v_found
      using queen.table_job_name_v1(p_name => p_name);
    return v_found;
end
$$;

revoke all on function queen.table_unschedule_v1 from public;
grant execute on function queen.table_unschedule_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_unschedule_v1');

create or replace function queen.table_jobs_v1()
    returns table (policy text, job_id bigint, schedule text, username text, active boolean, last_status text, last_start_at timestamptz,
                   last_end_at timestamptz, last_message text, failed_lately bigint)
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- table_jobs_v1() -> (policy, job_id, schedule, username, active, last_status, .., failed_lately), one row a job
--
-- Purpose  The jobs of pg_cron that run policies, and how their last runs ended.
-- Ensures  Jobs of table_schedule_v1 that the caller may see: its own, and with BYPASSRLS everybody's. last_*: of
--          cron.job_run_details, NULL before the first. failed_lately: of the last 100 runs. No row without pg_cron in this
--          database, or without the right to use it.
-- Locks    None.
-- Errors   None.
begin
    if not exists (select from pg_extension e, pg_namespace n
                    where e.extname = 'pg_cron' and n.nspname = 'cron' and has_schema_privilege(n.oid, 'usage')) then
        return;
    end if;
    return query execute
        'select p.name, j.jobid, j.schedule, j.username, j.active, l.status, l.start_time, l.end_time, l.return_message, f.failed
           from queen.table_policies p
           join cron.job j on j.jobname = queen.table_job_name_v1(p_name => p.name)
           left join lateral (
               select d.* from cron.job_run_details d where d.jobid = j.jobid order by d.runid desc limit 1) l on true
          cross join lateral (
               select count(*) filter (where d.status = ''failed'') as failed
                 from (select d.status from cron.job_run_details d where d.jobid = j.jobid order by d.runid desc limit 100) d) f
          order by p.name, j.jobid';
end
$$;

revoke all on function queen.table_jobs_v1 from public;
grant execute on function queen.table_jobs_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_jobs_v1');

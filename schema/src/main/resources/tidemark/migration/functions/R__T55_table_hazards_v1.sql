create or replace function queen.table_hazards_v1(p_name text default null)
    returns table (policy text, hazard text, detail text, fix text)
    language sql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- table_hazards_v1(name) -> (policy, hazard, detail, fix), one row a hazard, by policy
--
-- Purpose  What a DBA should know before the disk is full: all that keeps a policy from doing what it says, with what mends it.
-- Expects  The name of a policy; NULL: all.
-- Ensures  problem, see table_look_v1; disabled; idle: no run has ended for a day; failed: the last run did; unfinished: it was
--          cut off; held up: it was stuck, throttled or busy; behind: the oldest row that would go should have gone a day ago;
--          job failed: in pg_cron; and table_design_hazards_v1. No row: nothing is known to be wrong.
-- Locks    As table_look_v1.
-- Errors   None.
    with status as materialized (
        select s.* from queen.table_status_v1(p_name => p_name) s
    )
    select s.policy, 'problem' as hazard, s.problem, 'set the policy again with table_policy_set_v1, or remove it' as fix
      from status s
     where s.problem is not null
    union all
    select s.policy, 'disabled', 'nothing is deleted by it', format('select queen.table_policy_enable_v1(%L, true);', s.policy)
      from status s
     where not s.enabled
    union all
    select s.policy, 'idle', coalesce(format('the last run ended at %s', s.last_end_at), 'no run has ended yet'),
           'start a runner (retention run), or retention table schedule .. --with-pg-cron ..'
      from status s
      join queen.table_policies p on p.name = s.policy
     where s.enabled and greatest(s.last_end_at, p.created_at) < now() - interval '1 day'
    union all
    select s.policy, 'failed', format('the last run failed at %s: %s (%s)', s.last_error_at, s.last_error, s.last_sqlstate),
           'mend what the message says; the next run tries again'
      from status s
     where s.last_error_at > coalesce(s.last_success_at, '-infinity')
    union all
    select s.policy, 'unfinished', format('the run that began at %s has no end: it was cancelled, or out of time', r.last_start_at),
           'see the log of the server; a statement_timeout has to leave a batch its time'
      from status s
      join queen.table_runs r on r.policy = s.policy
     where r.last_start_at > coalesce(r.last_end_at, '-infinity') and r.last_start_at < now() - interval '1 hour'
    union all
    select s.policy, 'held up', format('the last run ended at %s and was %s', s.last_end_at,
                                       case s.last_stopped when 'stuck' then 'stuck: what is left is held by somebody, or by a trigger'
                                                           when 'busy' then 'busy: another one was at it' else s.last_stopped end),
           'see what waits: pg_stat_activity, pg_stat_replication, pg_stat_progress_vacuum'
      from status s
     where s.enabled and s.last_stopped in ('stuck', 'throttled', 'busy')
    union all
    select s.policy, 'behind', format('the oldest row that would go is from %s, and the window began at %s', s.oldest_at, s.cutoff),
           'run it more often, raise its batch or RETENTION_TABLE_DUTY, or look at what holds it up: table status'
      from status s
     where s.enabled and s.behind_seconds > 86400
    union all
    select j.policy, 'job failed', format('job %s of pg_cron failed at %s: %s', j.job_id, j.last_end_at, j.last_message),
           'see cron.job_run_details'
      from queen.table_jobs_v1() j
     where j.last_status = 'failed' and (p_name is null or j.policy = p_name)
    union all
    select s.policy, d.hazard, d.detail, d.fix
      from status s
     cross join lateral queen.table_design_hazards_v1(p_name => s.policy) d
     order by 1, 2, 3;
$$;

revoke all on function queen.table_hazards_v1 from public;
grant execute on function queen.table_hazards_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_hazards_v1');

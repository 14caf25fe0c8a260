create or replace function queen.table_schedule_v1(p_name text, p_schedule text)
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- table_schedule_v1(name, schedule) -> {"policy", "job_id", "job", "schedule", "command"}
--
-- Purpose  Let pg_cron run a policy: a job of one CALL, which commits after every batch and ends by itself.
-- Expects  The name of a policy, and a schedule as cron.schedule takes it. pg_cron in this database.
-- Ensures  One job a policy and role, table_job_name_v1; another schedule takes the place of the one before. It runs as the
--          caller, with the caller's privileges, and whether or not the policy is enabled: a disabled one deletes nothing.
-- Locks    The policy's row, shared; the job's row.
-- Errors   TM008 no such policy. TM011 pg_cron is not in this database; the hint has the statement for the one it is in. 22023
--          name or schedule is NULL or empty. What cron.schedule raises.
declare
    v_job     text := queen.table_job_name_v1(p_name => p_name);
    v_command text;
    v_id      bigint;
begin
    if coalesce(p_schedule, '') = '' then
        raise exception 'table_schedule_v1: p_schedule must not be null or empty' using errcode = '22023';
    end if;
    -- Held, so that no job is made for a policy that is being removed.
    perform from queen.table_policies p where p.name = p_name for share;
    if not found then
        raise exception 'table_schedule_v1: no policy is named %', coalesce(quote_literal(p_name), 'null')
            using errcode = 'TM008', hint = 'The names are in queen.table_policies.';
    end if;
    v_command := format('call queen.table_retention_run_v1(p_name => %L)', p_name);
    if not exists (select from pg_extension e where e.extname = 'pg_cron') then
        raise exception 'table_schedule_v1: pg_cron is not in database %', quote_ident(current_database())
            using errcode = 'TM011',
                  hint = format('In the database that cron.database_name names: select cron.schedule_in_database(%L, %L, %L, %L);',
                                v_job, p_schedule, v_command, current_database());
    end if;
    execute 'select cron.schedule($1, $2, $3)' into v_id using v_job, p_schedule, v_command;
    return jsonb_build_object('policy', p_name, 'job_id', v_id, 'job', v_job, 'schedule', p_schedule, 'command', v_command);
end
$$;

revoke all on function queen.table_schedule_v1 from public;
grant execute on function queen.table_schedule_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_schedule_v1');

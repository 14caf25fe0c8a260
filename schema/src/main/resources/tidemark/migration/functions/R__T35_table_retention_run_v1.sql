create or replace procedure queen.table_retention_run_v1(
    p_name               text default null,
    p_time_ms            int default 60000,
    p_hold_ms            int default 25,
    p_duty               numeric default 0.5,
    p_lock_ms            int default 50,
    p_max_lag_ms         int default 10000,
    p_max_vacuum_ms      int default 300000,
    p_synchronous_commit text default 'off',
    p_task               text default null,
    p_holder             text default null,
    p_fence              bigint default null,
    p_raise              boolean default true,
    inout p_result       jsonb default null)
    language plpgsql
as $$
-- table_retention_run_v1(name, time_ms, hold_ms, duty, lock_ms, max_lag_ms, max_vacuum_ms, synchronous_commit, task, holder, fence, raise)
--   -> {"deleted", "archived", "failed", "stopped", "policies": [{"policy", "stopped", "deleted", "archived", "skipped", "kept", "steps",
--       "waited_for", "sqlstate", "error", ...}]}
--
-- Purpose  Keep event tables to their windows: step after step of one policy, or of all that are on, a commit after each.
-- Expects  CALL in autocommit, as pg_cron does, not inside a transaction block. time_ms: when no further step begins, or 70 %
--          of statement_timeout if that is less. hold_ms: how long a batch should take; from a tenth of the policy's batch on
--          log_next_batch_v1 keeps to it. duty: the share of the time in which it works; the rest it sleeps, between two
--          transactions. lock_ms: see table_delete_step_v1. max_lag_ms, max_vacuum_ms: see table_throttle_v1.
--          synchronous_commit: of its transactions, and of nothing else. task, holder, fence: of the claim it runs under, or
--          NULL.
-- Ensures  One cutoff a policy and call. Policies take turns of 10 steps; one that fails never stops another. While a throttle
--          lasts nothing goes of that table. stopped, of a policy: done; stuck: what is left is held by somebody, or by a
--          trigger; failed; disabled; busy: another run is at it; time; throttled: as time, while it waited_for something;
--          lost, paused: as the run. Of the run: NULL, each policy came to its end; time; paused, lost: its claim. At least one
--          step, unless it was told to wait or stop. How each policy began and ended is in table_runs too. raise: where one
--          failed, its error ends the call after all is done and committed, so that pg_cron sees a failure; false: the answer
--          alone says so.
-- Locks    As table_delete_step_v1, to the end of that step's transaction.
-- Errors   With raise, the first failure of a policy, with its SQLSTATE. 22023 a bad argument. TM008 no such policy. 2D000
--          inside a transaction block. 57014 cancelled: what committed stays. TM001, TM002, 25006 the session is unfit.
declare
    v_named   pg_catalog.int8;
    v_started pg_catalog.timestamptz;
    v_until   pg_catalog.timestamptz;
    v_looked  pg_catalog.timestamptz;
    v_at      pg_catalog.timestamptz;
    v_queue   pg_catalog.jsonb;
    v_run     pg_catalog.jsonb;
    v_ended   pg_catalog.jsonb;
    v_stopped pg_catalog.text;
    v_reason  pg_catalog.text;
    v_pause   pg_catalog.float8;
    v_stepped boolean;
    v_failed  pg_catalog.text;
    v_state   pg_catalog.text;
begin
    p_result := null;
    loop
        -- Nothing between the two: the level of a transaction is chosen before its first snapshot. Until the path is pinned no operator and
        -- no unqualified name: the session's path may shadow either.
        commit;
        set transaction isolation level read committed;
        perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true),
                pg_catalog.set_config('lock_timeout', '1s', true),
                pg_catalog.set_config('synchronous_commit', p_synchronous_commit, true);

        if v_named is null then
            -- Committed by itself: what it has locked is another run's too.
            v_named := queen.table_names_v1(p_name => p_name);
            continue;
        end if;
        if v_queue is null then
            v_queue := queen.table_run_begin_v1(
                p_function => 'table_retention_run_v1', p_name => p_name, p_time_ms => p_time_ms, p_hold_ms => p_hold_ms, p_duty => p_duty,
                p_lock_ms => p_lock_ms, p_max_lag_ms => p_max_lag_ms, p_max_vacuum_ms => p_max_vacuum_ms);
            v_ended := '[]';
            v_started := clock_timestamp();
            -- statement_timeout runs over the whole call.
            v_until := v_started + least(
                make_interval(secs => p_time_ms / 1000.0), 0.7 * nullif(current_setting('statement_timeout')::interval, '0'));
            v_pause := 0::float8;
            v_stepped := false;
        end if;
        exit when v_queue = '[]';

        -- The first step is always done: a call that does nothing would come again.
        if v_stepped and clock_timestamp() >= v_until then
            v_stopped := 'time';
        else
            select case s.lease when 'held' then null else s.lease end into v_stopped
              from queen.lease_standing_v1(p_task => p_task, p_holder => p_holder, p_fence => p_fence) s;
        end if;
        exit when v_stopped is not null;

        -- In a transaction of its own, which holds nothing and is over before the next step takes its clock.
        if v_pause > 0 then
            perform pg_sleep(least(v_pause, extract(epoch from v_until - clock_timestamp())));
            v_pause := 0::float8;
            continue;
        end if;

        v_run := v_queue -> 0;
        if not v_run ? 'noted' then
            -- Before its first step, and committed: where a timeout ends the call in it, the others are first the next time.
            perform queen.table_run_start_v1(p_name => v_run ->> 'policy', p_started_at => clock_timestamp());
            v_queue := jsonb_set(v_queue, '{0,noted}', 'true');
            continue;
        end if;
        v_queue := v_queue - 0;
        if v_run ->> 'waited_for' is not null or (v_looked > clock_timestamp() - interval '500 milliseconds' and v_run ->> 'turn' <> '0') is not true then
            v_looked := clock_timestamp();
            v_reason := queen.table_throttle_v1(
                p_relation => (v_run ->> 'relation_id')::oid, p_max_lag_ms => p_max_lag_ms, p_max_vacuum_ms => p_max_vacuum_ms);
            v_run := v_run || jsonb_build_object('waited_for', v_reason);
            if v_reason is not null then
                v_queue := v_queue || jsonb_build_array(v_run);
                v_pause := 1::float8;
                v_stepped := true;
                continue;
            end if;
        end if;

        v_stepped := true;
        v_at := clock_timestamp();
        v_run := queen.table_run_count_v1(
            p_run => v_run,
            p_step => queen.table_run_step_v1(
                p_name => v_run ->> 'policy', p_cutoff => (v_run ->> 'cutoff')::timestamptz, p_max_rows => (v_run ->> 'rows')::int,
                p_lock_ms => p_lock_ms),
            p_hold_ms => p_hold_ms);
        if v_run ? 'stopped' then
            perform queen.table_run_note_v1(
                p_name => v_run ->> 'policy', p_started_at => v_started, p_stopped => v_run ->> 'stopped',
                p_deleted => (v_run ->> 'deleted')::bigint, p_sqlstate => v_run ->> 'sqlstate', p_error => v_run ->> 'error');
            v_ended := v_ended || jsonb_build_array(v_run);
        elsif (v_run ->> 'turn')::int >= 10 then
            v_queue := v_queue || jsonb_build_array(v_run || '{"turn": 0}');
        else
            v_queue := jsonb_build_array(v_run) || v_queue;
        end if;
        v_pause := (extract(epoch from clock_timestamp() - v_at) * (1 - p_duty) / p_duty)::float8;
    end loop;

    for v_run in select q.value from jsonb_array_elements(v_queue) q loop
        v_run := v_run || jsonb_build_object(
            'stopped', case when v_stopped = 'time' and v_run ->> 'waited_for' is not null then 'throttled' else v_stopped end);
        perform queen.table_run_note_v1(
            p_name => v_run ->> 'policy', p_started_at => v_started, p_stopped => v_run ->> 'stopped',
            p_deleted => (v_run ->> 'deleted')::bigint, p_sqlstate => null, p_error => null);
        v_ended := v_ended || jsonb_build_array(v_run);
    end loop;
    select jsonb_build_object(
               'deleted', coalesce(sum((e.value ->> 'deleted')::bigint), 0), 'archived', coalesce(sum((e.value ->> 'archived')::bigint), 0),
               'failed', count(*) filter (where e.value ->> 'stopped' = 'failed'), 'stopped', v_stopped, 'policies', v_ended)
      into p_result
      from jsonb_array_elements(v_ended) e;
    select format('%s of %s policies failed; %s: %s', p_result ->> 'failed', jsonb_array_length(v_ended), e.value ->> 'policy', e.value ->> 'error'),
           e.value ->> 'sqlstate'
      into v_failed, v_state
      from jsonb_array_elements(v_ended) e
     where p_raise and e.value ->> 'stopped' = 'failed'
     limit 1;
    -- A caller that is itself a procedure goes on in this transaction: with its own settings.
    commit;
    if v_failed is not null then
        raise exception 'table_retention_run_v1: %', v_failed using errcode = v_state;
    end if;
end
$$;

revoke all on procedure queen.table_retention_run_v1 from public;
grant execute on procedure queen.table_retention_run_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_retention_run_v1');

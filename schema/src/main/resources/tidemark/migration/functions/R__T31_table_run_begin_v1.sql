create or replace function queen.table_run_begin_v1(
    p_function      text,
    p_name          text,
    p_time_ms       int,
    p_hold_ms       int,
    p_duty          numeric,
    p_lock_ms       int,
    p_max_lag_ms    int,
    p_max_vacuum_ms int)
    returns jsonb
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- table_run_begin_v1(function, name, time_ms, hold_ms, duty, lock_ms, max_lag_ms, max_vacuum_ms)
--   -> [{"policy", "relation_id", "cutoff", "batch", "rows", "turn", "steps", "deleted", "archived", "skipped", "kept"}]
--
-- Purpose  Refuse to begin a run that could not know where it ends; else list what it has to do.
-- Expects  The name of the procedure, for the message, and its arguments.
-- Ensures  The policy of that name, on or off; without a name all that are on, those whose last run began longest ago first.
--          One now() for all cutoffs. rows: the first batch, a tenth of the largest.
-- Locks    None.
-- Errors   22023 naming the argument. TM008 no such policy.
declare
    v_bound text;
begin
    select format('%s must be %s, not %s', b.name, b.allowed, coalesce(b.value::text, 'null')) into v_bound
      from (values ('p_time_ms', 'at least 1', p_time_ms, p_time_ms >= 1),
                   ('p_hold_ms', 'at least 1', p_hold_ms, p_hold_ms >= 1),
                   ('p_duty', 'above 0 and at most 1', p_duty, p_duty > 0 and p_duty <= 1),
                   ('p_lock_ms', 'from 1 to 60000', p_lock_ms, p_lock_ms between 1 and 60000),
                   ('p_max_lag_ms', 'at least 1, or null', p_max_lag_ms, coalesce(p_max_lag_ms, 1) >= 1),
                   ('p_max_vacuum_ms', 'at least 1, or null', p_max_vacuum_ms, coalesce(p_max_vacuum_ms, 1) >= 1)
           ) b(name, allowed, value, holds)
     where b.holds is not true
     limit 1;
    if found then
        raise exception '%: %', p_function, v_bound using errcode = '22023';
    end if;
    if p_name is not null and not exists (select from queen.table_policies p where p.name = p_name) then
        raise exception '%: no policy is named %', p_function, quote_literal(p_name)
            using errcode = 'TM008', hint = 'The names are in queen.table_policies.';
    end if;
    return (select coalesce(jsonb_agg(jsonb_build_object(
                       'policy', p.name, 'relation_id', p.relation_id, 'cutoff', queen.table_cutoff_v1(p_keep => p.keep), 'batch', p.batch,
                       'rows', greatest(1, p.batch / 10), 'turn', 0, 'steps', 0, 'deleted', 0, 'archived', 0, 'skipped', 0, 'kept', 0)
                       order by r.last_start_at nulls first, p.name), '[]')
              from queen.table_policies p
              left join queen.table_runs r on r.policy = p.name
             where p.name = p_name or p_name is null and p.enabled);
end
$$;

revoke all on function queen.table_run_begin_v1 from public;
grant execute on function queen.table_run_begin_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_run_begin_v1');

create or replace function queen.table_run_count_v1(p_run jsonb, p_step jsonb, p_hold_ms int)
    returns jsonb
    language plpgsql
    immutable
    set search_path = pg_catalog, pg_temp
as $$
-- table_run_count_v1(run, step, hold_ms) -> as an entry of table_run_begin_v1, with "stopped", "sqlstate", "error" where it is over
--
-- Purpose  What a run of one policy has come to after one more step, and how it goes on.
-- Expects  An entry of table_run_begin_v1; the answer of table_run_step_v1 to it.
-- Ensures  rows: after a batch that came back full what log_next_batch_v1 says. A batch that failed is tried again with a tenth
--          of it, so that what lies before the row that fails still goes; over with one row, and at once where no size could
--          help (the policy fits no more). One that was removed meanwhile is disabled. stopped: done; stuck; disabled; busy;
--          failed.
-- Locks    None.
-- Errors   None.
declare
    v_rows int := (p_run ->> 'rows')::int;
    v_run  jsonb := p_run || jsonb_build_object('steps', (p_run ->> 'steps')::int + 1, 'turn', (p_run ->> 'turn')::int + 1);
begin
    if p_step ->> 'sqlstate' = 'TM008' then
        return v_run || '{"stopped": "disabled"}';
    elsif p_step ? 'sqlstate' then
        if v_rows > 1 and left(p_step ->> 'sqlstate', 2) <> 'TM' then
            return v_run || jsonb_build_object('rows', greatest(1, v_rows / 10));
        end if;
        return v_run || jsonb_build_object('stopped', 'failed', 'sqlstate', p_step ->> 'sqlstate', 'error', p_step ->> 'error');
    end if;
    v_run := v_run || jsonb_build_object(
        'deleted', (v_run ->> 'deleted')::bigint + (p_step ->> 'deleted')::bigint,
        'archived', (v_run ->> 'archived')::bigint + (p_step ->> 'archived')::bigint,
        'skipped', p_step -> 'skipped', 'kept', p_step -> 'kept');
    if p_step ->> 'state' <> 'ok' then
        return v_run || jsonb_build_object('stopped', p_step ->> 'state');
    elsif p_step -> 'done' = 'true' then
        return v_run || '{"stopped": "done"}';
    elsif p_step -> 'stuck' = 'true' then
        return v_run || '{"stopped": "stuck"}';
    elsif (p_step ->> 'deleted')::bigint = v_rows then
        return v_run || jsonb_build_object('rows', queen.log_next_batch_v1(
            p_rows => v_rows, p_held_ms => (p_step ->> 'held_ms')::numeric, p_hold_ms => p_hold_ms, p_max_rows => (p_run ->> 'batch')::int));
    end if;
    return v_run;
end
$$;

revoke all on function queen.table_run_count_v1 from public;
grant execute on function queen.table_run_count_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_run_count_v1');

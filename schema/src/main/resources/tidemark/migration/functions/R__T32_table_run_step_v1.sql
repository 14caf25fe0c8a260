create or replace function queen.table_run_step_v1(p_name text, p_cutoff timestamptz, p_max_rows int, p_lock_ms int)
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- table_run_step_v1(name, cutoff, max_rows, lock_ms) -> as table_delete_step_v1, or {"sqlstate", "error"}
--
-- Purpose  A step whose failure is its policy's own: whatever it raised is the answer, and the run goes on with the others.
-- Expects  As table_delete_step_v1.
-- Ensures  Nothing of a step that failed stays. Deferred constraints are checked within, and deferred triggers find their
--          tables by the session's own path. A session that is unfit is known by itself, not by what a trigger raises.
-- Locks    As table_delete_step_v1.
-- Errors   What concerns the session and not the policy goes through: TM001, TM002, 25006, and 57014 (cancelled, or out of time).
declare
    v_step jsonb;
begin
    perform queen.require_step_context_v1(p_function => 'table_run_step_v1', p_max_rows => p_max_rows);
    begin
        v_step := queen.table_delete_step_v1(
            p_name => p_name, p_cutoff => p_cutoff, p_max_rows => p_max_rows, p_lock_ms => p_lock_ms);
        -- What is deferred would fail at the commit, where nothing catches it.
        perform set_config('search_path', queen.table_path_v1(), true), set_config('lock_timeout', p_lock_ms::text, true);
        set constraints all immediate;
        return v_step;
    exception
        when others or assert_failure then
            -- A trigger can raise anything. OTHERS leaves query_canceled out, and assert_failure.
            if current_setting('transaction_read_only') = 'on' then
                raise;
            end if;
            return jsonb_build_object('sqlstate', sqlstate, 'error', sqlerrm);
    end;
end
$$;

revoke all on function queen.table_run_step_v1 from public;
grant execute on function queen.table_run_step_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_run_step_v1');

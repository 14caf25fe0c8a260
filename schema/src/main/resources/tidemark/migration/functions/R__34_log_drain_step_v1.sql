create or replace function queen.log_drain_step_v1(
    p_kind             text,
    p_pid              uuid,
    p_all_cutoff       timestamptz,
    p_completed_cutoff timestamptz,
    p_max_rows         int)
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- log_drain_step_v1(kind, pid, all_cutoff, completed_cutoff, max_rows) -> as the step of its kind, or {"sqlstate", "error"}
--
-- Purpose  One step of a drain, so that one partition that fails leaves the others to be served. A procedure that commits can
--          catch nothing itself.
-- Expects  kind: retention, max_wait or txns. all_cutoff is the one cutoff of the latter two.
-- Ensures  What the step of the kind ensures. A step that failed has changed nothing and holds no lock any more.
-- Locks    As the step.
-- Errors   What concerns the session and not the partition goes through: TM001, TM002, 25006, and 57014 (cancelled, or out of time).
declare
    v_step jsonb;
begin
    v_step := case p_kind
        when 'retention' then queen.log_retention_step_v1(
            p_pid => p_pid, p_all_cutoff => p_all_cutoff, p_completed_cutoff => p_completed_cutoff, p_max_rows => p_max_rows)
        when 'max_wait' then queen.log_evict_max_wait_step_v1(p_pid => p_pid, p_cutoff => p_all_cutoff, p_max_rows => p_max_rows)
        when 'txns' then queen.log_txns_purge_step_v1(p_pid => p_pid, p_cutoff => p_all_cutoff, p_max_rows => p_max_rows)
    end;
    -- What is deferred would fail at the commit, where nothing catches it.
    set constraints all immediate;
    return v_step;
exception
    when sqlstate 'TM001' or sqlstate 'TM002' or read_only_sql_transaction then
        raise;
    when others or assert_failure then
        -- A trigger can raise anything. OTHERS leaves query_canceled out, and assert_failure.
        return jsonb_build_object('sqlstate', sqlstate, 'error', sqlerrm);
end
$$;

revoke all on function queen.log_drain_step_v1 from public;
grant execute on function queen.log_drain_step_v1 to queen_retention;
call queen.publish_contract_v1('queen.log_drain_step_v1');

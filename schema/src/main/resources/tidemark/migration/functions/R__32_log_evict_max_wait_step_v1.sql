create or replace function queen.log_evict_max_wait_step_v1(p_pid uuid, p_cutoff timestamptz, p_max_rows int)
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- log_evict_max_wait_step_v1(pid, cutoff, max_rows) -> as log_retention_step_v1
--
-- Purpose  Delete whole segments older than cutoff for every group, consumed or not: data loss by design, to bound how long
--          data may wait. Nothing is dead-lettered.
-- Expects  cutoff from the cycle's one clock; NULL turns it off. max_rows >= 1. retention_enabled does not matter here.
-- Ensures  What log_retention_step_v1 ensures with rule 2 off. Leased data goes too; a cursor left below log_start resumes at
--          the next segment. History rows say max_wait_time_eviction.
-- Locks    As log_retention_step_v1.
-- Errors   As log_retention_step_v1.
begin
    return queen.log_retention_step_v1(
        p_pid => p_pid,
        p_all_cutoff => p_cutoff,
        p_completed_cutoff => null,
        p_max_rows => p_max_rows,
        p_history_type => 'max_wait_time_eviction');
end
$$;

revoke all on function queen.log_evict_max_wait_step_v1 from public;
grant execute on function queen.log_evict_max_wait_step_v1 to queen_retention;
call queen.publish_contract_v1('queen.log_evict_max_wait_step_v1');

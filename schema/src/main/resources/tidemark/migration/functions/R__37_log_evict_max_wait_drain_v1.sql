create or replace procedure queen.log_evict_max_wait_drain_v1(
    p_queue_id           uuid,
    p_pids               uuid[],
    p_cutoff             timestamptz,
    p_max_rows           int,
    p_rows               int[] default null,
    p_hold_ms            int default 50,
    p_batches            int default 10,
    p_time_ms            int default 500,
    p_lock_timeout_ms    int default 1000,
    p_synchronous_commit text default 'off',
    p_task               text default null,
    p_holder             text default null,
    p_fence              bigint default null,
    inout p_stopped      text default null,
    inout p_steps        jsonb default null)
    language plpgsql
as $$
-- log_evict_max_wait_drain_v1(queue_id, pids, cutoff, max_rows, ...) -> stopped, steps
--
-- Purpose  The drain of log_evict_max_wait_step_v1: what has waited too long, consumed or not.
-- Expects  As log_retention_drain_v1, with one cutoff.
-- Ensures  As log_retention_drain_v1; the steps answer as log_evict_max_wait_step_v1.
-- Locks    As log_retention_drain_v1.
-- Errors   As log_retention_drain_v1.
begin
    call queen.log_drain_v1(
        p_kind => 'max_wait', p_queue_id => p_queue_id, p_pids => p_pids,
        p_all_cutoff => p_cutoff, p_completed_cutoff => null,
        p_max_rows => p_max_rows, p_rows => p_rows, p_hold_ms => p_hold_ms, p_batches => p_batches, p_time_ms => p_time_ms,
        p_lock_timeout_ms => p_lock_timeout_ms, p_synchronous_commit => p_synchronous_commit,
        p_task => p_task, p_holder => p_holder, p_fence => p_fence, p_stopped => p_stopped, p_steps => p_steps);
end
$$;

revoke all on procedure queen.log_evict_max_wait_drain_v1 from public;
grant execute on procedure queen.log_evict_max_wait_drain_v1 to queen_retention;
call queen.publish_contract_v1('queen.log_evict_max_wait_drain_v1');

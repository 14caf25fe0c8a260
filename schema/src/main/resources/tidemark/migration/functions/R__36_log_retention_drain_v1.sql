create or replace procedure queen.log_retention_drain_v1(
    p_queue_id           uuid,
    p_pids               uuid[],
    p_all_cutoff         timestamptz,
    p_completed_cutoff   timestamptz,
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
-- log_retention_drain_v1(queue_id, pids, all_cutoff, completed_cutoff, max_rows, ...) -> stopped, steps
--
-- Purpose  Many steps in one call, each in a transaction of its own: log_retention_step_v1 over some partitions of one queue, one
--          after the other, without a round trip and, by default, without a flush for each.
-- Expects  CALL in autocommit, not inside a transaction block. Cutoffs as the step. rows: each partition's first batch; NULL: a
--          tenth of max_rows. From there log_next_batch_v1 keeps the time that a batch holds its lock near hold_ms. batches: full
--          ones a partition gets. time_ms: when no further step begins, or 70 % of statement_timeout if that is less.
--          lock_timeout_ms, synchronous_commit: of its transactions, and of nothing else. task, holder, fence: of the claim it runs
--          under, or NULL.
-- Ensures  Before each step it asks whether the claim is held and the queue's rule still covers the cutoffs. stopped: NULL, each
--          partition had its turn; time; rule, narrowed or gone; paused; lost. steps: [{"partition_id", "next_rows", and the
--          answer of log_retention_step_v1}], in order; one that failed has "sqlstate" and "error" instead and ends its partition's
--          turn. next_rows is NULL where the partition is done with. At least one step, unless it was told to stop.
-- Locks    One partition row FOR UPDATE, to the end of that step's transaction.
-- Errors   22023 a bad argument. 2D000 inside a transaction block. 57014 cancelled: what committed stays, but is not told. TM001,
--          TM002, 25006 the session is unfit.
begin
    call queen.log_drain_v1(
        p_kind => 'retention', p_queue_id => p_queue_id, p_pids => p_pids,
        p_all_cutoff => p_all_cutoff, p_completed_cutoff => p_completed_cutoff,
        p_max_rows => p_max_rows, p_rows => p_rows, p_hold_ms => p_hold_ms, p_batches => p_batches, p_time_ms => p_time_ms,
        p_lock_timeout_ms => p_lock_timeout_ms, p_synchronous_commit => p_synchronous_commit,
        p_task => p_task, p_holder => p_holder, p_fence => p_fence, p_stopped => p_stopped, p_steps => p_steps);
end
$$;

revoke all on procedure queen.log_retention_drain_v1 from public;
grant execute on procedure queen.log_retention_drain_v1 to queen_retention;
call queen.publish_contract_v1('queen.log_retention_drain_v1');

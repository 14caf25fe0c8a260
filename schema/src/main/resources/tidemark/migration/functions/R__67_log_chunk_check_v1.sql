create or replace function queen.log_chunk_check_v1(p_task text, p_holder text, p_fence bigint, p_queue_ids uuid[])
    returns table (
        lease            text,
        queue_id         uuid,
        queue_name       text,
        all_cutoff       timestamptz,
        completed_cutoff timestamptz,
        txns_cutoff      timestamptz,
        max_wait_cutoff  timestamptz)
    language sql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- log_chunk_check_v1(task, holder, fence, queue_ids) -> (lease, queue, cutoffs), a row for each of the queues that exists
--
-- Purpose  Ask, between two chunks of a running cycle, whether its claim is still held and what its queues keep now.
-- Expects  holder and fence of the claim, or a NULL task for a cycle beside the schedule. The queues of the next chunk; none, or
--          NULL, to ask for the claim alone.
-- Ensures  lease: as lease_standing_v1. The same in every row, and at least one row: its queue columns are NULL when no queue
--          was found. Cutoffs as log_rules_v1, from now().
-- Locks    None.
-- Errors   None.
select l.lease, r.queue_id, r.queue_name, r.all_cutoff, r.completed_cutoff, r.txns_cutoff, r.max_wait_cutoff
  from queen.lease_standing_v1(p_task => p_task, p_holder => p_holder, p_fence => p_fence) l
  left join queen.log_rules_v1(p_queue_ids => coalesce(p_queue_ids, '{}')) r on true
$$;

revoke all on function queen.log_chunk_check_v1 from public;
grant execute on function queen.log_chunk_check_v1 to queen_retention;
call queen.publish_contract_v1('queen.log_chunk_check_v1');

create or replace function queen.log_rules_v1(p_queue_ids uuid[] default null)
    returns table (
        queue_id         uuid,
        queue_name       text,
        all_cutoff       timestamptz,
        completed_cutoff timestamptz,
        txns_cutoff      timestamptz,
        max_wait_cutoff  timestamptz)
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- log_rules_v1(queue_ids) -> (queue_id, queue_name, all_cutoff, completed_cutoff, txns_cutoff, max_wait_cutoff), one row a queue
--
-- Purpose  The cutoffs of every queue, or of some: log_cutoffs_v1 over the table.
-- Expects  The ids of some queues, or NULL for all. One that does not exist is left out.
-- Ensures  As log_cutoffs_v1, all from one now().
-- Locks    None.
-- Errors   None.
begin
    -- With ids or without is decided before planning: a condition for both would read all queues for one.
    return query execute format($query$
        select q.id, q.name, c.all_cutoff, c.completed_cutoff, c.txns_cutoff, c.max_wait_cutoff
          from queen.queues q
         cross join lateral queen.log_cutoffs_v1(p_queue => q) c
         where %s
        $query$, case when p_queue_ids is null then 'true' else 'q.id = any ($1)' end) using p_queue_ids;
end
$$;

revoke all on function queen.log_rules_v1 from public;
grant execute on function queen.log_rules_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.log_rules_v1');

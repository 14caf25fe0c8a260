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
-- Purpose  The one place where a queue's windows become cutoffs.
-- Expects  The ids of some queues, or NULL for all. One that does not exist is left out.
-- Ensures  All from one now(). NULL = the rule is off: retention is disabled or its window is 0. Max wait does not ask whether
--          retention is enabled. The sidecar is always purged, but never inside the deduplication window, the completed window
--          or 900 s, where a push or a late ack could still need a hash.
-- Locks    None.
-- Errors   None.
begin
    -- With ids or without is decided before planning: a condition for both would read all queues for one.
    return query execute format($query$
        select q.id,
               q.name,
               case when q.retention_enabled and q.retention_seconds > 0
                    then now() - make_interval(secs => q.retention_seconds) end,
               case when q.retention_enabled and q.completed_retention_seconds > 0
                    then now() - make_interval(secs => q.completed_retention_seconds) end,
               now() - make_interval(secs => greatest(q.dedup_window_seconds, q.completed_retention_seconds, 900)),
               case when q.max_wait_time_seconds > 0
                    then now() - make_interval(secs => q.max_wait_time_seconds) end
          from queen.queues q
         where %s
        $query$, case when p_queue_ids is null then 'true' else 'q.id = any ($1)' end) using p_queue_ids;
end
$$;

revoke all on function queen.log_rules_v1 from public;
grant execute on function queen.log_rules_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.log_rules_v1');

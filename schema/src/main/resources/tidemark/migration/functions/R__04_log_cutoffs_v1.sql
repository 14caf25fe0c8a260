-- A standard-SQL body: bound when created, so no search_path can bend it, and folded into the caller's query.
create or replace function queen.log_cutoffs_v1(p_queue queen.queues)
    returns table (all_cutoff timestamptz, completed_cutoff timestamptz, txns_cutoff timestamptz, max_wait_cutoff timestamptz)
    language sql
    stable
begin atomic
    select case when p_queue.retention_enabled and p_queue.retention_seconds > 0
                then now() - make_interval(secs => p_queue.retention_seconds) end,
           case when p_queue.retention_enabled and p_queue.completed_retention_seconds > 0
                then now() - make_interval(secs => p_queue.completed_retention_seconds) end,
           now() - make_interval(secs => greatest(p_queue.dedup_window_seconds, p_queue.completed_retention_seconds, 900)),
           case when p_queue.max_wait_time_seconds > 0
                then now() - make_interval(secs => p_queue.max_wait_time_seconds) end;
end;

revoke all on function queen.log_cutoffs_v1 from public;
grant execute on function queen.log_cutoffs_v1 to queen_retention, queen_reader;
comment on function queen.log_cutoffs_v1 is
$contract$log_cutoffs_v1(queue) -> (all_cutoff, completed_cutoff, txns_cutoff, max_wait_cutoff), one row

Purpose  The one place where a queue's windows become cutoffs.
Expects  A row of queen.queues.
Ensures  All from one now(). NULL = the rule is off: retention is disabled or its window is 0. Max wait does not ask whether
         retention is enabled. The sidecar is always purged, but never inside the deduplication window, the completed window
         or 900 s, where a push or a late ack could still need a hash.
Locks    None.
Errors   None.$contract$;

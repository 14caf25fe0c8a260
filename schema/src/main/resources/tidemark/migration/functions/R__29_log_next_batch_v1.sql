-- A standard-SQL body: bound when created, so no search_path can bend it, and folded into the caller's expression.
create or replace function queen.log_next_batch_v1(p_rows int, p_held_ms numeric, p_hold_ms int, p_max_rows int)
    returns int
    language sql
    immutable
begin atomic
    -- What would have met the target, but never more than twice as much: one quick batch says little about the next.
    select greatest(1, least(p_max_rows, 2 * p_rows::bigint, p_rows * p_hold_ms::numeric / greatest(p_held_ms, 0.001)))::int;
end;

revoke all on function queen.log_next_batch_v1 from public;
grant execute on function queen.log_next_batch_v1 to queen_retention;
comment on function queen.log_next_batch_v1 is
$contract$log_next_batch_v1(rows, held_ms, hold_ms, max_rows) -> int

Purpose  The size of a partition's next batch, from the time for which the last one held its lock.
Expects  rows: of the last batch, a full one. held_ms: how long it held the lock. hold_ms: how long it should. All at least 1, held_ms 0.
Ensures  In proportion to hold_ms / held_ms; at most twice rows, at most max_rows, at least 1.
Locks    None.
Errors   None.$contract$;

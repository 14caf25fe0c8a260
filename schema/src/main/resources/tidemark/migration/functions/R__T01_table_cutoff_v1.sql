-- A standard-SQL body: bound when created, so no search_path can bend it, and folded into the caller's query.
create or replace function queen.table_cutoff_v1(p_keep interval)
    returns timestamptz
    language sql
    stable
begin atomic
    -- Months and days are those of UTC, whatever zone the session is in.
    select (now() at time zone 'UTC' - p_keep) at time zone 'UTC';
end;

revoke all on function queen.table_cutoff_v1 from public;
grant execute on function queen.table_cutoff_v1 to queen_retention, queen_reader;
comment on function queen.table_cutoff_v1 is
$contract$table_cutoff_v1(keep) -> timestamptz

Purpose  The one place where the window of an event table becomes a cutoff.
Expects  keep of a policy; NULL: no cutoff.
Ensures  now() - keep, by the calendar of UTC.
Locks    None.
Errors   None.$contract$;

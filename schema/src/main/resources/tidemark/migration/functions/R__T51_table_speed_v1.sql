-- A standard-SQL body: bound when created, so no search_path can bend it, and folded into the caller's query.
create or replace function queen.table_speed_v1(p_name text)
    returns numeric
    language sql
    stable
begin atomic
    select round(sum(h.rows_deleted) / nullif(sum(h.held_ms), 0) * 1000, 1)
      from (select t.rows_deleted, t.held_ms
              from queen.table_history t
             where t.policy = p_name
             order by t.executed_at desc
             limit 100) h;
end;

revoke all on function queen.table_speed_v1 from public;
grant execute on function queen.table_speed_v1 to queen_retention, queen_reader;
comment on function queen.table_speed_v1 is
$contract$table_speed_v1(name) -> numeric

Purpose  How fast a policy deletes, in rows a second.
Expects  The name of a policy.
Ensures  Over its last 100 steps, while they worked at the table: pauses are not in it. NULL before the first.
Locks    None.
Errors   None.$contract$;

create or replace function queen.table_path_v1()
    returns text
    language sql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- table_path_v1() -> text
--
-- Purpose  The search_path under which triggers and functions of somebody's tables find theirs, as they do when a program deletes.
-- Expects  Nothing.
-- Ensures  The path that the session began with, by its role or database or its own wish, behind pg_catalog and before
--          temporary tables.
-- Locks    None.
-- Errors   None.
    select concat_ws(', ', 'pg_catalog', nullif(s.reset_val, ''), 'pg_temp')
      from pg_settings s
     where s.name = 'search_path';
$$;

revoke all on function queen.table_path_v1 from public;
grant execute on function queen.table_path_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_path_v1');

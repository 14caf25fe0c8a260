create or replace function queen.table_units_v1()
    returns table (unit text, low numeric, high numeric)
    language sql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- table_units_v1() -> (unit, low, high), one row a kind of time that is a number
--
-- Purpose  Know the unit of a number by its size: in another one it is in January 1970, or thousands of years away.
-- Expects  Nothing.
-- Ensures  unit: a kind of a policy. low, high: its numbers from 2000 to a year from now, which is our time. No two units share
--          one.
-- Locks    None.
-- Errors   None.
    select u.unit, 946684800 * u.scale, floor(extract(epoch from now() + interval '1 year')) * u.scale
      from (values ('epoch_s', 1::numeric), ('epoch_ms', 1000), ('epoch_us', 1000000), ('epoch_ns', 1000000000)) u (unit, scale);
$$;

revoke all on function queen.table_units_v1 from public;
grant execute on function queen.table_units_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_units_v1');

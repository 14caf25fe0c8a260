create or replace function queen.table_other_units_v1(p_kind text)
    returns table (unit text, low numeric, high numeric)
    language sql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- table_other_units_v1(kind) -> (unit, low, high), one row a coarser unit
--
-- Purpose  Numbers that are in January 1970 by the unit of a policy, and in our time by a coarser one: a writer's mistake, and no old rows.
-- Expects  kind of a policy.
-- Ensures  unit and its numbers from 2000 to a year from now. No row for seconds, and for what is no number.
-- Locks    None.
-- Errors   None.
    with units (unit, scale) as (
        values ('epoch_s', 1), ('epoch_ms', 1000), ('epoch_us', 1000000), ('epoch_ns', 1000000000))
    select u.unit, 946684800 * u.scale::numeric, floor(extract(epoch from now() + interval '1 year')) * u.scale
      from units u
      join units k on k.unit = p_kind and k.scale > u.scale;
$$;

revoke all on function queen.table_other_units_v1 from public;
grant execute on function queen.table_other_units_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_other_units_v1');

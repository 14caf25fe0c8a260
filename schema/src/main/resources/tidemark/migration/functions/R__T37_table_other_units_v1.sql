create or replace function queen.table_other_units_v1(p_kind text)
    returns table (unit text, low numeric, high numeric)
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- table_other_units_v1(kind) -> (unit, low, high), one row a coarser unit
--
-- Purpose  Numbers that are in January 1970 by the unit of a policy, and in our time by a coarser one: a writer's mistake, and
--          no old rows.
-- Expects  kind of a policy.
-- Ensures  As table_units_v1. No row for seconds, and for what is no number.
-- Locks    None.
-- Errors   None.
begin
    return query
        select u.unit, u.low, u.high
          from queen.table_units_v1() u
          join queen.table_units_v1() k on k.unit = p_kind and k.low > u.low;
end
$$;

revoke all on function queen.table_other_units_v1 from public;
grant execute on function queen.table_other_units_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_other_units_v1');

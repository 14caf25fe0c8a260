create or replace function queen.table_unit_v1(p_kind text, p_newest text)
    returns text
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- table_unit_v1(kind, newest) -> text
--
-- Purpose  Notice a number that is taken for another unit than it has: seconds taken for milliseconds are all in January 1970.
-- Expects  kind of a policy; the newest value of its column, in the column's own terms.
-- Ensures  Where the value is before 1990, or far in the future, and by table_units_v1 of our time in another unit: that unit. NULL
--          otherwise, and where there is no value or kind is no number.
-- Locks    None.
-- Errors   None.
declare
    v_at timestamptz;
begin
    if p_kind not like 'epoch%' or p_newest is null then
        return null;
    end if;
    v_at := queen.table_time_v1(p_kind => p_kind, p_zone => null, p_value => p_newest);
    if v_at between '1990-01-01Z' and now() + interval '50 years' then
        return null;
    end if;
    return (select u.unit from queen.table_units_v1() u where p_newest::numeric between u.low and u.high);
end
$$;

revoke all on function queen.table_unit_v1 from public;
grant execute on function queen.table_unit_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_unit_v1');

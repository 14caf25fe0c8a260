create or replace function queen.table_spelled_v1(p_constraint oid)
    returns text
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
    set datestyle = 'ISO, YMD'
    set intervalstyle = 'postgres'
    set extra_float_digits = 1
    set bytea_output = 'hex'
    set timezone = 'UTC'
    set standard_conforming_strings = on
    set quote_all_identifiers = off
as $$
-- table_spelled_v1(constraint) -> text
--
-- Purpose  Spell a condition so that it reads the same in every session: values in it are written out by the settings of this
--          function.
-- Expects  The oid of a CHECK.
-- Ensures  Its expression as the server spells it, names outside pg_catalog with their schema.
-- Locks    None.
-- Errors   None.
begin
    return (select pg_get_expr(k.conbin, k.conrelid) from pg_constraint k where k.oid = p_constraint);
end
$$;

revoke all on function queen.table_spelled_v1 from public;
grant execute on function queen.table_spelled_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_spelled_v1');

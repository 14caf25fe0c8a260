create or replace function queen.table_home_v1()
    returns text
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- table_home_v1() -> text
--
-- Purpose  Name the database in which an oid means what it meant when it was written down.
-- Ensures  System identifier / oid of the database / oid of table_policies: the same on a standby that was promoted, another
--          one in a restore, and after pg_upgrade. A copy by TEMPLATE differs in the second part alone: nothing else has the
--          third.
-- Locks    None.
-- Errors   None.
begin
    -- Its plan is kept: a function in SQL that is not folded into its caller is planned in each statement.
    return (select format('%s/%s/%s', s.system_identifier, d.oid, 'queen.table_policies'::regclass::oid)
              from pg_control_system() s, pg_database d
             where d.datname = current_database());
end
$$;

revoke all on function queen.table_home_v1 from public;
grant execute on function queen.table_home_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_home_v1');

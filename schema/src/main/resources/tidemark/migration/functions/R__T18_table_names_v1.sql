create or replace function queen.table_names_v1()
    returns bigint
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- table_names_v1() -> bigint
--
-- Purpose  Write down the names that tables, time columns and archives have by now: in a dump of the database they are all there is.
-- Ensures  Of every policy that was set in this database, on or off, but for those that somebody is at. Answers how many had others.
-- Locks    Those policies' rows FOR NO KEY UPDATE.
-- Errors   None.
declare
    v_count bigint;
begin
    with named as materialized (
        select p.name, n.nspname as relation_schema, c.relname as relation_name, a.attname as column_name,
               coalesce(an.nspname, p.archive_schema) as archive_schema, coalesce(ac.relname, p.archive_name) as archive_name
          from queen.table_policies p
          join pg_class c on c.oid = p.relation_id
          join pg_namespace n on n.oid = c.relnamespace
          join pg_attribute a on a.attrelid = c.oid and a.attnum = p.column_id and not a.attisdropped
          left join (pg_class ac join pg_namespace an on an.oid = ac.relnamespace) on ac.oid = p.archive_id
         where p.home = queen.table_home_v1()
           and (p.relation_schema, p.relation_name, p.column_name, coalesce(p.archive_schema, ''), coalesce(p.archive_name, ''))
               <> (n.nspname, c.relname, a.attname, coalesce(an.nspname, p.archive_schema, ''), coalesce(ac.relname, p.archive_name, ''))
           for no key update of p skip locked)
    update queen.table_policies p
       set relation_schema = d.relation_schema, relation_name = d.relation_name, column_name = d.column_name,
           archive_schema = d.archive_schema, archive_name = d.archive_name
      from named d
     where p.name = d.name;
    get diagnostics v_count = row_count;
    return v_count;
end
$$;

revoke all on function queen.table_names_v1 from public;
grant execute on function queen.table_names_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_names_v1');

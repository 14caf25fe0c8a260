create or replace function queen.table_names_v1(p_name text default null)
    returns bigint
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- table_names_v1(name) -> bigint
--
-- Purpose  Write down the names that tables, time columns and archives have by now: in a dump of the database they are all there is.
-- Expects  The name of a policy; NULL: all.
-- Ensures  Of every policy that was set in this database, on or off, but for those that somebody is at at this moment. One whose table, time column, archive
--          or column of the predicate is gone is marked as lost. Answers how many rows changed.
-- Locks    The rows it changes FOR NO KEY UPDATE.
-- Errors   None.
declare
    v_count bigint;
begin
    with named as materialized (
        select p.name, coalesce(n.nspname, p.relation_schema) as relation_schema, coalesce(c.relname, p.relation_name) as relation_name,
               coalesce(a.attname, p.column_name) as column_name,
               coalesce(an.nspname, p.archive_schema) as archive_schema, coalesce(ac.relname, p.archive_name) as archive_name,
               a.attname is null or p.archive_id is not null and ac.oid is null
               or exists (select from jsonb_each_text(p.predicate_columns) u
                           where not exists (select from pg_attribute b
                                              where b.attrelid = c.oid and b.attnum = u.key::int and b.attname = u.value and not b.attisdropped))
               as lost
          from queen.table_policies p
          left join (pg_class c join pg_namespace n on n.oid = c.relnamespace) on c.oid = p.relation_id
          left join pg_attribute a on a.attrelid = c.oid and a.attnum = p.column_id and not a.attisdropped
          left join (pg_class ac join pg_namespace an on an.oid = ac.relnamespace) on ac.oid = p.archive_id
         where p.home = queen.table_home_v1()
           and (p_name is null or p.name = p_name)),
    changed as materialized (
        select d.*
          from named d
          join queen.table_policies p on p.name = d.name
         where (p.relation_schema, p.relation_name, p.column_name, p.archive_schema, p.archive_name, p.lost)
               is distinct from (d.relation_schema, d.relation_name, d.column_name, d.archive_schema, d.archive_name, d.lost)
           for no key update of p skip locked)
    update queen.table_policies p
       set relation_schema = d.relation_schema, relation_name = d.relation_name, column_name = d.column_name,
           archive_schema = d.archive_schema, archive_name = d.archive_name, lost = d.lost
      from changed d
     where p.name = d.name;
    get diagnostics v_count = row_count;
    return v_count;
end
$$;

revoke all on function queen.table_names_v1 from public;
grant execute on function queen.table_names_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_names_v1');

-- A standard-SQL body: bound when created, so no search_path can bend it, and folded into the caller's query.
create or replace function queen.table_own_column_v1(p_relation oid, p_leaf_id oid)
    returns name
    language sql
    stable
begin atomic
    select a.attname
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.oid = p_leaf_id
       and c.oid <> p_relation
       and not c.relispartition
       and not exists (select from pg_attribute b where b.attrelid = p_relation and b.attname = a.attname and b.attnum > 0)
     limit 1;
end;

revoke all on function queen.table_own_column_v1 from public;
grant execute on function queen.table_own_column_v1 to queen_retention, queen_reader;
comment on function queen.table_own_column_v1 is
$contract$table_own_column_v1(relation, leaf_id) -> name

Purpose  A column that rows of a child have and rows of its parent have not: no archive of the parent's gets it.
Expects  The oids of a table and of one of its leaves.
Ensures  One of them; NULL: there is none. A partition has none.
Locks    None.
Errors   None.$contract$;

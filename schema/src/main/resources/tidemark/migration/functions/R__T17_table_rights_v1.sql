create or replace function queen.table_rights_v1(p_relation oid, p_archive oid)
    returns table (relation text, privilege text)
    language sql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- table_rights_v1(relation, archive) -> (relation, privilege), one row a privilege
--
-- Purpose  What the caller may not do and would have to, to delete the rows of a table.
-- Expects  The oid of a table, and of the archive; NULL: none.
-- Ensures  Of their schemas usage. Of the table and of each leaf, which a delete names by itself: select and delete, and
--          update, which a row lock asks for. Of the archive: insert. No row: nothing is missing.
-- Locks    None.
-- Errors   None.
    select distinct format('schema %I', n.nspname), 'usage'
      from (select p_relation union select l.leaf_id from queen.table_leaves_v1(p_relation => p_relation) l union select p_archive) r(id)
      join pg_class c on c.oid = r.id
      join pg_namespace n on n.oid = c.relnamespace
     where not has_schema_privilege(n.oid, 'usage')
    union all
    select format('%I.%I', n.nspname, c.relname), w.privilege
      from (select p_relation union select l.leaf_id from queen.table_leaves_v1(p_relation => p_relation) l) r(id)
     cross join (values ('select'), ('update'), ('delete')) w(privilege)
      join pg_class c on c.oid = r.id
      join pg_namespace n on n.oid = c.relnamespace
     where not has_table_privilege(c.oid, w.privilege)
    union all
    select format('%I.%I', n.nspname, c.relname), 'insert'
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
     where c.oid = p_archive
       and not has_table_privilege(c.oid, 'insert')
     order by 1, 2;
$$;

revoke all on function queen.table_rights_v1 from public;
grant execute on function queen.table_rights_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_rights_v1');

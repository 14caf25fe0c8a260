create or replace function queen.table_cascade_v1(p_relation oid, p_archive oid)
    returns text
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- table_cascade_v1(relation, archive) -> text
--
-- Purpose  Say whether a row that goes takes rows along that have to stay: younger ones of its own table, or archived ones.
-- Expects  The oid of a table, and of the archive; NULL: none.
-- Ensures  The constraint that does it by ON DELETE CASCADE, directly or by way of others, and its table. NULL: none.
-- Locks    None.
-- Errors   None.
begin
    if not exists (select from pg_class c where c.oid = p_relation and (c.relhastriggers or c.relhassubclass)) then
        return null;
    end if;
    -- By the triggers of the keys, which the server finds by the table that is referred to; constraints it would have to read one by one.
    return (
        with recursive family as materialized (
            select p_relation as id union select l.leaf_id from queen.table_leaves_v1(p_relation => p_relation) l),
        taken (id, conid) as (
            select f.id, 0::oid from family f
            union
            select g.tgconstrrelid, g.tgconstraint
              from taken t
              join pg_trigger g on g.tgrelid = t.id and g.tgfoid = 'pg_catalog."RI_FKey_cascade_del"'::regproc)
        select format('%I of %I.%I', k.conname, n.nspname, c.relname)
          from taken t
          join pg_constraint k on k.oid = t.conid
          join pg_class c on c.oid = k.conrelid
          join pg_namespace n on n.oid = c.relnamespace
         where t.id in (select f.id from family f union all select p_archive
                        union all select l.leaf_id from queen.table_leaves_v1(p_relation => p_archive) l)
         order by k.conparentid, k.conname
         limit 1);
end
$$;

revoke all on function queen.table_cascade_v1 from public;
grant execute on function queen.table_cascade_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_cascade_v1');

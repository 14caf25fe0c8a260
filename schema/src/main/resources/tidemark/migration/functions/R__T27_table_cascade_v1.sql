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
    -- A table that is referred to has the triggers of the key, and so has each of its leaves.
    if not exists (select from queen.table_leaves_v1(p_relation => p_relation) l join pg_class c on c.oid = l.leaf_id where c.relhastriggers) then
        return null;
    end if;
    return (
        with recursive family as materialized (
            select p_relation as id union select l.leaf_id from queen.table_leaves_v1(p_relation => p_relation) l),
        kept as materialized (
            select f.id from family f union select p_archive union select l.leaf_id from queen.table_leaves_v1(p_relation => p_archive) l),
        taken (id) as (
            select f.id from family f
            union
            select k.conrelid from taken t join pg_constraint k on k.confrelid = t.id and k.contype = 'f' and k.confdeltype = 'c')
        select format('%I of %I.%I', k.conname, n.nspname, c.relname)
          from pg_constraint k
          join pg_class c on c.oid = k.conrelid
          join pg_namespace n on n.oid = c.relnamespace
         where k.contype = 'f' and k.confdeltype = 'c'
           and k.conrelid in (select f.id from kept f)
           and k.confrelid in (select t.id from taken t)
         order by k.conparentid, k.conname
         limit 1);
end
$$;

revoke all on function queen.table_cascade_v1 from public;
grant execute on function queen.table_cascade_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_cascade_v1');

-- A standard-SQL body: bound when created, so no search_path can bend it, and folded into the caller's query.
create or replace function queen.table_leaves_v1(p_relation oid)
    returns table (leaf_id oid, leaf text, kind "char")
    language sql
    stable
begin atomic
    with recursive family (id) as (
        select c.oid from pg_class c where c.oid = p_relation
        -- A table may inherit from two that are in the family.
        union
        select i.inhrelid from family f join pg_inherits i on i.inhparent = f.id and not i.inhdetachpending)
    select l.oid, l.leaf, l.relkind
      from family f
     cross join lateral (
         select c.oid, format('%I.%I', n.nspname, c.relname) as leaf, c.relkind
           from pg_class c
           join pg_namespace n on n.oid = c.relnamespace
          where c.oid = f.id
            and c.relkind <> 'p'
            -- Somebody's temporary child cannot be read by others.
            and c.relpersistence <> 't'
         -- Each by its number: of one table the server would read all tables there are.
         offset 0) l;
end;

revoke all on function queen.table_leaves_v1 from public;
grant execute on function queen.table_leaves_v1 to queen_retention, queen_reader;
comment on function queen.table_leaves_v1 is
$contract$table_leaves_v1(relation) -> (leaf_id, leaf, kind), one row a leaf

Purpose  The relations that hold the rows of a table: itself, its partitions at the lowest level, its inheritance children.
Expects  The oid of a relation; one that is gone has no leaf.
Ensures  leaf is the name as SQL spells it, with its schema. kind is relkind: r, or f for a foreign table. A partition that is being
         detached is none of them.
Locks    None.
Errors   None.$contract$;

create or replace function queen.table_leaf_hold_v1(p_relation oid, p_leaf_id oid)
    returns text
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- table_leaf_hold_v1(relation, leaf_id) -> text
--
-- Purpose  Keep a leaf what it is, for work on it: a partition that was detached while a step waited for it is somebody else's.
-- Expects  The oid of a table that the caller has locked, and of a leaf of table_leaves_v1.
-- Ensures  The name of the leaf as SQL spells it, which it has until this call commits. NULL: it is no leaf of the table any more.
-- Locks    ROW EXCLUSIVE on the leaf.
-- Errors   55P03 see lock_timeout. 42501 a privilege is missing.
declare
    v_leaf text;
    v_held text;
begin
    loop
        select format('%I.%I', n.nspname, c.relname) into v_leaf
          from pg_class c
          join pg_namespace n on n.oid = c.relnamespace
         where c.oid = p_leaf_id
           and exists (
               with recursive up (id) as (
                   select c.oid
                   union
                   select i.inhparent from up u join pg_inherits i on i.inhrelid = u.id and not i.inhdetachpending)
               select from up u where u.id = p_relation);
        exit when v_leaf is null or v_leaf = v_held;
        begin
            execute format('lock table only %s in row exclusive mode', v_leaf);
            v_held := v_leaf;
        exception
            when undefined_table or invalid_schema_name then
                -- Dropped or renamed at this moment: its number says which.
                v_held := null;
        end;
    end loop;
    return v_leaf;
end
$$;

revoke all on function queen.table_leaf_hold_v1 from public;
grant execute on function queen.table_leaf_hold_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_leaf_hold_v1');

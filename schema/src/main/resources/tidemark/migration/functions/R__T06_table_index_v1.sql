create or replace function queen.table_index_v1(p_leaf oid, p_column name)
    returns oid
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
as $$
-- table_index_v1(leaf, column) -> oid
--
-- Purpose  An index by which the oldest rows of a leaf are found without reading the others.
-- Expects  The oid of a table, and the name of its time column.
-- Ensures  A valid btree in the type's own order whose leading column it is, over all rows. NULL: there is none.
-- Locks    None.
-- Errors   None.
begin
    -- Its plan is kept: a function in SQL that is not folded into its caller is planned in each statement.
    return (select min(i.indexrelid)
              from pg_attribute a
              join pg_index i on i.indrelid = a.attrelid and i.indkey[0] = a.attnum
              join pg_class c on c.oid = i.indexrelid
              join pg_am m on m.oid = c.relam
              join pg_opclass o on o.oid = i.indclass[0]
             where a.attrelid = p_leaf
               and a.attname = p_column
               and m.amname = 'btree'
               and o.opcdefault
               and i.indisvalid
               and i.indisready
               and i.indpred is null);
end
$$;

revoke all on function queen.table_index_v1 from public;
grant execute on function queen.table_index_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_index_v1');

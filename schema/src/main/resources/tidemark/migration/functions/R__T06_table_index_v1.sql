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
              from pg_index i
             where i.indrelid = p_leaf
               and i.indkey[0] = (select a.attnum from pg_attribute a where a.attrelid = p_leaf and a.attname = p_column)
               and (select m.amname from pg_class c join pg_am m on m.oid = c.relam where c.oid = i.indexrelid) = 'btree'
               and (select o.opcdefault from pg_opclass o where o.oid = i.indclass[0])
               and i.indisvalid
               and i.indisready
               and i.indpred is null);
end
$$;

revoke all on function queen.table_index_v1 from public;
grant execute on function queen.table_index_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_index_v1');

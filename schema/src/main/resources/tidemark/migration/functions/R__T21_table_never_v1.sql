create or replace function queen.table_never_v1(p_column name, p_type regtype, p_bound text, p_predicate text)
    returns text
    language sql
    immutable
    set search_path = pg_catalog, pg_temp
as $$
-- table_never_v1(column, type, bound, predicate) -> text
--
-- Purpose  Which rows of a leaf never go, as a condition of SQL: the ones that table_row_condition_v1 leaves out for what their
--          time is.
-- Expects  The statement calls the leaf t. type: of the time column, under all domains. bound: of table_bound_v1. predicate: as
--          the policy holds it.
-- Ensures  Time NULL, NaN or infinite; or a UUID below the bound that is not of version 7. Rows that the predicate leaves out
--          are none of them.
-- Locks    None.
-- Errors   None.
    select '('
        || case
               when p_type in ('timestamptz'::regtype, 'timestamp'::regtype, 'date'::regtype) then
                   format('t.%1$I is null or t.%1$I operator(pg_catalog.=) ''infinity''::%2$s or t.%1$I operator(pg_catalog.=) ''-infinity''::%2$s',
                          p_column, p_type)
               when p_type = 'numeric'::regtype then
                   format('t.%1$I is null or t.%1$I operator(pg_catalog.=) ''NaN''::%2$s or t.%1$I operator(pg_catalog.=) ''Infinity''::%2$s'
                          ' or t.%1$I operator(pg_catalog.=) ''-Infinity''::%2$s', p_column, p_type)
               when p_type = 'uuid'::regtype then
                   format('t.%1$I is null or t.%1$I operator(pg_catalog.<) %2$L::uuid'
                          ' and (pg_catalog.get_byte(pg_catalog.uuid_send(t.%1$I), 6) operator(pg_catalog./) 16 operator(pg_catalog.<>) 7'
                          ' or pg_catalog.get_byte(pg_catalog.uuid_send(t.%1$I), 8) operator(pg_catalog./) 64 operator(pg_catalog.<>) 2)',
                          p_column, p_bound)
               else format('t.%I is null', p_column)
           end
        || ')'
        || coalesce(' and (' || p_predicate || ')', '');
$$;

revoke all on function queen.table_never_v1 from public;
grant execute on function queen.table_never_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_never_v1');

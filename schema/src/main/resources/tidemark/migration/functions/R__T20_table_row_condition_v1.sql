create or replace function queen.table_row_condition_v1(
    p_leaf_id   oid,
    p_column    name,
    p_type      regtype,
    p_bound     text,
    p_predicate text,
    p_position  text default null,
    p_after     text default null,
    p_until     text default null)
    returns text
    language plpgsql
    immutable
    set search_path = pg_catalog, pg_temp
as $$
-- table_row_condition_v1(leaf_id, column, type, bound, predicate, position, after, until) -> text
--
-- Purpose  Which rows of a leaf may go, as a condition of SQL. Every statement that reads or deletes rows of a policy has it
--          from here.
-- Expects  The statement calls the leaf t. type: of the time column, under all domains. bound: of table_bound_v1. predicate: as
--          the policy holds it. position, after, until: of table_positions.
-- Ensures  Time before the bound, and neither NULL, NaN nor infinite; of a UUID, only version 7. From position on; with after,
--          of that time only what lies between after and until. Names mean what they mean in pg_catalog, wherever the session
--          looks first. It holds in no other table, whoever gave that the name of the leaf in between.
-- Locks    None.
-- Errors   None.
begin
    return format('t.tableoid operator(pg_catalog.=) %L::pg_catalog.oid and t.%I operator(pg_catalog.<) %L::%s',
                  p_leaf_id, p_column, p_bound, p_type)
        || case
               when p_position is not null then
                   format(' and t.%I operator(pg_catalog.>=) %L::%s', p_column, p_position, p_type)
                   || case when p_after is null then '' else
                          format(' and (t.%1$I operator(pg_catalog.>) %2$L::%3$s or t.ctid operator(pg_catalog.>) %4$L::pg_catalog.tid'
                                 ' and t.ctid operator(pg_catalog.<) %5$L::pg_catalog.tid)',
                                 p_column, p_position, p_type, p_after, p_until)
                      end
               when p_type in ('timestamptz'::regtype, 'timestamp'::regtype, 'date'::regtype, 'numeric'::regtype) then
                   format(' and t.%I operator(pg_catalog.>) ''-infinity''::%s', p_column, p_type)
               else ''
           end
        || case p_type when 'uuid'::regtype then
               format(' and pg_catalog.get_byte(pg_catalog.uuid_send(t.%1$I), 6) operator(pg_catalog./) 16 operator(pg_catalog.=) 7'
                      ' and pg_catalog.get_byte(pg_catalog.uuid_send(t.%1$I), 8) operator(pg_catalog./) 64 operator(pg_catalog.=) 2',
                      p_column)
               else ''
           end
        || coalesce(' and (' || p_predicate || ')', '');
end
$$;

revoke all on function queen.table_row_condition_v1 from public;
grant execute on function queen.table_row_condition_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_row_condition_v1');

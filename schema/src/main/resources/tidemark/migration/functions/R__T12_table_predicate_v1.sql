create or replace function queen.table_predicate_v1(p_relation oid, p_predicate text)
    returns table (predicate text, columns jsonb)
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- table_predicate_v1(relation, predicate) -> (predicate, columns), one row
--
-- Purpose  Make of what somebody typed one boolean expression over a row, and nothing besides.
-- Expects  The oid of a table, and the text. Columns by their names, or by table.column. NULL: no predicate.
-- Ensures  predicate: as the server spells the tree it has parsed, so no text that closes a parenthesis or ends a statement gets
--          any further. columns: those it reads, {"attnum": "name"}. Nothing is left behind.
-- Locks    ACCESS SHARE on the table.
-- Errors   22023 no boolean expression over one row: the message says what the server said. 42P07 the session has a temporary
--          table of the same name.
declare
    v_name   text;
    v_source text;
    v_cursor refcursor;
    v_said   text;
begin
    columns := '{}';
    if p_predicate is null then
        return next;
        return;
    end if;
    select format('%I', c.relname), format('%I.%I', n.nspname, c.relname) into v_name, v_source
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
     where c.oid = p_relation;
    execute format('create temporary table %s (like %s)', v_name, v_source);
    begin
        -- A cursor takes a single query, and this one is only planned. Text that ends the statement fails here, before anything ran.
        -- Text that closes the parenthesis would have to make sense here and in the constraint, where other things may follow.
        open v_cursor for execute format('select 1 from pg_temp.%1$s where (%3$s%2$s%3$s)', v_name, p_predicate, e'\n');
        close v_cursor;
        execute format('alter table pg_temp.%1$s add constraint tidemark_predicate check (%3$s%2$s%3$s)', v_name, p_predicate, e'\n');
    exception
        when syntax_error_or_access_rule_violation or invalid_schema_name or feature_not_supported or data_exception or invalid_cursor_definition then
            v_said := sqlerrm;
    end;
    if v_said is null then
        select queen.table_spelled_v1(p_constraint => k.oid),
               coalesce((select jsonb_object_agg(r.attnum, r.attname)
                           from pg_attribute t
                           join pg_attribute r on r.attrelid = p_relation and r.attname = t.attname and not r.attisdropped
                          where t.attrelid = k.conrelid and t.attnum = any (k.conkey)), '{}'),
               case when 0 >= any (k.conkey) then 'it reads the row as a whole, or a system column' end
          into predicate, columns, v_said
          from pg_constraint k
         where k.conrelid = to_regclass('pg_temp.' || v_name) and k.conname = 'tidemark_predicate';
    end if;
    execute format('drop table pg_temp.%s', v_name);
    if v_said is not null then
        raise exception 'table_predicate_v1: p_predicate must be a boolean expression over one row of %, not %: %',
            v_source, quote_literal(left(p_predicate, 200)), v_said
            using errcode = '22023', hint = 'For instance: status = ''done''. No subquery, no aggregate, no semicolon.';
    end if;
    return next;
end
$$;

revoke all on function queen.table_predicate_v1 from public;
grant execute on function queen.table_predicate_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_predicate_v1');

create or replace function queen.table_find_v1(p_function text, p_argument text, p_relation text)
    returns oid
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- table_find_v1(function, argument, relation) -> oid
--
-- Purpose  The table that somebody named, or a reason why retention leaves it alone.
-- Expects  The name as SQL spells it: schema.table, or a table of schema public; whatever SQL would fold or end is in double
--          quotes. The function and the argument, for the message.
-- Ensures  A table or partitioned table that is permanent, or unlogged, and neither of the server nor of schema queen.
-- Locks    None.
-- Errors   22023 naming the argument.
declare
    v_parts text[];
    v_class record;
begin
    if coalesce(p_relation, '') = '' then
        raise exception '%: % must not be null or empty', p_function, p_argument using errcode = '22023';
    end if;
    begin
        v_parts := parse_ident(p_relation);
    exception
        when invalid_parameter_value then
            raise exception '%: % must be a name as SQL spells it, not %', p_function, p_argument, quote_literal(left(p_relation, 200))
                using errcode = '22023', hint = 'schema.table. A name with capitals, dots, blanks or quotes in it is put in double quotes.';
    end;
    if cardinality(v_parts) = 1 then
        v_parts := array['public'] || v_parts;
    end if;
    select c.oid, c.relkind, c.relpersistence, n.nspname into v_class
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
     where cardinality(v_parts) = 2 and n.nspname::text = v_parts[1] and c.relname::text = v_parts[2];
    if not found then
        raise exception '%: % must name a table, and there is no relation %', p_function, p_argument, p_relation
            using errcode = '22023', hint = 'schema.table, or a table of schema public. A name with capitals or dots in it is put in double quotes.';
    end if;
    if v_class.nspname in ('pg_catalog', 'information_schema', 'pg_toast', 'queen', 'queen_streams') then
        raise exception '%: % must be a table of your own, and % belongs to the %', p_function, p_argument, p_relation,
            case when v_class.nspname in ('queen', 'queen_streams') then 'message log, which has a retention of its own' else 'server' end
            using errcode = '22023';
    end if;
    if v_class.relkind not in ('r', 'p') or v_class.relpersistence = 't' then
        raise exception '%: % must be a table or a partitioned table, and % is a %', p_function, p_argument, p_relation,
            case v_class.relkind
                when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table' when 'S' then 'sequence'
                when 'i' then 'index' when 'I' then 'index' when 'c' then 'type' else 'temporary table'
            end
            using errcode = '22023';
    end if;
    return v_class.oid;
end
$$;

revoke all on function queen.table_find_v1 from public;
grant execute on function queen.table_find_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_find_v1');

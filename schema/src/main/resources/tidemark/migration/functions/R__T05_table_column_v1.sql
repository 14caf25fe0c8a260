create or replace function queen.table_column_v1(p_relation oid, p_column_id smallint, p_column name)
    returns table (column_id smallint, column_name name, column_type regtype, kinds text[])
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
as $$
-- table_column_v1(relation, column_id, column) -> (column_id, column_name, column_type, kinds), one row, or none
--
-- Purpose  One column of a table, and the kinds of time it can hold.
-- Expects  Its number, or else its name.
-- Ensures  column_type: under all domains. kinds: empty for a type that holds no time.
-- Locks    None.
-- Errors   None.
declare
    v_base oid;
begin
    if p_column_id is null then
        select a.attnum, a.attname, a.atttypid into column_id, column_name, v_base
          from pg_attribute a
         where a.attrelid = p_relation and a.attname = p_column and a.attnum > 0 and not a.attisdropped;
    else
        select a.attnum, a.attname, a.atttypid into column_id, column_name, v_base
          from pg_attribute a
         where a.attrelid = p_relation and a.attnum = p_column_id and a.attnum > 0 and not a.attisdropped;
    end if;
    -- One type after the other, each by its number: in one query the server reads all types there are, two of each table.
    while v_base is not null loop
        column_type := v_base::regtype;
        select t.typbasetype into v_base from pg_type t where t.oid = column_type and t.typtype = 'd';
    end loop;
    if column_type is null then
        return;
    end if;
    kinds := case
        when column_type in ('timestamptz'::regtype, 'timestamp'::regtype, 'date'::regtype) then
            array[(select t.typname::text from pg_type t where t.oid = column_type)]
        when column_type = 'uuid'::regtype then array['uuidv7']
        when column_type in ('int4'::regtype, 'int8'::regtype, 'numeric'::regtype) then
            array['epoch_s', 'epoch_ms', 'epoch_us', 'epoch_ns']
        else '{}'
    end;
    return next;
end
$$;

revoke all on function queen.table_column_v1 from public;
grant execute on function queen.table_column_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_column_v1');

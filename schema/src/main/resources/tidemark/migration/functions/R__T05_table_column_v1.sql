-- A standard-SQL body: bound when created, so no search_path can bend it, and folded into the caller's query.
create or replace function queen.table_column_v1(p_relation oid, p_column_id smallint, p_column name)
    returns table (column_id smallint, column_name name, column_type regtype, kinds text[])
    language sql
    stable
begin atomic
    with recursive base (column_id, column_name, type_id) as (
        select a.attnum, a.attname, a.atttypid
          from pg_attribute a
         where a.attrelid = p_relation
           and a.attnum > 0
           and not a.attisdropped
           and (a.attnum = p_column_id or p_column_id is null and a.attname = p_column)
        union
        select b.column_id, b.column_name, t.typbasetype
          from base b
          join pg_type t on t.oid = b.type_id and t.typtype = 'd')
    select b.column_id, b.column_name, t.oid::regtype,
           case t.typname
               when 'timestamptz' then array['timestamptz']
               when 'timestamp' then array['timestamp']
               when 'date' then array['date']
               when 'uuid' then array['uuidv7']
               when 'int4' then array['epoch_s', 'epoch_ms', 'epoch_us', 'epoch_ns']
               when 'int8' then array['epoch_s', 'epoch_ms', 'epoch_us', 'epoch_ns']
               when 'numeric' then array['epoch_s', 'epoch_ms', 'epoch_us', 'epoch_ns']
               else '{}'
           end
      from base b
      join pg_type t on t.oid = b.type_id and t.typtype <> 'd';
end;

revoke all on function queen.table_column_v1 from public;
grant execute on function queen.table_column_v1 to queen_retention, queen_reader;
comment on function queen.table_column_v1 is
$contract$table_column_v1(relation, column_id, column) -> (column_id, column_name, column_type, kinds), one row, or none

Purpose  One column of a table, and the kinds of time it can hold.
Expects  Its number, or else its name.
Ensures  column_type: under all domains. kinds: empty for a type that holds no time.
Locks    None.
Errors   None.$contract$;

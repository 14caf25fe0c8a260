-- A standard-SQL body: bound when created, so no search_path can bend it, and folded into the caller's query.
create or replace function queen.table_archive_columns_v1(p_relation oid, p_archive oid)
    returns table (columns name[], misfit name)
    language sql
    stable
begin atomic
    select array_agg(a.attname order by a.attnum) filter (where b.attgenerated = ''),
           min(a.attname::text) filter (where b.attnum is null)::name
      from pg_attribute a
      left join pg_attribute b
        on b.attrelid = p_archive and b.attname = a.attname and b.atttypid = a.atttypid and b.attnum > 0 and not b.attisdropped
     where a.attrelid = p_relation
       and a.attnum > 0
       and not a.attisdropped;
end;

revoke all on function queen.table_archive_columns_v1 from public;
grant execute on function queen.table_archive_columns_v1 to queen_retention, queen_reader;
comment on function queen.table_archive_columns_v1 is
$contract$table_archive_columns_v1(relation, archive) -> (columns, misfit), one row

Purpose  What a row takes along into the archive.
Expects  The oids of two tables.
Ensures  columns: all of the relation's, but those that the archive generates. misfit: one that the archive has not, or with another
         type; NULL: it has them all.
Locks    None.
Errors   None.$contract$;

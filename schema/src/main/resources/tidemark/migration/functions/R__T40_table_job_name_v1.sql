-- A standard-SQL body: bound when created, so no search_path can bend it, and folded into the caller's query.
create or replace function queen.table_job_name_v1(p_name text)
    returns text
    language sql
    immutable
begin atomic
    -- pg_cron cuts a name after 63 bytes, and two policies must not share a job.
    select case when octet_length('tidemark ' || p_name) <= 63 then 'tidemark ' || p_name
                else 'tidemark ' || md5(p_name) end;
end;

revoke all on function queen.table_job_name_v1 from public;
grant execute on function queen.table_job_name_v1 to queen_retention, queen_reader;
comment on function queen.table_job_name_v1 is
$contract$table_job_name_v1(name) -> text

Purpose  The name of a policy's job in pg_cron.
Expects  The name of a policy.
Ensures  At most 63 bytes: a longer name is told by its hash.
Locks    None.
Errors   None.$contract$;

-- A standard-SQL body: bound when created, so no search_path can bend it, and the planner folds it into the caller's query.
-- (Such a body keeps no comments, so the contract is spelled in the COMMENT itself.)
create or replace function queen.log_dead_partitions_v1(p_cutoff timestamptz)
    returns table (id uuid, queue_id uuid, last_write_at timestamptz)
    language sql
    stable
begin atomic
    select p.id, p.queue_id, p.last_write_at
      from queen.log_silent_partitions_v1(p_cutoff => p_cutoff) p
     where p.oldest_live_at is null
       and not exists (select 1 from queen.log_segments s where s.partition_id = p.id and s.base_offset >= p.log_start offset 0);
end;

revoke all on function queen.log_dead_partitions_v1 from public;
grant execute on function queen.log_dead_partitions_v1 to queen_retention, queen_reader;
comment on function queen.log_dead_partitions_v1 is
$contract$log_dead_partitions_v1(cutoff) -> (id, queue_id, last_write_at) of every partition that may be deleted

Purpose  The cleanup predicate, in one place: log_partition_dead_v1 and the candidate scan are both written over it.
Expects  cutoff = now - PARTITION_CLEANUP_DAYS; NULL: no partition.
Ensures  Vetoes: live data, by the watermark and by a segment; and those of log_silent_partitions_v1.
Locks    None.
Errors   None.$contract$;

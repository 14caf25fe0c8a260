-- A standard-SQL body: bound when created, so no search_path can bend it, and the planner folds it into the caller's query.
-- (Such a body keeps no comments, so the contract is spelled in the COMMENT itself.)
create or replace function queen.log_dead_partitions_v1(p_cutoff timestamptz)
    returns table (id uuid, queue_id uuid, last_write_at timestamptz)
    language sql
    stable
begin atomic
    select p.id, p.queue_id, p.last_write_at
      from queen.log_partitions p
     where p.last_write_at < p_cutoff
       and p.created_at < p_cutoff
       and p.oldest_live_at is null
       and not exists (select 1 from queen.log_segments s where s.partition_id = p.id and s.base_offset >= p.log_start)
       and not exists (select 1 from queen.log_dlq d where d.partition_id = p.id)
       and not exists (select 1 from queen_streams.state t where t.partition_id = p.id)
       and not exists (
           select 1
             from queen.log_consumers c
            where c.partition_id = p.id
              and (c.lease_expires_at >= p_cutoff
                   or c.lease_acquired_at >= p_cutoff
                   or c.created_at >= p_cutoff
                   or (c.batch_end is not null and c.lease_expires_at is null)));
end;

revoke all on function queen.log_dead_partitions_v1 from public;
grant execute on function queen.log_dead_partitions_v1 to queen_retention, queen_reader;
comment on function queen.log_dead_partitions_v1 is
$contract$log_dead_partitions_v1(cutoff) -> (id, queue_id, last_write_at) of every partition that may be deleted

Purpose  The cleanup predicate, in one place: log_partition_dead_v1 and the candidate scan are both written over it.
Expects  cutoff = now - PARTITION_CLEANUP_DAYS; NULL: no partition.
Ensures  Vetoes: created_at or last_write_at at or after cutoff; a segment; a dead letter; streams state; a cursor joined at or
         after cutoff; a lease taken or running at or after cutoff (a live one ends in the future); a leased batch without an
         expiry. An expired lease alone is no veto; a message trace is none.
Locks    None.
Errors   None.$contract$;

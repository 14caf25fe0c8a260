-- A standard-SQL body, as in log_dead_partitions_v1, which is written over it and folded with it into the caller's query.
-- OFFSET 0 keeps each veto a probe by partition_id. Without it the planner makes joins of them, and reads all cursors once for a
-- page of partitions when it believes that few of them can veto.
create or replace function queen.log_silent_partitions_v1(p_cutoff timestamptz)
    returns table (id uuid, queue_id uuid, name text, log_start bigint, oldest_live_at timestamptz, last_write_at timestamptz)
    language sql
    stable
begin atomic
    select p.id, p.queue_id, p.name, p.log_start, p.oldest_live_at, p.last_write_at
      from queen.log_partitions p
     where p.last_write_at < p_cutoff
       and p.created_at < p_cutoff
       and not exists (select 1 from queen.log_dlq d where d.partition_id = p.id offset 0)
       and not exists (select 1 from queen_streams.state t where t.partition_id = p.id offset 0)
       and not exists (
           select 1
             from queen.log_consumers c
            where c.partition_id = p.id
              and (c.lease_expires_at >= p_cutoff
                   or c.lease_acquired_at >= p_cutoff
                   or c.created_at >= p_cutoff
                   or (c.batch_end is not null and c.lease_expires_at is null))
            offset 0);
end;

revoke all on function queen.log_silent_partitions_v1 from public;
grant execute on function queen.log_silent_partitions_v1 to queen_retention, queen_reader;
comment on function queen.log_silent_partitions_v1 is
$contract$log_silent_partitions_v1(cutoff) -> (id, queue_id, name, log_start, oldest_live_at, last_write_at)

Purpose  The partitions that the cleanup may delete as soon as they are empty: its vetoes, all but the one of live data.
Expects  cutoff = now - PARTITION_CLEANUP_DAYS; NULL: no partition.
Ensures  Vetoes: created_at or last_write_at at or after cutoff; a dead letter; streams state; a cursor joined at or after cutoff; a
         lease taken or running at or after cutoff (a live one ends in the future); a leased batch without an expiry. An expired
         lease alone is no veto; a message trace is none.
Locks    None.
Errors   None.$contract$;

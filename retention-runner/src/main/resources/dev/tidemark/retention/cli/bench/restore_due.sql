-- bench.restore_due() -> rows
--
-- Purpose  Give every partition that a cycle has emptied one segment of two days ago again, as an import would.
-- Expects  Partitions without sidecar rows, as load_log leaves those that are due.
-- Ensures  What log_invariants_v1 checks: offsets go on, and the deletions before stay in the history.
create or replace function bench.restore_due()
    returns bigint
    language sql
    set session_replication_role = replica
as $$
with due as (
    update queen.log_partitions p
       set last_offset = p.last_offset + 1, txns_start = p.last_offset + 2, oldest_live_at = p.last_created_at
     where p.oldest_live_at is null
    returning p.id, p.last_offset, p.oldest_live_at),
restored as (
    insert into queen.log_segments (partition_id, base_offset, end_offset, created_at, blob)
    select d.id, d.last_offset, d.last_offset, d.oldest_live_at, convert_to(repeat('x', 200), 'UTF8') from due d
    returning 1)
select count(*) from restored
$$;

create or replace function queen.log_partition_dead_v1(p_pid uuid, p_cutoff timestamptz)
    returns boolean
    language sql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- log_partition_dead_v1(pid, cutoff) -> bool
--
-- Purpose  Say whether the cleanup may delete this partition. The predicate itself is log_dead_partitions_v1.
-- Expects  cutoff = now - PARTITION_CLEANUP_DAYS.
-- Ensures  False for a partition that is gone and for a NULL argument: what is not known to be dead is kept.
-- Locks    None; ask again under the partition row lock before acting on it.
-- Errors   None.
select exists (select 1 from queen.log_dead_partitions_v1(p_cutoff => p_cutoff) d where d.id = p_pid)
$$;

revoke all on function queen.log_partition_dead_v1 from public;
grant execute on function queen.log_partition_dead_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.log_partition_dead_v1');

create or replace function queen.log_cleanup_preview_v1(p_queue text, p_cutoff timestamptz)
    returns table (
        queue_name     text,
        partition_id   uuid,
        partition_name text,
        last_write_at  timestamptz,
        reason         text)
    language sql
    stable
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set enable_bitmapscan = off
    set enable_hashjoin = off
    set enable_mergejoin = off
    set jit = off
    set timezone = 'UTC'
    set datestyle = 'ISO'
as $$
-- log_cleanup_preview_v1(queue, cutoff) -> (queue, partition, last_write_at, reason), by queue and partition
--
-- Purpose  Which partitions phase 4 would delete if a whole cycle ran now: the empty ones, and those that phases 1 and 3 of the same
--          cycle empty before.
-- Expects  A queue name, or NULL for all. cutoff = now - PARTITION_CLEANUP_DAYS; NULL: no partition.
-- Ensures  The vetoes of log_silent_partitions_v1. A partition that holds data is listed when its newest segment goes, for then all
--          do: created_at never decreases, and deletion begins at the head. Reasons print UTC. Changes nothing; three index
--          probes a partition that is due, none into the log of another one.
-- Locks    None.
-- Errors   None.
with rules as materialized (
    select r.* from queen.log_rules_v1() r where p_queue is null or r.queue_name = p_queue),
dead as (
    select d.queue_id, d.id, d.last_write_at, 'empty and silent since ' || d.last_write_at as reason
      from queen.log_dead_partitions_v1(p_cutoff => p_cutoff) d
    union all
    select s.queue_id, s.id, s.last_write_at, 'silent since ' || s.last_write_at || ', and this cycle empties it'
      from rules r
      join queen.log_silent_partitions_v1(p_cutoff => p_cutoff) s
        on s.queue_id = r.queue_id and s.oldest_live_at < greatest(r.all_cutoff, r.completed_cutoff, r.max_wait_cutoff)
     cross join lateral (
           select g.created_at, g.end_offset
             from queen.log_segments g
            where g.partition_id = s.id and g.base_offset >= s.log_start
            order by g.base_offset desc
            limit 1) newest
     where newest.created_at < greatest(r.all_cutoff, r.max_wait_cutoff)
        or newest.created_at < r.completed_cutoff
           and newest.end_offset <= (select min(c.committed) from queen.log_consumers c where c.partition_id = s.id))
select r.queue_name, d.id, p.name, d.last_write_at, d.reason
  from dead d
  join rules r on r.queue_id = d.queue_id
  join queen.log_partitions p on p.id = d.id
 order by r.queue_name, p.name
$$;

revoke all on function queen.log_cleanup_preview_v1 from public;
grant execute on function queen.log_cleanup_preview_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.log_cleanup_preview_v1');

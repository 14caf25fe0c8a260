create or replace function queen.log_retention_preview_v1(p_queue text default null)
    returns table (
        queue_name     text,
        partition_id   uuid,
        partition_name text,
        phase          int,
        rule           text,
        segments       bigint,
        messages       bigint,
        reason         text)
    language sql
    stable
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set enable_bitmapscan = off
    set jit = off
    set timezone = 'UTC'
    set datestyle = 'ISO'
as $$
-- log_retention_preview_v1(queue) -> (queue, partition, phase, rule, segments, messages, reason)
--
-- Purpose  What phases 1 to 3 would delete if they drained every due partition now, and what holds the rest back.
-- Expects  A queue name, or NULL for all.
-- Ensures  rule: retention, completed_retention, max_wait_time_eviction, txns_purge (segments = sidecar rows), or held: something is
--          old enough for rule 2, no rule takes it, and a cursor, or the lack of one, keeps it (segments and messages 0).
--          Phase 1 gives a partition one rule, as one step with a large enough batch would: completed_retention where rule 2
--          reaches strictly higher. Phase 3 takes what phase 1 leaves. Reasons print UTC. Changes nothing; reads every
--          segment it counts.
-- Locks    None.
-- Errors   None.
with rules as materialized (
    select r.* from queen.log_rules_v1() r where p_queue is null or r.queue_name = p_queue),
aged as materialized (
    select r.*, p.id, p.name, p.log_start, slowest.consumer_group, slowest.committed,
           queen.log_retention_boundary_windowed_v1(p.id, p.log_start, r.all_cutoff, null) as all_end,
           queen.log_retention_boundary_windowed_v1(p.id, p.log_start, r.completed_cutoff, null) as completed_end,
           queen.log_retention_boundary_windowed_v1(p.id, p.log_start, r.max_wait_cutoff, null) as max_wait_end
      from rules r
      join queen.log_partitions p on p.queue_id = r.queue_id
      left join lateral (
           select c.consumer_group, c.committed
             from queen.log_consumers c
            where c.partition_id = p.id
            order by c.committed, c.consumer_group
            limit 1) slowest on true
     where p.oldest_live_at < greatest(r.all_cutoff, r.completed_cutoff, r.max_wait_cutoff)),
due as materialized (
    select a.*, greatest(a.all_end, t.consumed_end) as step_end,
           case when t.consumed_end > a.all_end then 'completed_retention' else 'retention' end as step_rule
      from aged a
     -- No cursor, nothing consumed: LEAST alone would skip the NULL and take it all for consumed.
     cross join lateral (
           select case when a.committed is null then a.log_start else least(a.completed_end, a.committed + 1) end as consumed_end) t)
select d.queue_name, d.id, d.name, g.phase, case g.phase when 1 then d.step_rule else 'max_wait_time_eviction' end,
       g.segments, g.messages,
       case when g.phase = 3 then 'waited since before ' || d.max_wait_cutoff
            when d.step_rule = 'retention' then 'older than ' || d.all_cutoff
            else 'older than ' || d.completed_cutoff || ' and committed by every group' end
  from due d
 cross join lateral (
       select case when s.end_offset < d.step_end then 1 else 3 end as phase,
              count(*) as segments, sum(s.end_offset - s.base_offset + 1)::bigint as messages
         from queen.log_segments s
        where s.partition_id = d.id
          and s.base_offset >= d.log_start
          and s.base_offset < greatest(d.step_end, d.max_wait_end)
          and s.end_offset < greatest(d.step_end, d.max_wait_end)
        group by 1) g
union all
select d.queue_name, d.id, d.name, 1, 'held', 0, 0,
       case when d.consumer_group is null then 'no group has a cursor'
            when d.committed < 0 then 'group ' || d.consumer_group || ' has committed nothing'
            else 'group ' || d.consumer_group || ' has committed only ' || d.committed end
  from due d
 where d.completed_end > greatest(d.step_end, d.max_wait_end)
union all
select r.queue_name, p.id, p.name, 2, 'txns_purge', t.rows, t.messages, 'hashes older than ' || r.txns_cutoff
  from rules r
  join queen.log_partitions p on p.queue_id = r.queue_id and p.oldest_txn_at < r.txns_cutoff
 cross join lateral (
       select count(*) as rows, sum(x.end_offset - x.base_offset + 1)::bigint as messages
         from queen.log_txns x
        where x.partition_id = p.id and x.base_offset >= p.txns_start and x.created_at < r.txns_cutoff) t
 order by 1, 3, 4
$$;

revoke all on function queen.log_retention_preview_v1 from public;
grant execute on function queen.log_retention_preview_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.log_retention_preview_v1');

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
as $$
-- log_retention_preview_v1(queue) -> (queue, partition, phase, rule, segments, messages, reason)
--
-- Purpose  What phases 1 to 3 would delete if they drained every due partition now, and what holds the rest back.
-- Expects  A queue name, or NULL for all.
-- Ensures  rule: retention, completed_retention, max_wait_time_eviction, txns_purge (segments = sidecar rows), or held: the
--          partition is old enough for rule 2 but a cursor, or the lack of one, keeps it (segments and messages 0). A segment
--          counts once, for the first rule that takes it. Changes nothing; reads every segment it counts.
-- Locks    None.
-- Errors   None.
with rules as materialized (
    select r.* from queen.log_rules_v1() r where p_queue is null or r.queue_name = p_queue),
due as materialized (
    select r.*, p.id, p.name, p.log_start,
           queen.log_retention_boundary_windowed_v1(p.id, p.log_start, r.all_cutoff, null) as all_end,
           least(queen.log_retention_boundary_windowed_v1(p.id, p.log_start, r.completed_cutoff, null), held.committed + 1) as completed_end,
           queen.log_retention_boundary_windowed_v1(p.id, p.log_start, r.max_wait_cutoff, null) as max_wait_end,
           p.oldest_live_at < r.completed_cutoff as old_enough,
           held.consumer_group, held.committed
      from rules r
      join queen.log_partitions p on p.queue_id = r.queue_id
      left join lateral (
           select c.consumer_group, c.committed
             from queen.log_consumers c
            where c.partition_id = p.id
            order by c.committed, c.consumer_group
            limit 1) held on true
     where p.oldest_live_at < greatest(r.all_cutoff, r.completed_cutoff, r.max_wait_cutoff)),
gone as (
    select d.id, t.rule, count(*) as segments, sum(s.end_offset - s.base_offset + 1)::bigint as messages
      from due d
      join queen.log_segments s
        on s.partition_id = d.id and s.base_offset >= d.log_start
       and s.end_offset < greatest(d.all_end, d.completed_end, d.max_wait_end)
     cross join lateral (
           select case when s.end_offset < d.all_end then 'retention'
                       when s.end_offset < d.completed_end then 'completed_retention'
                       else 'max_wait_time_eviction' end as rule) t
     group by d.id, t.rule)
select d.queue_name, d.id, d.name, case g.rule when 'max_wait_time_eviction' then 3 else 1 end, g.rule, g.segments, g.messages,
       case g.rule
           when 'retention' then 'older than ' || d.all_cutoff
           when 'completed_retention' then 'older than ' || d.completed_cutoff || ' and committed by every group'
           else 'waited since before ' || d.max_wait_cutoff end
  from gone g
  join due d on d.id = g.id
union all
select d.queue_name, d.id, d.name, 1, 'held', 0, 0,
       case when d.consumer_group is null then 'no group has a cursor'
            else 'group ' || d.consumer_group || ' has committed only ' || d.committed end
  from due d
 where d.old_enough
   and not exists (select 1 from gone g where g.id = d.id)
union all
select r.queue_name, p.id, p.name, 2, 'txns_purge', t.rows, t.messages, 'hashes older than ' || r.txns_cutoff
  from rules r
  join queen.log_partitions p on p.queue_id = r.queue_id and p.oldest_txn_at < r.txns_cutoff
 cross join lateral (
       select count(*) as rows, sum(x.end_offset - x.base_offset + 1)::bigint as messages
         from queen.log_txns x
        where x.partition_id = p.id and x.base_offset >= p.txns_start and x.created_at < r.txns_cutoff) t
$$;

revoke all on function queen.log_retention_preview_v1 from public;
grant execute on function queen.log_retention_preview_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.log_retention_preview_v1');

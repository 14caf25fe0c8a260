create or replace function queen.retention_status_v1()
    returns table (
        queue_name                  text,
        retention_enabled           boolean,
        retention_seconds           int,
        completed_retention_seconds int,
        max_wait_time_seconds       int,
        partitions                  bigint,
        live_partitions             bigint,
        live_segments               bigint,
        live_messages               numeric,
        oldest_live_at              timestamptz,
        sidecar_rows                bigint,
        unread_partitions           bigint,
        due_retention               bigint,
        due_txns                    bigint,
        due_max_wait                bigint)
    language sql
    stable
    set search_path = pg_catalog, pg_temp
    set jit = off
as $$
-- retention_status_v1() -> one row a queue, by name
--
-- Purpose  What each queue holds, for how long it may, and what a cycle would visit now.
-- Ensures  live_messages is exact, by arithmetic over the watermarks. live_segments and sidecar_rows are counted from the first
--          and the last row of each partition as if all between were as full as the first: exact where segments are packed
--          evenly, an estimate elsewhere. unread_partitions hold data and have no cursor. due_*: partitions whose watermark is
--          past the phase's cutoff. Four index probes a partition; no table is counted.
-- Locks    None.
-- Errors   None.
with held as materialized (
    select p.*, live.segments, side.rows,
           p.oldest_live_at is not null
               and not exists (select 1 from queen.log_consumers c where c.partition_id = p.id) as unread
      from queen.log_partitions p
      left join lateral (
           select case when t.base_offset = h.base_offset then 1
                       else (t.base_offset - h.base_offset) / (h.end_offset - h.base_offset + 1) + 1 end as segments
             from (select s.base_offset, s.end_offset from queen.log_segments s
                    where s.partition_id = p.id and s.base_offset >= p.log_start order by s.base_offset limit 1) h,
                  (select s.base_offset from queen.log_segments s
                    where s.partition_id = p.id and s.base_offset >= p.log_start order by s.base_offset desc limit 1) t) live on true
      left join lateral (
           select case when t.base_offset = h.base_offset then 1
                       else (t.base_offset - h.base_offset) / (h.end_offset - h.base_offset + 1) + 1 end as rows
             from (select x.base_offset, x.end_offset from queen.log_txns x
                    where x.partition_id = p.id and x.base_offset >= p.txns_start order by x.base_offset limit 1) h,
                  (select x.base_offset from queen.log_txns x
                    where x.partition_id = p.id and x.base_offset >= p.txns_start order by x.base_offset desc limit 1) t) side on true)
select q.name, q.retention_enabled, q.retention_seconds, q.completed_retention_seconds, q.max_wait_time_seconds,
       count(h.id),
       count(h.oldest_live_at),
       coalesce(sum(h.segments), 0)::bigint,
       coalesce(sum(h.last_offset::numeric - h.log_start + 1), 0),
       min(h.oldest_live_at),
       coalesce(sum(h.rows), 0)::bigint,
       count(*) filter (where h.unread),
       count(*) filter (where h.oldest_live_at < greatest(r.all_cutoff, r.completed_cutoff)),
       count(*) filter (where h.oldest_txn_at < r.txns_cutoff),
       count(*) filter (where h.oldest_live_at < r.max_wait_cutoff)
  from queen.queues q
  join queen.log_rules_v1() r on r.queue_id = q.id
  left join held h on h.queue_id = q.id
 group by q.id, q.name, r.queue_id
 order by q.name
$$;

revoke all on function queen.retention_status_v1 from public;
grant execute on function queen.retention_status_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.retention_status_v1');

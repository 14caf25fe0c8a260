create or replace function queen.log_invariants_v1()
    returns table (
        partition_id uuid,
        invariant    int,
        broken       text)
    language sql
    stable
    set search_path = pg_catalog, pg_temp
    set jit = off
    set timezone = 'UTC'
    set datestyle = 'ISO'
as $$
-- log_invariants_v1() -> (partition_id, invariant, broken), one row a violation; no row = all hold
--
-- Purpose  Check over every partition what one look at the tables can tell.
-- Ensures  1 log_start and txns_start are where data begins. 3 segments, and sidecar rows, are contiguous and end at last_offset;
--          no sidecar row outlives its partition. 4 created_at does not go back, and last_created_at is not before the newest. 5 no
--          cursor is past last_offset: it would count as consumed what nobody has seen. 6 both watermarks are exact. 7 the
--          history counts no more than log_start has passed (fewer may be left of it once it was purged or rolled up into
--          minutes, which know no partition). 8 no two steps that deleted shared a transaction, as far as their rows are there;
--          after a restore, two of the same microsecond look as if they had.
--          2, and the rest of 5, speak of what was before: only somebody who watches can tell. One snapshot, so it may run beside traffic and
--          a cycle. It reads every segment and sidecar row, without what messages say: for a quiet hour. Times print UTC.
-- Locks    None.
-- Errors   None.
with segments as (
    select s.partition_id, s.base_offset, s.end_offset, s.created_at, lead(s.base_offset) over w as next_base,
           lead(s.created_at) over w as next_at, row_number() over w as nr
      from queen.log_segments s
    window w as (partition by s.partition_id order by s.base_offset)),
txns as (
    select t.partition_id, t.base_offset, t.end_offset, t.created_at, lead(t.base_offset) over w as next_base,
           row_number() over w as nr
      from queen.log_txns t
    window w as (partition by t.partition_id order by t.base_offset)),
live as (
    select p.id, p.last_offset, p.log_start, p.txns_start, p.oldest_live_at, p.oldest_txn_at,
           p.last_created_at, s.first_base, s.first_at, s.last_end, s.last_at, t.first_base as first_txn, t.first_at as first_txn_at, t.last_end as last_txn_end,
           h.messages as counted
      from queen.log_partitions p
      left join (
           select g.partition_id, min(g.base_offset) as first_base, min(g.created_at) filter (where g.nr = 1) as first_at,
                  max(g.end_offset) as last_end, max(g.created_at) as last_at
             from segments g group by g.partition_id) s on s.partition_id = p.id
      left join (
           select x.partition_id, min(x.base_offset) as first_base, min(x.created_at) filter (where x.nr = 1) as first_at,
                  max(x.end_offset) as last_end
             from txns x group by x.partition_id) t on t.partition_id = p.id
      left join (
           select r.partition_id, sum(r.messages_deleted) as messages
             from queen.retention_history r
            where left(r.retention_type, 2) <> '__'
            group by r.partition_id) h on h.partition_id = p.id)
select l.id, b.invariant, b.broken
  from live l
 cross join lateral (values
       (1, 'log_start is ' || l.log_start || ', but the first live segment begins at ' || coalesce(l.first_base::text, 'no offset'),
           l.log_start is distinct from coalesce(l.first_base, l.last_offset + 1)),
       (1, 'txns_start is ' || l.txns_start || ', but the first sidecar row begins at ' || coalesce(l.first_txn::text, 'no offset'),
           l.txns_start is distinct from coalesce(l.first_txn, l.last_offset + 1)),
       (3, 'live segments end at ' || l.last_end || ', not at last_offset ' || l.last_offset, l.last_end <> l.last_offset),
       (3, 'sidecar rows end at ' || l.last_txn_end || ', not at last_offset ' || l.last_offset, l.last_txn_end <> l.last_offset),
       (4, 'last_created_at is ' || coalesce(l.last_created_at::text, 'null') || ', before that of the newest segment, ' || l.last_at,
           l.last_at is not null and (l.last_created_at >= l.last_at) is not true),
       (6, 'oldest_live_at is ' || coalesce(l.oldest_live_at::text, 'null') || ', not ' || coalesce(l.first_at::text, 'null'),
           l.oldest_live_at is distinct from l.first_at),
       (6, 'oldest_txn_at is ' || coalesce(l.oldest_txn_at::text, 'null') || ', not ' || coalesce(l.first_txn_at::text, 'null'),
           l.oldest_txn_at is distinct from l.first_txn_at),
       (7, 'the history counts ' || l.counted || ' messages deleted, but log_start is ' || l.log_start, l.counted > l.log_start)
       ) b(invariant, broken, holds_not)
 where b.holds_not
union all
select g.partition_id, 3, 'the segment after offset ' || g.end_offset || ' begins at ' || g.next_base
  from segments g where g.next_base <> g.end_offset + 1
union all
select x.partition_id, 3, 'the sidecar row after offset ' || x.end_offset || ' begins at ' || x.next_base
  from txns x where x.next_base <> x.end_offset + 1
union all
select g.partition_id, 4, 'created_at goes back after offset ' || g.end_offset from segments g where g.next_at < g.created_at
union all
select distinct x.partition_id, 3, 'sidecar rows without their partition'
  from txns x where not exists (select from queen.log_partitions p where p.id = x.partition_id)
union all
select c.partition_id, 5, 'the cursor of group ' || c.consumer_group || ' is at ' || c.committed || ', past last_offset ' || p.last_offset
  from queen.log_consumers c
  join queen.log_partitions p on p.id = c.partition_id
 where c.committed > p.last_offset
union all
-- Rows that a restore wrote share its transaction, but not the moment they were made at.
select distinct r.partition_id, 8, 'a step shared its transaction with another one, at ' || r.executed_at
  from (select h.partition_id, h.executed_at, count(*) over (partition by h.xmin::text, h.executed_at) as steps
          from queen.retention_history h
         where left(h.retention_type, 2) <> '__') r
 where r.steps > 1
 order by 1, 2, 3
$$;

revoke all on function queen.log_invariants_v1 from public;
grant execute on function queen.log_invariants_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.log_invariants_v1');

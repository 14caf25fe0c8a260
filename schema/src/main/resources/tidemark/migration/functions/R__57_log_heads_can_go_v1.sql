create or replace function queen.log_heads_can_go_v1(p_ids uuid[])
    returns table (partition_id uuid)
    language sql
    stable
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set enable_bitmapscan = off
    set enable_hashjoin = off
    set enable_mergejoin = off
    set jit = off
as $$
-- log_heads_can_go_v1(ids) -> (partition_id), those of the ids whose head segment every group is through with
--
-- Purpose  Say cheaply which of these partitions rule 2 could take something from, so that the others cost no step.
-- Expects  Partition ids; one that does not exist is left out. Age is the caller's: the head may be younger than any cutoff.
-- Ensures  A partition with no cursor, or with no segment, is not in it. One index probe of the cursors a partition, and one of the
--          segments where the slowest cursor has passed log_start at all.
-- Locks    None: a hint for the work list; the step asks again under the partition lock.
-- Errors   None.
select p.id
  from queen.log_partitions p
 cross join lateral (
       select min(c.committed) as committed
         from queen.log_consumers c
        where c.partition_id = p.id) slowest
 cross join lateral (
       select s.end_offset
         from queen.log_segments s
        where s.partition_id = p.id and s.base_offset >= p.log_start and slowest.committed >= p.log_start
        order by s.base_offset
        limit 1) head
 where p.id = any (p_ids) and slowest.committed >= head.end_offset
$$;

revoke all on function queen.log_heads_can_go_v1 from public;
grant execute on function queen.log_heads_can_go_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.log_heads_can_go_v1');

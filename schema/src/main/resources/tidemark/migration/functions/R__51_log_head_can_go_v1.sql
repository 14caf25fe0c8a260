create or replace function queen.log_head_can_go_v1(p_pid uuid, p_log_start bigint)
    returns boolean
    language sql
    stable
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set enable_bitmapscan = off
    set jit = off
as $$
-- log_head_can_go_v1(pid, log_start) -> bool
--
-- Purpose  Say cheaply whether every group is through with the head segment, so that rule 2 could delete it.
-- Ensures  False with no cursor, and with no segment. Two index probes.
-- Locks    None: a hint for the work list; the step asks again under the partition lock.
-- Errors   None.
select coalesce(
    (select min(c.committed) from queen.log_consumers c where c.partition_id = p_pid) >=
    (select s.end_offset
       from queen.log_segments s
      where s.partition_id = p_pid and s.base_offset >= p_log_start
      order by s.base_offset
      limit 1), false)
$$;

revoke all on function queen.log_head_can_go_v1 from public;
grant execute on function queen.log_head_can_go_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.log_head_can_go_v1');

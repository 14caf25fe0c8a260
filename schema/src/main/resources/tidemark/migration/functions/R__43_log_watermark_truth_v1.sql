create or replace function queen.log_watermark_truth_v1(p_ids uuid[])
    returns table (id uuid, live_at timestamptz, txn_at timestamptz, drifted boolean)
    language sql
    stable
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set enable_bitmapscan = off
    set enable_hashjoin = off
    set enable_mergejoin = off
    set jit = off
as $$
-- log_watermark_truth_v1(ids) -> (id, live_at, txn_at, drifted)
--
-- Purpose  What oldest_live_at and oldest_txn_at of these partitions should be, read from log_segments and log_txns.
-- Expects  Partition ids; one that does not exist is left out.
-- Ensures  drifted: a stored column differs from the truth. Two index probes a partition.
-- Locks    None.
-- Errors   None.
select p.id, live.created_at, txn.created_at,
       p.oldest_live_at is distinct from live.created_at or p.oldest_txn_at is distinct from txn.created_at
  from queen.log_partitions p
  left join lateral (
       select s.created_at
         from queen.log_segments s
        where s.partition_id = p.id and s.base_offset >= p.log_start
        order by s.base_offset
        limit 1) live on true
  left join lateral (
       select t.created_at
         from queen.log_txns t
        where t.partition_id = p.id and t.base_offset >= p.txns_start
        order by t.base_offset
        limit 1) txn on true
 where p.id = any (p_ids)
$$;

revoke all on function queen.log_watermark_truth_v1 from public;
grant execute on function queen.log_watermark_truth_v1 to queen_broker, queen_retention, queen_reader;
call queen.publish_contract_v1('queen.log_watermark_truth_v1');

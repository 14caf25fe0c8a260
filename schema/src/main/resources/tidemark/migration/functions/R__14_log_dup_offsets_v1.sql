create or replace function queen.log_dup_offsets_v1(
    p_partition_id uuid,
    p_txns_start   bigint,
    p_verified     bigint,
    p_since        timestamptz,
    p_hashes       bytea)
    returns jsonb
    language sql
    stable
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set enable_bitmapscan = off
    set jit = off
as $$
-- log_dup_offsets_v1(partition_id, txns_start, verified, since, hashes) -> [{"i", "off"}], null when there is none
--
-- Purpose  Find the messages of a push that the partition already holds, or that the push holds twice.
-- Expects  To run under the partition lock, in a statement after it. hashes: 16 bytes a message.
-- Ensures  i counts from 0; off is the first offset with that hash, null where the first is in the push itself. Looks at sidecar
--          rows from txns_start on that were made at or after since, past offset verified.
-- Locks    None.
-- Errors   None.
with pushed as (
    select i, substring(p_hashes from 16 * i + 1 for 16) as hash
      from generate_series(0, octet_length(p_hashes) / 16 - 1) i),
held as (
    select t.base_offset + k as off, substring(t.hashes from 16 * k + 1 for 16) as hash
      from queen.log_txns t
     cross join lateral generate_series(0, (t.end_offset - t.base_offset)::int) k
     where t.partition_id = p_partition_id
       -- The row that covers verified + 1 begins at or below it, so the walk may begin there.
       and t.base_offset >= greatest(p_txns_start, coalesce((
               select c.base_offset
                 from queen.log_txns c
                where c.partition_id = p_partition_id and c.base_offset <= p_verified + 1
                order by c.base_offset desc
                limit 1), 0))
       and t.created_at >= p_since
       and t.base_offset + k > p_verified),
dups as (
    select p.i, min(h.off) as off from pushed p join held h on h.hash = p.hash group by p.i
    union all
    select p.i, null
      from pushed p
     where exists (select 1 from pushed q where q.hash = p.hash and q.i < p.i)
       and not exists (select 1 from held h where h.hash = p.hash))
select jsonb_agg(jsonb_build_object('i', d.i, 'off', d.off) order by d.i) from dups d
$$;

revoke all on function queen.log_dup_offsets_v1 from public;
grant execute on function queen.log_dup_offsets_v1 to queen_broker;
call queen.publish_contract_v1('queen.log_dup_offsets_v1');

create or replace function queen.log_ack_by_hash_v1(p_partition_id uuid, p_group text, p_worker text, p_hash bytea)
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set enable_bitmapscan = off
    set jit = off
as $$
-- log_ack_by_hash_v1(partition_id, group, worker, hash) -> {"acked", "committed"}
--
-- Purpose  Commit everything up to and including the message with this hash, for a worker that does not know its offset.
-- Expects  As log_ack_v1; hash: the 16 bytes the message was pushed with.
-- Ensures  As log_ack_v1. The hash is looked for in the leased batch first, and there the first message that has it is acked; then
--          at or below committed, where an ack changes nothing. A hash that is in neither, or whose sidecar row is purged, is not
--          acked: a message may come again, but none is lost.
-- Locks    The cursor row, to commit.
-- Errors   22023 naming the argument.
declare
    v_cursor record;
    v_range  record;
    v_start  bigint;
    v_offset bigint;
begin
    if p_partition_id is null or p_group is null or p_worker is null then
        raise exception 'log_ack_by_hash_v1: % must not be null', case
            when p_partition_id is null then 'p_partition_id' when p_group is null then 'p_group' else 'p_worker' end
            using errcode = '22023';
    end if;
    if octet_length(p_hash) is distinct from 16 then
        raise exception 'log_ack_by_hash_v1: p_hash must be 16 bytes, not %', coalesce(octet_length(p_hash)::text, 'null')
            using errcode = '22023';
    end if;
    -- Locked first, so that the batch does not move between the search and the ack.
    select c.committed, coalesce(c.batch_end, c.committed) as batch_end into v_cursor
      from queen.log_consumers c
     where c.partition_id = p_partition_id and c.consumer_group = p_group
       for update;
    if not found then
        return jsonb_build_object('acked', false, 'committed', null);
    end if;

    -- Both ranges begin at txns_start: what is purged below it may not be vacuumed yet, and would be read in every ack.
    select p.txns_start into v_start from queen.log_partitions p where p.id = p_partition_id;
    for v_range in
        select r.first, r.last
          from (values (1, greatest(v_start, v_cursor.committed + 1), v_cursor.batch_end), (2, v_start, v_cursor.committed)) r(nr, first, last)
         order by r.nr
    loop
        -- position() sifts the rows at memcmp speed; the substring makes sure of the frame.
        select t.base_offset + k into v_offset
          from queen.log_txns t
         cross join lateral generate_series(0, (t.end_offset - t.base_offset)::int) k
         where t.partition_id = p_partition_id
           and t.base_offset >= coalesce((
                   select c.base_offset
                     from queen.log_txns c
                    where c.partition_id = p_partition_id and c.base_offset between v_start and v_range.first
                    order by c.base_offset desc
                    limit 1), v_start)
           and t.base_offset <= v_range.last
           and position(p_hash in t.hashes) > 0
           and substring(t.hashes from 16 * k + 1 for 16) = p_hash
           and t.base_offset + k between v_range.first and v_range.last
         order by t.base_offset + k
         limit 1;
        exit when found;
    end loop;
    if v_offset is null then
        return jsonb_build_object('acked', false, 'committed', v_cursor.committed);
    end if;
    return queen.log_ack_v1(p_partition_id => p_partition_id, p_group => p_group, p_worker => p_worker, p_offset => v_offset);
end
$$;

revoke all on function queen.log_ack_by_hash_v1 from public;
grant execute on function queen.log_ack_by_hash_v1 to queen_broker;
call queen.publish_contract_v1('queen.log_ack_by_hash_v1');

create or replace function queen.log_import_v1(
    p_partition_id uuid,
    p_created_at   timestamptz[],
    p_msg_counts   int[],
    p_hashes       bytea[],
    p_blobs        bytea[])
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- log_import_v1(partition_id, created_at[], msg_counts[], hashes[], blobs[]) -> {"baseOffset", "endOffset", "segments"}
--
-- Purpose  Append segments that keep the time they were made at: for migration and tests. A push stamps; an import is told.
-- Expects  One element a segment, in log order. hashes[i]: 16 bytes a message. created_at[i]: never before the one before it,
--          nor before the partition's last stamp, nor after the server's clock.
-- Ensures  Segments and sidecar rows, offsets and both watermark columns, as if each had been pushed at its time. All or nothing.
-- Locks    The partition row FOR UPDATE, to commit. A caller that imports into several partitions in one transaction takes them
--          in ascending id order.
-- Errors   22023 naming the argument and the element. TM004 the partition does not exist. TM006 offsets would run out.
--          TM001, TM002 see require_step_context_v1.
declare
    v_count     constant int := cardinality(p_created_at);
    -- Element 1 is the first, whatever the bounds and the dimensions of the array that was given.
    v_stamps    constant timestamptz[] := array(select unnest(p_created_at));
    v_partition record;
    v_now       timestamptz;
    v_fault     text;
    v_base      bigint;
    v_end       numeric;
begin
    perform queen.require_step_context_v1(p_function => 'log_import_v1', p_max_rows => 1);
    if p_partition_id is null then
        raise exception 'log_import_v1: p_partition_id must not be null' using errcode = '22023';
    end if;
    if (v_count >= 1 and cardinality(p_msg_counts) = v_count and cardinality(p_hashes) = v_count and cardinality(p_blobs) = v_count)
            is not true then
        raise exception 'log_import_v1: p_created_at, p_msg_counts, p_hashes and p_blobs must have the same length, at least 1'
            using errcode = '22023';
    end if;

    select p.last_offset, p.last_created_at, p.oldest_live_at, p.oldest_txn_at into v_partition
      from queen.log_partitions p
     where p.id = p_partition_id
       for update;
    if not found then
        raise exception 'log_import_v1: no partition %', p_partition_id using errcode = 'TM004';
    end if;

    v_now := clock_timestamp();
    select format('element %s of %s', s.i, case
               when (s.messages >= 1) is not true then format('p_msg_counts must be at least 1, not %s', coalesce(s.messages::text, 'null'))
               when s.hash_bytes is distinct from 16::bigint * s.messages
                   then format('p_hashes must be 16 bytes a message (%s), not %s', 16::bigint * s.messages, coalesce(s.hash_bytes::text, 'null'))
               when s.no_blob then 'p_blobs must not be null'
               when s.created_at is null then 'p_created_at must not be null'
               when s.created_at = '-infinity' then 'p_created_at must be finite'
               when s.created_at > v_now then format('p_created_at must not be in the future: %s', s.created_at)
               else format('p_created_at must not go back before %s: %s', s.floor, s.created_at) end)
      into v_fault
      from (select u.i, u.messages, u.created_at,
                   octet_length(u.hashes) as hash_bytes,
                   u.blob is null as no_blob,
                   greatest(v_partition.last_created_at, '-infinity', lag(u.created_at) over (order by u.i)) as floor
              from unnest(p_created_at, p_msg_counts, p_hashes, p_blobs) with ordinality u(created_at, messages, hashes, blob, i)) s
     where (s.messages >= 1 and s.hash_bytes = 16::bigint * s.messages and not s.no_blob
            and s.created_at >= s.floor and s.created_at <= v_now and s.created_at > '-infinity') is not true
     order by s.i
     limit 1;
    if found then
        raise exception 'log_import_v1: %', v_fault using errcode = '22023';
    end if;

    v_base := v_partition.last_offset + 1;
    v_end := v_partition.last_offset::numeric + (select sum(m) from unnest(p_msg_counts) m);
    if v_end > 9223372036854775806 then
        raise exception 'log_import_v1: offsets of partition % would run out at %', p_partition_id, v_end using errcode = 'TM006';
    end if;

    with segments as materialized (
        select u.created_at, u.hashes, u.blob,
               v_base + sum(u.messages) over (order by u.i) - u.messages as base_offset,
               v_base + sum(u.messages) over (order by u.i) - 1 as end_offset
          from unnest(p_created_at, p_msg_counts, p_hashes, p_blobs) with ordinality u(created_at, messages, hashes, blob, i)),
    sidecar as (
        insert into queen.log_txns (partition_id, base_offset, end_offset, created_at, hashes)
        select p_partition_id, s.base_offset, s.end_offset, s.created_at, s.hashes from segments s)
    insert into queen.log_segments (partition_id, base_offset, end_offset, created_at, blob)
    select p_partition_id, s.base_offset, s.end_offset, s.created_at, s.blob from segments s;

    update queen.log_partitions p
       set last_offset = v_end,
           last_created_at = v_stamps[v_count],
           last_write_at = clock_timestamp(),
           oldest_live_at = (select w.live_at from queen.log_watermark_truth_v1(p_ids => array[p_partition_id]) w),
           oldest_txn_at = (select w.txn_at from queen.log_watermark_truth_v1(p_ids => array[p_partition_id]) w)
     where p.id = p_partition_id;

    return jsonb_build_object('baseOffset', v_base, 'endOffset', v_end, 'segments', v_count);
end
$$;

revoke all on function queen.log_import_v1 from public;
grant execute on function queen.log_import_v1 to queen_broker;
call queen.publish_contract_v1('queen.log_import_v1');

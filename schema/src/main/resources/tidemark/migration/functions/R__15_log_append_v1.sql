create or replace function queen.log_append_v1(
    p_partition_id uuid,
    p_msg_count    int,
    p_hashes       bytea,
    p_verified     bigint,
    p_blob         bytea)
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- log_append_v1(partition_id, msg_count, hashes, verified, blob)
--   -> {"status": "queued", "baseOffset", "createdAt"} or {"status": "duplicate", "dups": [{"i", "off"}]}
--
-- Purpose  The push protocol on one partition; log_push_one_v1, log_push_multi_v1 and log_transaction_wire_v1 are written over it.
-- Expects  A partition that was provisioned before any partition lock. hashes: 16 bytes a message. verified: the caller knows that
--          no offset at or below it holds one of these hashes; NULL, or one past the end (it spoke of a partition that is gone):
--          nothing.
-- Ensures  A duplicate within dedup_window_seconds, or twice in the push, changes nothing at all; a window of 0 turns the search off.
--          Otherwise one stamp, never before the last one, goes to segment, sidecar, last_created_at and to a watermark that is
--          NULL; createdAt is that stamp in UTC. last_write_at changes at most once a second, and the watermarks not at all while
--          data is held, so that the UPDATE stays HOT.
-- Locks    The partition row FOR UPDATE, to commit: the same serializer that retention's steps take.
-- Errors   22023 naming the argument. TM006 offsets would run out. TM007 the partition is gone: push again.
--          TM001, TM002 see require_step_context_v1.
declare
    v_partition record;
    v_stamp     timestamptz;
    v_dups      jsonb;
    v_base      bigint;
begin
    perform queen.require_step_context_v1(p_function => 'log_append_v1', p_max_rows => 1);
    if (p_msg_count >= 1) is not true then
        raise exception 'log_append_v1: p_msg_count must be at least 1, not %', coalesce(p_msg_count::text, 'null') using errcode = '22023';
    end if;
    if octet_length(p_hashes) is distinct from 16::bigint * p_msg_count then
        raise exception 'log_append_v1: p_hashes must be 16 bytes a message (%), not %',
            16::bigint * p_msg_count, coalesce(octet_length(p_hashes)::text, 'null')
            using errcode = '22023';
    end if;
    if p_blob is null then
        raise exception 'log_append_v1: p_blob must not be null' using errcode = '22023';
    end if;

    -- A statement of its own: a probe in it would miss the duplicate that committed while this waited.
    select p.last_offset, p.txns_start, p.last_created_at, q.dedup_window_seconds into v_partition
      from queen.log_partitions p
      join queen.queues q on q.id = p.queue_id
     where p.id = p_partition_id
       for update of p;
    if not found then
        raise exception 'QMULTI resolved 0 of 1 segments: partition % is gone', p_partition_id
            using errcode = 'TM007', hint = 'Push again: the partition is provisioned anew under a new id.';
    end if;
    v_stamp := greatest(clock_timestamp(), v_partition.last_created_at);

    if v_partition.dedup_window_seconds > 0 then
        v_dups := queen.log_dup_offsets_v1(
            p_partition_id => p_partition_id,
            p_txns_start => v_partition.txns_start,
            p_verified => case when p_verified <= v_partition.last_offset then p_verified else -1 end,
            p_since => v_stamp - make_interval(secs => v_partition.dedup_window_seconds),
            p_hashes => p_hashes);
    end if;
    if v_dups is not null then
        return jsonb_build_object('status', 'duplicate', 'dups', v_dups);
    end if;

    if v_partition.last_offset > 9223372036854775806 - p_msg_count then
        raise exception 'log_append_v1: offsets of partition % would run out', p_partition_id using errcode = 'TM006';
    end if;
    v_base := v_partition.last_offset + 1;
    update queen.log_partitions p
       set last_offset = p.last_offset + p_msg_count,
           last_created_at = v_stamp,
           oldest_live_at = coalesce(p.oldest_live_at, v_stamp),
           oldest_txn_at = coalesce(p.oldest_txn_at, v_stamp),
           last_write_at = case when v_stamp >= p.last_write_at + interval '1 second' then v_stamp else p.last_write_at end
     where p.id = p_partition_id;
    insert into queen.log_segments (partition_id, base_offset, end_offset, created_at, blob)
    values (p_partition_id, v_base, v_base + p_msg_count - 1, v_stamp, p_blob);
    insert into queen.log_txns (partition_id, base_offset, end_offset, created_at, hashes)
    values (p_partition_id, v_base, v_base + p_msg_count - 1, v_stamp, p_hashes);
    return jsonb_build_object('status', 'queued', 'baseOffset', v_base,
        'createdAt', to_char(v_stamp at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'));
end
$$;

revoke all on function queen.log_append_v1 from public;
grant execute on function queen.log_append_v1 to queen_broker;
call queen.publish_contract_v1('queen.log_append_v1');

create or replace function queen.log_push_multi_v1(
    p_queues     text[],
    p_partitions text[],
    p_msg_counts int[],
    p_hashes     bytea[],
    p_verified   bigint[],
    p_blobs      bytea[])
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- log_push_multi_v1(queues[], partitions[], msg_counts[], hashes[], verified[], blobs[]) -> [as log_append_v1], in input order
--
-- Purpose  Push one segment into each of several partitions, in one transaction.
-- Expects  Arrays of one length; the partitions of one call are distinct. Elements as in log_push_one_v1.
-- Ensures  A segment with duplicates answers so and changes nothing; the others are queued all the same.
-- Locks    All partition rows FOR UPDATE, in ascending id order in one statement, to commit. First contact provisions before that.
-- Errors   22023 naming the argument. TM007 a partition vanished meanwhile: push again. TM001, TM002, TM006 see log_append_v1.
--          On any error nothing is pushed.
declare
    v_count   constant int := cardinality(p_queues);
    v_ids     uuid[];
    v_locked  bigint;
    v_segment record;
    v_answers jsonb[] := array_fill(null::jsonb, array[greatest(v_count, 0)]);
begin
    if (v_count >= 1 and cardinality(p_partitions) = v_count and cardinality(p_msg_counts) = v_count and cardinality(p_hashes) = v_count
            and cardinality(p_verified) = v_count and cardinality(p_blobs) = v_count) is not true then
        raise exception 'log_push_multi_v1: p_queues, p_partitions, p_msg_counts, p_hashes, p_verified, p_blobs must have the same length'
            ', at least 1' using errcode = '22023';
    end if;

    -- By name, so that two calls that create the same partitions do not wait for each other crosswise.
    select array_agg(r.id order by r.i) into v_ids
      from (select s.i, queen.log_partition_provision_v1(p_queue => s.queue, p_partition => s.partition) as id
              from (select u.queue, u.partition, u.i
                      from unnest(p_queues, p_partitions) with ordinality u(queue, partition, i)
                     order by u.queue, coalesce(u.partition, 'Default')
                    offset 0) s) r;
    if (select count(distinct i.id) from unnest(v_ids) i(id)) < v_count then
        raise exception 'log_push_multi_v1: p_partitions must be distinct in one call' using errcode = '22023';
    end if;

    select count(*) into v_locked
      from (select p.id from queen.log_partitions p where p.id = any (v_ids) order by p.id for update) l;
    if v_locked < v_count then
        raise exception 'QMULTI resolved % of % segments', v_locked, v_count
            using errcode = 'TM007', hint = 'Push again: the partition is provisioned anew under a new id.';
    end if;

    -- unnest: element 1 is the first, whatever the bounds of the arrays that were given.
    for v_segment in
        select u.i, u.id, u.messages, u.hashes, u.verified, u.blob
          from unnest(v_ids, p_msg_counts, p_hashes, p_verified, p_blobs) with ordinality u(id, messages, hashes, verified, blob, i)
         order by u.id
    loop
        v_answers[v_segment.i] := queen.log_append_v1(
            p_partition_id => v_segment.id,
            p_msg_count => v_segment.messages,
            p_hashes => v_segment.hashes,
            p_verified => v_segment.verified,
            p_blob => v_segment.blob);
    end loop;
    return to_jsonb(v_answers);
end
$$;

revoke all on function queen.log_push_multi_v1 from public;
grant execute on function queen.log_push_multi_v1 to queen_broker;
call queen.publish_contract_v1('queen.log_push_multi_v1');

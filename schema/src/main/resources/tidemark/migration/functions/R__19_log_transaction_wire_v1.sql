create or replace function queen.log_transaction_wire_v1(p jsonb)
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- log_transaction_wire_v1({"pushes": [{"queue", "partition", "msgCount", "hashes", "verified", "blob"}],
--                          "acks": [{"partitionId", "group", "worker", "offset"}]})
--   -> {"status": "committed", "pushes": [as log_push_multi_v1], "acks": [as log_ack_v1]}
--    | {"status": "duplicate", "dups": [{"push", "i", "off"}]} | {"status": "refused", "refused": [{"ack", "committed"}]}
--
-- Purpose  Push and ack, all or nothing: consume here and produce there, exactly once.
-- Expects  What log_transaction_check_v1 says; hashes and blob are base64. The partitions of the pushes are distinct.
-- Ensures  In input order. One duplicate, or one ack by a worker without the lease or past its batch, undoes all of it, first
--          contacts included; the answer then names each, push and ack counted from 0. Duplicates are named first.
-- Locks    All partitions that are pushed to, as log_push_multi_v1; then the cursor rows, in ascending order in one statement. To
--          commit; an undone transaction holds none.
-- Errors   22023 naming the key and the element. TM001, TM002, TM006, TM007 see log_push_multi_v1.
declare
    v_pushes  jsonb := '[]'::jsonb;
    v_acks    jsonb := '[]'::jsonb;
    v_dups    jsonb;
    v_refused jsonb;
begin
    perform queen.require_step_context_v1(p_function => 'log_transaction_wire_v1', p_max_rows => 1);
    perform queen.log_transaction_check_v1(p => p);
    begin
        if jsonb_array_length(p -> 'pushes') > 0 then
            select queen.log_push_multi_v1(
                       p_queues => array_agg(e.push ->> 'queue' order by e.i),
                       p_partitions => array_agg(e.push ->> 'partition' order by e.i),
                       p_msg_counts => array_agg((e.push ->> 'msgCount')::int order by e.i),
                       p_hashes => array_agg(decode(e.push ->> 'hashes', 'base64') order by e.i),
                       p_verified => array_agg((e.push ->> 'verified')::bigint order by e.i),
                       p_blobs => array_agg(decode(e.push ->> 'blob', 'base64') order by e.i))
              into v_pushes
              from jsonb_array_elements(p -> 'pushes') with ordinality e(push, i);
        end if;

        perform 1
           from queen.log_consumers c
          where (c.partition_id, c.consumer_group) in (
                    select (e.ack ->> 'partitionId')::uuid, e.ack ->> 'group' from jsonb_array_elements(p -> 'acks') e(ack))
          order by c.partition_id, c.consumer_group
            for update;
        -- Stricter than log_ack_v1, which answers a late retry kindly: a worker that lost its lease must not produce, even where
        -- whoever took over has committed the same offset.
        select jsonb_agg(jsonb_build_object('ack', e.i - 1, 'committed', c.committed) order by e.i) into v_refused
          from jsonb_array_elements(p -> 'acks') with ordinality e(ack, i)
          left join queen.log_consumers c
            on c.partition_id = (e.ack ->> 'partitionId')::uuid and c.consumer_group = e.ack ->> 'group'
         where (c.worker_id = e.ack ->> 'worker' and (e.ack ->> 'offset')::bigint <= c.batch_end) is not true;
        select coalesce(jsonb_agg(a.answer order by a.i), '[]') into v_acks
          from (select e.i, queen.log_ack_v1(
                           p_partition_id => (e.ack ->> 'partitionId')::uuid,
                           p_group => e.ack ->> 'group',
                           p_worker => e.ack ->> 'worker',
                           p_offset => (e.ack ->> 'offset')::bigint) as answer
                  from jsonb_array_elements(p -> 'acks') with ordinality e(ack, i)) a;

        select jsonb_agg(jsonb_build_object('push', a.i - 1) || d order by a.i, d -> 'i') into v_dups
          from jsonb_array_elements(v_pushes) with ordinality a(answer, i)
         cross join lateral jsonb_array_elements(a.answer -> 'dups') d;
        if v_dups is not null or v_refused is not null then
            -- Undoes this block and never leaves the function.
            raise sqlstate 'TM008';
        end if;
    exception
        when sqlstate 'TM008' then
            return case when v_dups is not null then jsonb_build_object('status', 'duplicate', 'dups', v_dups)
                        else jsonb_build_object('status', 'refused', 'refused', v_refused) end;
    end;
    return jsonb_build_object('status', 'committed', 'pushes', v_pushes, 'acks', v_acks);
end
$$;

revoke all on function queen.log_transaction_wire_v1 from public;
grant execute on function queen.log_transaction_wire_v1 to queen_broker;
call queen.publish_contract_v1('queen.log_transaction_wire_v1');

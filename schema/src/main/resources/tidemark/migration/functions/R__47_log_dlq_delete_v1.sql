create or replace function queen.log_dlq_delete_v1(p_partition_id uuid, p_transaction_id text)
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- log_dlq_delete_v1(partition_id, transaction_id) -> {"deleted"}
--
-- Purpose  Remove a message's dead letters, of every group. Besides delete_queue_v1 the only way one leaves.
-- Ensures  deleted counts the rows; 0 for a message that has none. The partition is free for the cleanup once its last one is gone.
-- Locks    The deleted rows, to commit.
-- Errors   22023 naming the argument.
declare
    v_deleted bigint;
begin
    if p_partition_id is null or coalesce(p_transaction_id, '') = '' then
        raise exception 'log_dlq_delete_v1: % must not be null or empty',
            case when p_partition_id is null then 'p_partition_id' else 'p_transaction_id' end
            using errcode = '22023';
    end if;
    delete from queen.log_dlq d where d.partition_id = p_partition_id and d.transaction_id = p_transaction_id;
    get diagnostics v_deleted = row_count;
    return jsonb_build_object('deleted', v_deleted);
end
$$;

revoke all on function queen.log_dlq_delete_v1 from public;
grant execute on function queen.log_dlq_delete_v1 to queen_broker;
call queen.publish_contract_v1('queen.log_dlq_delete_v1');

create or replace function queen.log_push_one_v1(
    p_queue     text,
    p_partition text,
    p_msg_count int,
    p_hashes    bytea,
    p_verified  bigint,
    p_blob      bytea)
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- log_push_one_v1(queue, partition, msg_count, hashes, verified, blob) -> as log_append_v1
--
-- Purpose  Push one segment into one partition; queue and partition are created on first contact.
-- Expects  What log_append_v1 expects of a segment. A NULL partition means 'Default'.
-- Ensures  What log_append_v1 ensures.
-- Locks    The partition row FOR UPDATE, to commit.
-- Errors   As log_partition_provision_v1 and log_append_v1. TM007: push again.
begin
    return queen.log_append_v1(
        p_partition_id => queen.log_partition_provision_v1(p_queue => p_queue, p_partition => p_partition),
        p_msg_count => p_msg_count,
        p_hashes => p_hashes,
        p_verified => p_verified,
        p_blob => p_blob);
end
$$;

revoke all on function queen.log_push_one_v1 from public;
grant execute on function queen.log_push_one_v1 to queen_broker;
call queen.publish_contract_v1('queen.log_push_one_v1');

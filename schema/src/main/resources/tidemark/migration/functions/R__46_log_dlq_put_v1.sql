create or replace function queen.log_dlq_put_v1(
    p_partition_id   uuid,
    p_transaction_id text,
    p_offset         bigint,
    p_group          text,
    p_payload        bytea,
    p_error          text)
    returns uuid
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- log_dlq_put_v1(partition_id, transaction_id, offset, group, payload, error) -> id of the dead letter
--
-- Purpose  Keep a message that could not be consumed. Retention never purges it, and its partition stays as long as it does.
-- Expects  offset, group, payload and error may be NULL: what is not known.
-- Ensures  log_dlq has no foreign key, so the lock stands in for one: the cleanup either sees the dead letter or came first.
-- Locks    The partition row FOR KEY SHARE, to commit.
-- Errors   22023 naming the argument. TM004 the partition is gone.
declare
    v_id uuid;
begin
    if p_partition_id is null or coalesce(p_transaction_id, '') = '' then
        raise exception 'log_dlq_put_v1: % must not be null or empty',
            case when p_partition_id is null then 'p_partition_id' else 'p_transaction_id' end
            using errcode = '22023';
    end if;
    perform 1 from queen.log_partitions p where p.id = p_partition_id for key share;
    if not found then
        raise exception 'log_dlq_put_v1: no partition %', p_partition_id using errcode = 'TM004';
    end if;
    insert into queen.log_dlq (partition_id, transaction_id, message_offset, consumer_group, payload, error)
    values (p_partition_id, p_transaction_id, p_offset, p_group, p_payload, p_error)
    returning id into v_id;
    return v_id;
end
$$;

revoke all on function queen.log_dlq_put_v1 from public;
grant execute on function queen.log_dlq_put_v1 to queen_broker;
call queen.publish_contract_v1('queen.log_dlq_put_v1');

create or replace function queen.get_message_traces_v1(p_partition_id uuid, p_transaction_id text)
    returns table (event text, data jsonb, created_at timestamptz)
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- get_message_traces_v1(partition_id, transaction_id) -> (event, data, created_at), oldest first
--
-- Purpose  What was recorded about one message.
-- Ensures  Answers for a deleted partition too: a trace outlives it. No row: nothing was recorded.
-- Locks    None.
-- Errors   22023 naming the argument.
begin
    if p_partition_id is null or coalesce(p_transaction_id, '') = '' then
        raise exception 'get_message_traces_v1: % must not be null or empty',
            case when p_partition_id is null then 'p_partition_id' else 'p_transaction_id' end
            using errcode = '22023';
    end if;
    return query
    select t.event, t.data, t.created_at
      from queen.message_traces t
     where t.partition_id = p_partition_id and t.transaction_id = p_transaction_id
     order by t.created_at, t.id;
end
$$;

revoke all on function queen.get_message_traces_v1 from public;
-- Not to queen_reader: data may repeat what the message said.
grant execute on function queen.get_message_traces_v1 to queen_broker;
call queen.publish_contract_v1('queen.get_message_traces_v1');

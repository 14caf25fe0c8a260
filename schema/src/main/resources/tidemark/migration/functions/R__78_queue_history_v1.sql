create or replace function queen.queue_history_v1(p_queue text, p_after bigint, p_max_rows int)
    returns table (
        id               bigint,
        partition_id     uuid,
        retention_type   text,
        segments_deleted bigint,
        messages_deleted bigint,
        executed_at      timestamptz)
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- queue_history_v1(queue, after, max_rows)
--   -> (id, partition_id, retention_type, segments_deleted, messages_deleted, executed_at), by id
--
-- Purpose  Page through a queue's history, row by row: which step deleted how much of which partition by which rule.
-- Expects  after: the last id seen, or NULL from the beginning. max_rows >= 1.
-- Ensures  In one partition ids ascend in the order of the deletions, so that the counts add up to offsets while nothing was purged
--          from the history or rolled up. Over partitions a lower id may still appear after a higher one. Steps that were rolled
--          up into minutes (RETENTION_HISTORY_DETAIL_HOURS) are no rows any more and not in it; partition events stay.
-- Locks    None.
-- Errors   22023 queue is NULL or empty, bad max_rows. TM003 the queue does not exist.
declare
    v_queue_id uuid;
begin
    perform queen.require_name_v1(p_function => 'queue_history_v1', p_argument => 'p_queue', p_value => p_queue);
    if (p_max_rows >= 1) is not true then
        raise exception 'queue_history_v1: p_max_rows must be at least 1, not %', coalesce(p_max_rows::text, 'null')
            using errcode = '22023';
    end if;
    select q.id into v_queue_id from queen.queues q where q.name = p_queue;
    if not found then
        raise exception 'queue_history_v1: no queue %', p_queue using errcode = 'TM003';
    end if;
    return query
    select h.id, h.partition_id, h.retention_type, h.segments_deleted, h.messages_deleted, h.executed_at
      from queen.retention_history h
     where h.queue_id = v_queue_id and h.id > coalesce(p_after, 0)
     order by h.id
     limit p_max_rows;
end
$$;

revoke all on function queen.queue_history_v1 from public;
grant execute on function queen.queue_history_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.queue_history_v1');

create or replace function queen.retention_history_totals_v1(p_since timestamptz)
    returns table (
        queue_id         uuid,
        queue_name       text,
        retention_type   text,
        segments_deleted numeric,
        messages_deleted numeric,
        events           bigint)
    language sql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- retention_history_totals_v1(since) -> (queue, retention_type, segments, messages, events)
--
-- Purpose  Sum the history, single rows and minute totals, by queue and rule.
-- Expects  since: events at or after it; NULL for all.
-- Ensures  Partition events (__x__) are included under their own type. queue_name is NULL for a queue that is gone. What was
--          rolled up into minutes is included where its minute begins at or after since. events counts steps, rolled up or not.
-- Locks    None.
-- Errors   None.
select h.queue_id, q.name, h.retention_type, sum(h.segments), sum(h.messages), sum(h.steps)::bigint
  from (select r.queue_id, r.retention_type, sum(r.segments_deleted) as segments, sum(r.messages_deleted) as messages,
               count(*) as steps
          from queen.retention_history r
         where r.executed_at >= coalesce(p_since, '-infinity')
         group by r.queue_id, r.retention_type
        union all
        select m.queue_id, m.retention_type, m.segments_deleted, m.messages_deleted, m.steps
          from queen.retention_history_minutes m
         where m.minute >= coalesce(p_since, '-infinity')) h
  left join queen.queues q on q.id = h.queue_id
 group by h.queue_id, q.name, h.retention_type
 order by q.name, h.retention_type
$$;

revoke all on function queen.retention_history_totals_v1 from public;
grant execute on function queen.retention_history_totals_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.retention_history_totals_v1');

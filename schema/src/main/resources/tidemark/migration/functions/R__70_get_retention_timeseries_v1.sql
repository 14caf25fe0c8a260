create or replace function queen.get_retention_timeseries_v1(p_filters jsonb)
    returns jsonb
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
    set timezone = 'UTC'
as $$
-- get_retention_timeseries_v1(filters) -> {"timeRange": {"from", "to"}, "bucketMinutes", "series", "totals"}
--
-- Purpose  What retention deleted over time, split by rule.
-- Expects  filters: an object with any of from, to (ISO 8601, UTC where no offset is given; default: the last hour), queue,
--          namespace, task (exact text).
-- Ensures  Events in [from, to). Buckets of 1 minute up to 60 min of range, 5 up to 6 h, 15 up to 1 day, 60 up to 7 days, 360
--          beyond, aligned to the epoch in UTC. series: [{"time", "rules": {rule: {"messages", "segments"}}}], oldest first,
--          buckets without an event left out. totals: {"messages", "segments", "rules"}. Partition events (__x__) are no
--          deletions and are left out. A deleted partition still answers its queue's filter. What was rolled up into minutes
--          counts as of where its minute begins: whole, where that is in [from, to), else not at all. So a range of whole
--          minutes has the same totals before and after.
-- Locks    None.
-- Errors   22023 naming the key: unknown, wrong type, not a time, or an empty range.
declare
    c_iso    constant text := '^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)?)?$';
    v_key    text;
    v_to     timestamptz;
    v_from   timestamptz;
    v_bucket int;
    v_result jsonb;
begin
    if (jsonb_typeof(p_filters) = 'object') is not true then
        raise exception 'get_retention_timeseries_v1: p_filters must be a JSON object, not %', coalesce(jsonb_typeof(p_filters), 'null')
            using errcode = '22023';
    end if;
    select f.key into v_key
      from jsonb_each(p_filters) f
     where f.key not in ('from', 'to', 'queue', 'namespace', 'task') or jsonb_typeof(f.value) not in ('string', 'null')
     order by f.key
     limit 1;
    if found then
        raise exception 'filter %: must be one of from, to, queue, namespace, task, and a string; not %', v_key, p_filters -> v_key
            using errcode = '22023';
    end if;
    begin
        -- The cast alone would also take 'yesterday', and 03/04 in the order of the session's DateStyle.
        foreach v_key in array array['from', 'to'] loop
            if p_filters ->> v_key !~ c_iso then
                raise invalid_datetime_format;
            end if;
        end loop;
        v_key := 'to';
        v_to := coalesce((p_filters ->> 'to')::timestamptz, now());
        v_key := 'from';
        v_from := coalesce((p_filters ->> 'from')::timestamptz, v_to - interval '1 hour');
    exception
        when invalid_datetime_format or datetime_field_overflow or invalid_time_zone_displacement_value then
            raise exception 'filter %: must be an ISO 8601 time, not %', v_key, p_filters -> v_key using errcode = '22023';
    end;
    if (v_from < v_to) is not true then
        raise exception 'filter from: must be before to, not % and %', v_from, v_to using errcode = '22023';
    end if;

    v_bucket := case
        when v_to - v_from <= interval '60 minutes' then 1
        when v_to - v_from <= interval '6 hours' then 5
        when v_to - v_from <= interval '24 hours' then 15
        when v_to - v_from <= interval '168 hours' then 60
        else 360 end;

    with gone as (
        select h.executed_at as at, h.queue_id, h.retention_type as rule, h.messages_deleted::numeric as messages,
               h.segments_deleted::numeric as segments
          from queen.retention_history h
         where h.executed_at >= v_from and h.executed_at < v_to
           -- No backslash: it would mean something else where standard_conforming_strings is off.
           and h.retention_type not like '!_!_%!_!_' escape '!'
        union all
        select m.minute, m.queue_id, m.retention_type, m.messages_deleted, m.segments_deleted
          from queen.retention_history_minutes m
         where m.minute >= v_from and m.minute < v_to),
    events as (
        select date_bin(make_interval(mins => v_bucket), g.at, 'epoch'::timestamptz) as bucket,
               g.rule,
               sum(g.messages) as messages,
               sum(g.segments) as segments
          from gone g
          left join queen.queues q on q.id = g.queue_id
         where (p_filters ->> 'queue' is null or q.name = p_filters ->> 'queue')
           and (p_filters ->> 'namespace' is null or q.namespace = p_filters ->> 'namespace')
           and (p_filters ->> 'task' is null or q.task = p_filters ->> 'task')
         group by 1, 2),
    buckets as (
        select e.bucket, jsonb_object_agg(e.rule, jsonb_build_object('messages', e.messages, 'segments', e.segments)) as rules
          from events e
         group by e.bucket),
    rules as (
        select e.rule, sum(e.messages) as messages, sum(e.segments) as segments from events e group by e.rule)
    select jsonb_build_object(
               'timeRange', jsonb_build_object('from', v_from, 'to', v_to),
               'bucketMinutes', v_bucket,
               'series', coalesce(
                   (select jsonb_agg(jsonb_build_object('time', b.bucket, 'rules', b.rules) order by b.bucket) from buckets b), '[]'),
               'totals', (
                   select jsonb_build_object(
                              'messages', coalesce(sum(r.messages), 0),
                              'segments', coalesce(sum(r.segments), 0),
                              'rules', coalesce(
                                  jsonb_object_agg(r.rule, jsonb_build_object('messages', r.messages, 'segments', r.segments))
                                      filter (where r.rule is not null), '{}'))
                     from rules r))
      into v_result;
    return v_result;
end
$$;

revoke all on function queen.get_retention_timeseries_v1 from public;
grant execute on function queen.get_retention_timeseries_v1 to queen_reader;
call queen.publish_contract_v1('queen.get_retention_timeseries_v1');

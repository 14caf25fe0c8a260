create or replace function queen.configure_queue_v1(p_name text, p_options jsonb)
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- configure_queue_v1(name, options) -> the effective options
--
-- Purpose  Create a queue or edit its options.
-- Expects  options: an object with any of the keys of queue_option_defaults_v1, and mode ("merge", the default, or "replace").
-- Ensures  An absent key keeps its value, an explicit null restores the default. A create and mode "replace" start from the
--          defaults. On any error nothing changed. A changed window applies from the next cycle on.
-- Locks    The queue row FOR UPDATE, so that two edits merge one after the other.
-- Errors   22023 naming the argument or the key: unknown, wrong type, negative, fractional or too large.
declare
    v_defaults constant jsonb := queen.queue_option_defaults_v1();
    v_options  jsonb;
    v_id       uuid;
begin
    perform queen.require_name_v1(p_function => 'configure_queue_v1', p_argument => 'p_name', p_value => p_name);
    if (jsonb_typeof(p_options) = 'object') is not true then
        raise exception 'configure_queue_v1: p_options must be a JSON object, not %', coalesce(jsonb_typeof(p_options), 'null')
            using errcode = '22023';
    end if;
    perform queen.check_queue_option_v1(p_key => o.key, p_value => o.value) from jsonb_each(p_options) o;

    loop
        insert into queen.queues (name) values (p_name) on conflict (name) do nothing;
        select q.id,
               case when p_options ->> 'mode' = 'replace' then v_defaults else jsonb_build_object(
                   'namespace', q.namespace,
                   'task', q.task,
                   'retentionEnabled', q.retention_enabled,
                   'retentionSeconds', q.retention_seconds,
                   'completedRetentionSeconds', q.completed_retention_seconds,
                   'maxWaitTimeSeconds', q.max_wait_time_seconds,
                   'dedupWindowSeconds', q.dedup_window_seconds,
                   'leaseTime', q.lease_time,
                   'retryLimit', q.retry_limit) end
          into v_id, v_options
          from queen.queues q
         where q.name = p_name
           for update;
        exit when found;
        -- Round again: the lock was waited for behind a delete of the queue.
    end loop;

    -- 1.0 is 1: what is answered is what a column holds.
    select v_options || coalesce(jsonb_object_agg(o.key, case jsonb_typeof(o.value)
               when 'null' then v_defaults -> o.key
               when 'number' then to_jsonb((o.value #>> '{}')::numeric::int)
               else o.value end), '{}')
      into v_options
      from jsonb_each(p_options - 'mode') o;

    update queen.queues q
       set namespace = v_options ->> 'namespace',
           task = v_options ->> 'task',
           retention_enabled = (v_options ->> 'retentionEnabled')::boolean,
           retention_seconds = (v_options ->> 'retentionSeconds')::int,
           completed_retention_seconds = (v_options ->> 'completedRetentionSeconds')::int,
           max_wait_time_seconds = (v_options ->> 'maxWaitTimeSeconds')::int,
           dedup_window_seconds = (v_options ->> 'dedupWindowSeconds')::int,
           lease_time = (v_options ->> 'leaseTime')::int,
           retry_limit = (v_options ->> 'retryLimit')::int
     where q.id = v_id;
    return v_options;
end
$$;

revoke all on function queen.configure_queue_v1 from public;
grant execute on function queen.configure_queue_v1 to queen_broker;
call queen.publish_contract_v1('queen.configure_queue_v1');

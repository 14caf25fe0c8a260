create or replace function queen.log_retention_step_v1(
    p_pid              uuid,
    p_all_cutoff       timestamptz,
    p_completed_cutoff timestamptz,
    p_max_rows         int,
    p_history_type     text default null)
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set enable_bitmapscan = off
    set jit = off
    set plan_cache_mode = force_generic_plan
as $$
-- log_retention_step_v1(pid, all_cutoff, completed_cutoff, max_rows, history_type)
--   -> {"deleted", "new_log_start", "done", "messages", "retention_type", "held_ms"}
--
-- Purpose  Delete at most max_rows whole segments from the head of one partition, by age (rule 1) or by age and
--          consumption (rule 2), and move log_start and oldest_live_at with them.
-- Expects  Cutoffs from the cycle's one clock; a NULL cutoff turns its rule off. max_rows >= 1. Loop until done or deleted = 0.
-- Ensures  created_at >= cutoff survives. Rule 2 deletes nothing that a cursor has not committed, and nothing where there is
--          no cursor. The segment that a rule-2 cap falls into survives. log_start is the last deleted end_offset + 1.
--          One retention_history row if and only if something went. done is false when a full batch went and more is live.
--          held_ms: from the grant of the lock to the answer. A vanished partition: deleted 0, new_log_start null, done.
-- Locks    The partition row FOR UPDATE, to this call's commit: it orders the step against pushes, seeks and the foreign-key
--          check of a joining group. Nothing else.
-- Errors   22023 pid is NULL, bad max_rows, a history_type that is no lower-case word (a leading _ is reserved). XX001 times or
--          offsets decrease within the batch, or a trigger kept a row. TM001, TM002 see require_step_context_v1.
declare
    v_queue_id  uuid;
    v_log_start bigint;
    v_next      bigint;
    v_locked_at timestamptz;
    v_cap       bigint;
    v_edge      bigint[];
    v_from      bigint;
    v_kept      bigint;
    v_newest    timestamptz;
    v_kept_at   timestamptz;
    v_segments  bigint;
    v_type      text;
begin
    perform queen.require_step_context_v1(p_function => 'log_retention_step_v1', p_max_rows => p_max_rows);
    if p_pid is null then
        raise exception 'log_retention_step_v1: p_pid must not be null' using errcode = '22023';
    end if;
    if p_history_type !~ '^[a-z][a-z0-9_]{0,62}$' then
        raise exception 'log_retention_step_v1: p_history_type must be a word of a-z, 0-9 and _, not %', left(p_history_type, 100)
            using errcode = '22023';
    end if;

    -- A statement of its own: what follows takes fresh snapshots and sees the push this lock waited for.
    select p.queue_id, p.log_start, p.last_offset + 1 into v_queue_id, v_log_start, v_next
      from queen.log_partitions p
     where p.id = p_pid
       for update;
    -- One that is gone has no log_start, and nothing below matches it.
    v_locked_at := clock_timestamp();

    -- Rule 2 ends at the slowest group's next wanted offset; no cursor, nothing consumed.
    if p_completed_cutoff is not null then
        select min(c.committed) + 1 into v_cap from queen.log_consumers c where c.partition_id = p_pid;
    end if;

    -- The last segment of a full batch, and the batch horizon: the one after it.
    select array_agg(e.base_offset order by e.base_offset) into v_edge
      from (select s.base_offset
              from queen.log_segments s
             where s.partition_id = p_pid and s.base_offset >= v_log_start
             order by s.base_offset
            offset p_max_rows - 1
             limit 2) e;

    -- The first segment that no rule takes. Times and offsets only grow: if the last one of the batch goes, all of it does, and
    -- no walk is needed. A segment goes whole, so under rule 2 its end lies below the cap.
    v_from := coalesce(v_edge[1], v_log_start);
    loop
        select s.base_offset, s.created_at into v_kept, v_kept_at
          from queen.log_segments s
         where s.partition_id = p_pid
           and s.base_offset >= v_from
           and s.base_offset <= coalesce(v_edge[1], 9223372036854775807)
           and (s.created_at < p_all_cutoff or s.created_at < p_completed_cutoff and s.end_offset < v_cap) is not true
         order by s.base_offset
         limit 1;
        exit when v_kept is null or v_from = v_log_start;
        v_from := v_log_start;
    end loop;

    -- Rule 2 is named where it reached further: it takes what rule 1 keeps, or its cap falls into the segment that stays.
    v_type := coalesce(p_history_type, 'retention');
    if v_cap > v_log_start and p_history_type is null then
        select s.created_at into v_newest
          from queen.log_segments s
         where s.partition_id = p_pid
           and s.base_offset >= v_log_start
           and s.base_offset < coalesce(v_kept, v_edge[2], 9223372036854775807)
         order by s.base_offset desc
         limit 1;
        if (v_newest < p_all_cutoff) is not true or v_kept_at < p_completed_cutoff and v_cap > v_kept then
            v_type := 'completed_retention';
        end if;
    end if;

    -- Asked of each row as well: in a log that is out of order (no push makes one) the last segment vouches for none before it.
    v_next := coalesce(v_kept, v_edge[2], v_next);
    delete from queen.log_segments s
     where s.partition_id = p_pid
       and s.base_offset >= v_log_start
       and s.base_offset < v_next
       and (s.created_at < p_all_cutoff or s.created_at < p_completed_cutoff and s.end_offset < v_cap);
    get diagnostics v_segments = row_count;
    if v_kept is null and v_edge[1] is not null and v_segments <> p_max_rows then
        raise exception 'log_retention_step_v1: partition % is out of order: % of the % segments from offset % may go, but not those before the last',
            p_pid, v_segments, p_max_rows, v_log_start
            using errcode = 'XX001';
    end if;
    if v_segments = 0 then
        return jsonb_build_object(
            'deleted', 0, 'new_log_start', v_log_start, 'done', true, 'messages', 0, 'retention_type', null,
            'held_ms', round(extract(epoch from clock_timestamp() - v_locked_at) * 1000, 3));
    end if;

    with moved as (
        update queen.log_partitions p
           set log_start = greatest(p.log_start, v_next),
               oldest_live_at = (select s.created_at
                                   from queen.log_segments s
                                  where s.partition_id = p_pid and s.base_offset >= v_next
                                  order by s.base_offset
                                  limit 1)
         where p.id = p_pid)
    insert into queen.retention_history (partition_id, queue_id, messages_deleted, segments_deleted, retention_type)
    values (p_pid, v_queue_id, v_next - v_log_start, v_segments, v_type);

    return jsonb_build_object(
        'deleted', v_segments,
        'new_log_start', v_next,
        'done', (v_next = v_edge[2]) is not true,
        'messages', v_next - v_log_start,
        'retention_type', v_type,
        'held_ms', round(extract(epoch from clock_timestamp() - v_locked_at) * 1000, 3));
end
$$;

revoke all on function queen.log_retention_step_v1 from public;
grant execute on function queen.log_retention_step_v1 to queen_retention;
call queen.publish_contract_v1('queen.log_retention_step_v1');

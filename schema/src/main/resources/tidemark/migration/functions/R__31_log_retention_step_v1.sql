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
as $$
-- log_retention_step_v1(pid, all_cutoff, completed_cutoff, max_rows, history_type)
--   -> {"deleted", "new_log_start", "done", "messages", "retention_type"}
--
-- Purpose  Delete at most max_rows whole segments from the head of one partition, by age (rule 1) or by age and
--          consumption (rule 2), and move log_start and oldest_live_at with them.
-- Expects  Cutoffs from the cycle's one clock; a NULL cutoff turns its rule off. max_rows >= 1. Loop until done or deleted = 0.
-- Ensures  created_at >= cutoff survives. Rule 2 deletes nothing that a cursor has not committed, and nothing where there is
--          no cursor. The segment that a rule-2 cap falls into survives. log_start is the last deleted end_offset + 1.
--          One retention_history row if and only if something went. done is false when the boundary was the batch horizon:
--          more may go. A vanished partition: deleted 0, new_log_start null, done.
-- Locks    The partition row FOR UPDATE, to this call's commit: it orders the step against pushes, seeks and the foreign-key
--          check of a joining group. Nothing else.
-- Errors   22023 pid is NULL, bad max_rows, a history_type that is no lower-case word (a leading _ is reserved). TM001, TM002 see require_step_context_v1.
declare
    v_queue_id      uuid;
    v_log_start     bigint;
    v_horizon       bigint;
    v_all           bigint;
    v_completed     bigint;
    v_cap           bigint;
    v_boundary      bigint;
    v_last_base     bigint;
    v_new_log_start bigint;
    v_oldest        timestamptz;
    v_segments      bigint;
    v_messages      bigint;
    v_type          text;
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
    select p.queue_id, p.log_start into v_queue_id, v_log_start
      from queen.log_partitions p
     where p.id = p_pid
       for update;
    if not found then
        return jsonb_build_object('deleted', 0, 'new_log_start', null, 'done', true, 'messages', 0, 'retention_type', null);
    end if;

    -- The batch horizon: base_offset of the (max_rows + 1)-th live segment, NULL when what is left fits one batch.
    select s.base_offset into v_horizon
      from queen.log_segments s
     where s.partition_id = p_pid and s.base_offset >= v_log_start
     order by s.base_offset
    offset p_max_rows
     limit 1;

    v_all := queen.log_retention_boundary_windowed_v1(
        p_partition_id => p_pid, p_from => v_log_start, p_cutoff => p_all_cutoff, p_horizon => v_horizon);

    -- Rule 2 ends at the slowest group's next wanted offset; no cursor, nothing consumed.
    v_completed := v_log_start;
    if p_completed_cutoff is not null then
        select min(c.committed) + 1 into v_cap from queen.log_consumers c where c.partition_id = p_pid;
        if v_cap > v_log_start then
            v_completed := least(v_cap, queen.log_retention_boundary_windowed_v1(
                p_partition_id => p_pid, p_from => v_log_start, p_cutoff => p_completed_cutoff, p_horizon => v_horizon));
        end if;
    end if;

    v_boundary := greatest(v_log_start, v_all, v_completed);
    v_type := coalesce(p_history_type, case when v_completed > v_all then 'completed_retention' else 'retention' end);

    -- Whole segments only. Ranges are disjoint, so at most one (the covering one) is passed over on the way down.
    select s.base_offset, s.end_offset + 1 into v_last_base, v_new_log_start
      from queen.log_segments s
     where s.partition_id = p_pid
       and s.base_offset >= v_log_start
       and s.base_offset < v_boundary
       and s.end_offset < v_boundary
     order by s.base_offset desc
     limit 1;
    if not found then
        return jsonb_build_object('deleted', 0, 'new_log_start', v_log_start, 'done', true, 'messages', 0, 'retention_type', null);
    end if;

    with gone as (
        delete from queen.log_segments s
         where s.partition_id = p_pid and s.base_offset between v_log_start and v_last_base
        returning s.end_offset - s.base_offset + 1 as messages)
    select count(*), coalesce(sum(g.messages), 0)::bigint into v_segments, v_messages from gone g;

    select s.created_at into v_oldest
      from queen.log_segments s
     where s.partition_id = p_pid and s.base_offset >= v_new_log_start
     order by s.base_offset
     limit 1;
    update queen.log_partitions p
       set log_start = greatest(p.log_start, v_new_log_start),
           oldest_live_at = v_oldest
     where p.id = p_pid;

    insert into queen.retention_history (partition_id, queue_id, messages_deleted, segments_deleted, retention_type)
    values (p_pid, v_queue_id, v_messages, v_segments, v_type);

    return jsonb_build_object(
        'deleted', v_segments,
        'new_log_start', v_new_log_start,
        'done', v_boundary is distinct from v_horizon,
        'messages', v_messages,
        'retention_type', v_type);
end
$$;

revoke all on function queen.log_retention_step_v1 from public;
grant execute on function queen.log_retention_step_v1 to queen_retention;
call queen.publish_contract_v1('queen.log_retention_step_v1');

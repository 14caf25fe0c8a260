-- The step as it first landed, with the two functions it calls: what `wide` measures the runner against.
--
-- Kept letter for letter but for the schema, the name of the step and the grants. It is a measure, so it does not
-- follow the shipped step: do not improve it.

create or replace function bench.require_step_context_v1(p_function text, p_max_rows int)
    returns void
    language plpgsql
    set search_path = pg_catalog, pg_temp
as $$
-- require_step_context_v1(function, max_rows) -> nothing
--
-- Purpose  Refuse to run a step where it could delete the wrong thing. Every step calls it first.
-- Expects  The name of the calling function, for the message, and its batch bound.
-- Ensures  READ COMMITTED: each statement after the lock sees the push that just committed; an older snapshot would not.
--          Foreign keys fire: under session_replication_role = replica a cascade leaves orphans behind.
-- Locks    None.
-- Errors   TM001 another isolation level. TM002 foreign keys are off. 22023 max_rows is NULL or below 1.
begin
    if current_setting('transaction_isolation') <> 'read committed' then
        raise exception '%: needs isolation level read committed, not %', p_function, current_setting('transaction_isolation')
            using errcode = 'TM001',
                  hint = 'Begin the transaction with BEGIN ISOLATION LEVEL READ COMMITTED.';
    end if;
    if current_setting('session_replication_role') = 'replica' then
        raise exception '%: session_replication_role is replica, which switches foreign keys off', p_function
            using errcode = 'TM002',
                  hint = 'Run it in a session with session_replication_role = origin.';
    end if;
    if (p_max_rows >= 1) is not true then
        raise exception '%: p_max_rows must be at least 1, not %', p_function, coalesce(p_max_rows::text, 'null')
            using errcode = '22023';
    end if;
end
$$;

create or replace function bench.log_retention_boundary_windowed_v1(
    p_partition_id uuid,
    p_from         bigint,
    p_cutoff       timestamptz,
    p_horizon      bigint)
    returns bigint
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set enable_bitmapscan = off
as $$
-- log_retention_boundary_windowed_v1(partition_id, from, cutoff, horizon) -> offset
--
-- Purpose  Find where time stops a deletion: the base_offset of the first segment in [from, horizon) with created_at >= cutoff.
-- Expects  created_at that never decreases with base_offset, so the first fresh segment ends the walk.
-- Ensures  Nothing fresh inside: the horizon, or max(end_offset) + 1 where the horizon is NULL.
--          No segment at or after from, or a NULL cutoff (the rule is off): from. Never below from.
--          Reads at most the index entries of [from, horizon), whether or not anything matches.
-- Locks    None.
-- Errors   22023 partition_id or from is NULL.
declare
    v_boundary bigint;
begin
    if p_partition_id is null or p_from is null then
        raise exception 'log_retention_boundary_windowed_v1: p_partition_id and p_from must not be null' using errcode = '22023';
    end if;
    if p_cutoff is null then
        return p_from;
    end if;

    -- The horizon is a range bound of the index scan, not a filter: without it an all-stale log is walked to its end.
    select s.base_offset into v_boundary
      from queen.log_segments s
     where s.partition_id = p_partition_id
       and s.base_offset >= p_from
       and s.base_offset < coalesce(p_horizon, 9223372036854775807)
       and s.created_at >= p_cutoff
     order by s.base_offset
     limit 1;
    if found then
        return v_boundary;
    end if;
    if p_horizon is not null then
        return greatest(p_horizon, p_from);
    end if;

    select s.end_offset + 1 into v_boundary
      from queen.log_segments s
     where s.partition_id = p_partition_id
       and s.base_offset >= p_from
     order by s.base_offset desc
     limit 1;
    return coalesce(v_boundary, p_from);
end
$$;

create or replace function bench.baseline_step(
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
-- Errors   22023 pid is NULL, bad max_rows. TM001, TM002 see require_step_context_v1.
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
    perform bench.require_step_context_v1(p_function => 'log_retention_step_v1', p_max_rows => p_max_rows);
    if p_pid is null then
        raise exception 'log_retention_step_v1: p_pid must not be null' using errcode = '22023';
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

    v_all := bench.log_retention_boundary_windowed_v1(
        p_partition_id => p_pid, p_from => v_log_start, p_cutoff => p_all_cutoff, p_horizon => v_horizon);

    -- Rule 2 ends at the slowest group's next wanted offset; no cursor, nothing consumed.
    v_completed := v_log_start;
    if p_completed_cutoff is not null then
        select min(c.committed) + 1 into v_cap from queen.log_consumers c where c.partition_id = p_pid;
        if v_cap > v_log_start then
            v_completed := least(v_cap, bench.log_retention_boundary_windowed_v1(
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

create or replace procedure queen.log_drain_v1(
    p_kind               text,
    p_queue_id           uuid,
    p_pids               uuid[],
    p_all_cutoff         timestamptz,
    p_completed_cutoff   timestamptz,
    p_max_rows           int,
    p_rows               int[],
    p_hold_ms            int,
    p_batches            int,
    p_time_ms            int,
    p_lock_timeout_ms    int,
    p_synchronous_commit text,
    p_task               text,
    p_holder             text,
    p_fence              bigint,
    inout p_stopped      text,
    inout p_steps        jsonb)
    language plpgsql
as $$
-- log_drain_v1(kind, queue_id, pids, ...) -> stopped, steps; see log_retention_drain_v1
--
-- Purpose  The one body of the drains. No SET clause, since a procedure with one cannot commit: each transaction pins its path.
-- Expects  kind as log_drain_step_v1; all else as log_retention_drain_v1.
-- Ensures  As log_retention_drain_v1.
-- Locks    As the step of the kind: one partition row, to the end of that step's transaction.
-- Errors   As log_retention_drain_v1.
declare
    v_until pg_catalog.timestamptz;
    v_steps pg_catalog.jsonb[];
    v_step  pg_catalog.jsonb;
    v_at    int := 1;
    v_batch int := 0;
    v_rows  int;
    v_lease pg_catalog.text;
    v_rule  boolean;
begin
    -- Until the path is pinned no operator and no unqualified name: the session's path may shadow either.
    perform queen.require_drain_v1(
        p_function => 'log_drain_v1', p_queue_id => p_queue_id, p_pids => p_pids, p_rows => p_rows, p_max_rows => p_max_rows,
        p_hold_ms => p_hold_ms, p_batches => p_batches, p_time_ms => p_time_ms, p_lock_timeout_ms => p_lock_timeout_ms);
    p_stopped := null;
    loop
        -- Nothing between the two: the level of a transaction is chosen before its first snapshot.
        commit;
        set transaction isolation level read committed;
        perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true),
                pg_catalog.set_config('lock_timeout', p_lock_timeout_ms::pg_catalog.text, true),
                pg_catalog.set_config('synchronous_commit', p_synchronous_commit, true);

        exit when v_at > cardinality(p_pids);
        -- statement_timeout runs over the whole call. The first step is always done: a call that does nothing would come again.
        if v_until is null then
            v_until := clock_timestamp() + least(
                make_interval(secs => p_time_ms / 1000.0), 0.7 * nullif(current_setting('statement_timeout')::interval, '0'));
        elsif clock_timestamp() >= v_until then
            p_stopped := 'time';
            exit;
        end if;

        -- Cutoffs move on with time, so one that went away or back belongs to a rule that was edited.
        select s.lease,
               case p_kind
                   when 'retention' then (p_all_cutoff is null or p_all_cutoff <= c.all_cutoff)
                                         and (p_completed_cutoff is null or p_completed_cutoff <= c.completed_cutoff)
                   when 'max_wait' then p_all_cutoff <= c.max_wait_cutoff
                   when 'txns' then p_all_cutoff <= c.txns_cutoff
               end
          into v_lease, v_rule
          from queen.lease_standing_v1(p_task => p_task, p_holder => p_holder, p_fence => p_fence) s
          left join (queen.queues q cross join lateral queen.log_cutoffs_v1(p_queue => q) c) on q.id = p_queue_id;
        p_stopped := case when v_lease <> 'held' then v_lease when v_rule is not true then 'rule' end;
        exit when p_stopped is not null;

        v_batch := v_batch + 1;
        v_rows := least(p_max_rows, coalesce(v_rows, p_rows[v_at], greatest(1, p_max_rows / 10)));
        v_step := queen.log_drain_step_v1(
            p_kind => p_kind, p_pid => p_pids[v_at], p_all_cutoff => p_all_cutoff, p_completed_cutoff => p_completed_cutoff,
            p_max_rows => v_rows);
        v_rows := case when v_step -> 'done' = 'false' then queen.log_next_batch_v1(
            p_rows => v_rows, p_held_ms => (v_step ->> 'held_ms')::numeric, p_hold_ms => p_hold_ms, p_max_rows => p_max_rows) end;
        v_steps := v_steps || (v_step || jsonb_build_object('partition_id', p_pids[v_at], 'next_rows', v_rows));
        if v_rows is null or v_batch = p_batches then
            v_at := v_at + 1;
            v_batch := 0;
            v_rows := null;
        end if;
    end loop;
    p_steps := coalesce(to_jsonb(v_steps), '[]');
    -- A caller that is itself a procedure goes on in this transaction: with its own settings.
    commit;
end
$$;

revoke all on procedure queen.log_drain_v1 from public;
grant execute on procedure queen.log_drain_v1 to queen_retention;
call queen.publish_contract_v1('queen.log_drain_v1');

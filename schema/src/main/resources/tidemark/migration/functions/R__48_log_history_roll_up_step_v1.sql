create or replace function queen.log_history_roll_up_step_v1(p_from timestamptz, p_cutoff timestamptz, p_max_rows int)
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set enable_bitmapscan = off
    set jit = off
as $$
-- log_history_roll_up_step_v1(from, cutoff, max_rows) -> {"rolled", "minutes", "last_at", "done"}
--
-- Purpose  Turn at most max_rows rows of retention_history into totals a minute, queue and rule, oldest first: steps write hundreds
--          of rows a second, and after a day nobody asks for a single one.
-- Expects  Rows in [from, cutoff). from = last_at of the call before, or NULL for the oldest: what was deleted and not yet
--          vacuumed away is then not walked over again. cutoff = now - RETENTION_HISTORY_DETAIL_HOURS; NULL turns it off.
--          max_rows >= 1. Loop until done.
-- Ensures  Exact: a row is in retention_history or counted in retention_history_minutes, never both and never neither, whoever
--          runs it at once. No row at or after cutoff goes, and no partition event (__x__). A row that somebody holds is
--          passed: a later call that begins before it takes it. minutes: totals written. last_at: executed_at of the last row
--          taken, from where none was. done: it found less than a full batch.
-- Locks    The rows it takes, SKIP LOCKED, then their minutes in the order of (minute, queue_id, retention_type), to this
--          call's commit.
-- Errors   22023 bad max_rows. TM001, TM002 see require_step_context_v1.
declare
    v_rolled  bigint;
    v_minutes bigint;
    v_last_at timestamptz;
begin
    perform queen.require_step_context_v1(p_function => 'log_history_roll_up_step_v1', p_max_rows => p_max_rows);
    -- One statement, so that one snapshot takes and counts. LIMIT as a literal (0004). The sort of sums reads all of gone, so
    -- every row of history is locked before the first minute is: two calls at once cannot wait for each other in a ring.
    -- The DELETE names nothing but ctids, which are unique in a plain table: repeating the range would offer it the index, and on
    -- stale statistics it was seen to read all that is old to delete one batch.
    execute format(
        $roll$
        with gone as (
            delete from queen.retention_history h
             where h.ctid = any (array(
                       select o.ctid
                         from queen.retention_history o
                        where o.executed_at >= coalesce($1, '-infinity')
                          and o.executed_at < $2
                          and o.retention_type not like '!_!_%%!_!_' escape '!'
                        order by o.executed_at
                        limit %s
                          for update skip locked))
            returning h.queue_id, h.executed_at, h.retention_type, h.messages_deleted, h.segments_deleted),
        sums as (
            select date_bin('1 minute', g.executed_at, 'epoch'::timestamptz) as minute, g.queue_id, g.retention_type,
                   sum(g.messages_deleted) as messages, sum(g.segments_deleted) as segments, count(*) as steps,
                   max(g.executed_at) as last_at
              from gone g
             group by 1, 2, 3),
        written as (
            insert into queen.retention_history_minutes as m
                   (queue_id, minute, retention_type, messages_deleted, segments_deleted, steps)
            select s.queue_id, s.minute, s.retention_type, s.messages, s.segments, s.steps
              from sums s
             order by s.minute, s.queue_id, s.retention_type
                on conflict (minute, queue_id, retention_type) do update
               set messages_deleted = m.messages_deleted + excluded.messages_deleted,
                   segments_deleted = m.segments_deleted + excluded.segments_deleted,
                   steps = m.steps + excluded.steps)
        select coalesce(sum(s.steps), 0)::bigint, count(*), max(s.last_at) from sums s
        $roll$,
        p_max_rows)
       into v_rolled, v_minutes, v_last_at
      using p_from, p_cutoff;
    return jsonb_build_object(
        'rolled', v_rolled,
        'minutes', v_minutes,
        'last_at', coalesce(v_last_at, p_from),
        'done', v_rolled < p_max_rows);
end
$$;

revoke all on function queen.log_history_roll_up_step_v1 from public;
grant execute on function queen.log_history_roll_up_step_v1 to queen_retention;
call queen.publish_contract_v1('queen.log_history_roll_up_step_v1');

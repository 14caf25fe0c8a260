create or replace function queen.lease_status_v1()
    returns table (
        task             text,
        period_ms        bigint,
        enabled          boolean,
        next_due_at      timestamptz,
        holder           text,
        lease_until      timestamptz,
        last_start_at    timestamptz,
        last_end_at      timestamptz,
        last_duration_ms bigint,
        runs             bigint)
    language sql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- lease_status_v1() -> one row a task, by name
--
-- Purpose  The schedule as it stands: when each task ran last, how long it took, who has it, when it is due.
-- Ensures  holder and lease_until are NULL while nobody has the task. last_end_at is NULL until a cycle has ended.
-- Locks    None.
-- Errors   None.
select l.task, l.period_ms, l.enabled, l.next_due_at, l.holder, l.lease_until, l.last_start_at, l.last_end_at, l.last_duration_ms, l.runs
  from queen.maintenance_leases l
 order by l.task
$$;

revoke all on function queen.lease_status_v1 from public;
grant execute on function queen.lease_status_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.lease_status_v1');

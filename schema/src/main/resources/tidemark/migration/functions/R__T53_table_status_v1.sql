create or replace function queen.table_status_v1(p_name text default null)
    returns table (policy text, relation text, column_name name, kind text, zone text, keep text, predicate text, archive text, batch int,
                   enabled boolean, cutoff timestamptz, oldest_at timestamptz, behind_seconds numeric, deleted_lately bigint, rows_per_second numeric,
                   runs bigint, last_end_at timestamptz, last_success_at timestamptz, last_done_at timestamptz, last_stopped text,
                   last_error_at timestamptz, last_sqlstate text, last_error text, problem text)
    language sql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- table_status_v1(name) -> one row a policy, by name
--
-- Purpose  How each policy stands: what it says, how far behind its table is, how its last run ended.
-- Expects  The name of a policy; NULL: all.
-- Ensures  cutoff: where the window begins now. oldest_at: the time of the oldest row that would go, NULL when none would;
--          behind_seconds: how long it should have been gone, from the edge of the index. deleted_lately: rows in the last 24
--          h. rows_per_second: of the last 100 steps, while they worked; NULL before the first. An error is over when
--          last_success_at is later. problem: as table_look_v1, the first one. No row for a name that is not there.
-- Locks    As table_look_v1.
-- Errors   None.
    select r.policy, r.relation, r.column_name, r.kind, r.zone, r.keep, r.predicate, r.archive, r.batch, r.enabled,
           c.cutoff, l.oldest_at,
           round(extract(epoch from c.cutoff - l.oldest_at), 3),
           h.deleted, s.speed, coalesce(u.runs, 0), u.last_end_at, u.last_success_at, u.last_done_at, u.last_stopped,
           u.last_error_at, u.last_sqlstate, u.last_error, l.problem
      from queen.table_rules_v1(p_name => p_name) r
      join queen.table_policies p on p.name = r.policy
     cross join lateral queen.table_cutoff_v1(p_keep => p.keep) as c(cutoff)
     cross join lateral (
           select min(queen.table_time_v1(p_kind => p.kind, p_zone => p.zone, p_value => k.oldest)), min(k.problem)
             from queen.table_look_v1(p_name => p.name, p_count => false) k) l(oldest_at, problem)
     cross join lateral (
           select coalesce(sum(t.rows_deleted), 0)::bigint
             from queen.table_history t
            where t.policy = p.name and t.executed_at > now() - interval '24 hours') h(deleted)
     cross join lateral queen.table_speed_v1(p_name => p.name) as s(speed)
      left join queen.table_runs u on u.policy = p.name
     order by r.policy;
$$;

revoke all on function queen.table_status_v1 from public;
grant execute on function queen.table_status_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_status_v1');

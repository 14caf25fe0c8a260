create or replace function queen.table_throttle_v1(p_relation oid, p_max_lag_ms int, p_max_vacuum_ms int)
    returns text
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- table_throttle_v1(relation, max_lag_ms, max_vacuum_ms) -> text
--
-- Purpose  Say why deleting from a table should wait: what it makes is too much for somebody already.
-- Expects  The oid of a table. How far a replica may be behind, and how long a vacuum of the table or of one of its leaves may run.
--          NULL: that does not matter.
-- Ensures  One reason, in words; NULL: none. A role without pg_read_all_stats (pg_monitor has it) sees neither, and is never
--          told to wait; table_hazards_v1 says so.
-- Locks    None.
-- Errors   None.
begin
    return coalesce(
        (select format('replica %s is %s ms behind', coalesce(nullif(r.application_name, ''), r.client_addr::text, 'without a name'),
                       floor(extract(epoch from r.replay_lag) * 1000))
           from pg_stat_replication r
          where r.replay_lag > p_max_lag_ms * interval '1 millisecond'
          order by r.replay_lag desc
          limit 1),
        (select format('a vacuum of %s runs since %s ms', l.leaf, floor(extract(epoch from clock_timestamp() - a.xact_start) * 1000))
           from queen.table_leaves_v1(p_relation => p_relation) l
           join pg_class c on c.oid = l.leaf_id
           join pg_stat_progress_vacuum v on v.relid in (c.oid, nullif(c.reltoastrelid, 0)) and v.datname = current_database()
           join pg_stat_activity a on a.pid = v.pid
          where a.xact_start < clock_timestamp() - p_max_vacuum_ms * interval '1 millisecond'
          order by a.xact_start
          limit 1));
end
$$;

revoke all on function queen.table_throttle_v1 from public;
grant execute on function queen.table_throttle_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_throttle_v1');

create or replace function queen.table_rules_v1(p_name text default null)
    returns table (policy text, relation text, column_name name, kind text, zone text, keep text, predicate text, archive text, batch int,
                   enabled boolean, problem text)
    language sql
    stable
    set search_path = pg_catalog, pg_temp
    set intervalstyle = 'postgres'
as $$
-- table_rules_v1(name) -> one row a policy, by name
--
-- Purpose  What each policy says.
-- Expects  The name of a policy; NULL: all.
-- Ensures  relation, column_name and archive by the names they have now; problem: as table_resolve_v1. No table is read. No row
--          for a name that is not there.
-- Locks    None.
-- Errors   None.
    select p.name, r.relation, (r.policy).column_name, p.kind, p.zone, p.keep::text, p.predicate, r.archive, p.batch, p.enabled, r.problem
      from queen.table_policies p
     cross join lateral queen.table_resolve_v1(p_name => p.name) r
     where p_name is null or p.name = p_name
     order by p.name;
$$;

revoke all on function queen.table_rules_v1 from public;
grant execute on function queen.table_rules_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_rules_v1');

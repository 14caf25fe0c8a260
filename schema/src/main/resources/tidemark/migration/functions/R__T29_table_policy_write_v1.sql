create or replace function queen.table_policy_write_v1(p_policy queen.table_policies)
    returns boolean
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- table_policy_write_v1(policy) -> boolean
--
-- Purpose  Write down what table_resolve_v1 has found: the names by now, or in another database the oids.
-- Expects  The policy as that found it, and its row locked by the caller.
-- Ensures  The row has it, and is not lost. Positions that another database had are gone. Answers whether anything was changed.
-- Locks    The policy's row.
-- Errors   None.
begin
    delete from queen.table_positions t
     using queen.table_policies p
     where t.policy = p_policy.name and p.name = p_policy.name and p.home <> p_policy.home;
    update queen.table_policies p
       set home = n.home, relation_id = n.relation_id, relation_schema = n.relation_schema, relation_name = n.relation_name,
           column_id = n.column_id, column_name = n.column_name, predicate_columns = n.predicate_columns,
           archive_id = n.archive_id, archive_schema = n.archive_schema, archive_name = n.archive_name, lost = false
      from (select p_policy.*) n
     where p.name = n.name
       and (p is distinct from p_policy or p.lost);
    return found;
end
$$;

revoke all on function queen.table_policy_write_v1 from public;
grant execute on function queen.table_policy_write_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_policy_write_v1');

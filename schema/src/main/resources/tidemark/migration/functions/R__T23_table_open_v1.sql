create or replace function queen.table_open_v1(p_name text)
    returns table (policy queen.table_policies, relation text, column_type regtype, archive text, archive_columns name[])
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- table_open_v1(name) -> (policy, relation, column_type, archive, archive_columns), one row
--
-- Purpose  Find the table of a policy for work on it, under a lock that keeps its names as they are.
-- Expects  The name of a policy. lock_timeout as the caller wants it.
-- Ensures  As table_resolve_v1, without a problem. The policy's row has the names, or in another database the oids, that were
--          found.
-- Locks    ROW EXCLUSIVE on the table, not on its leaves, and on the archive: nobody renames them or their columns until this call
--          commits. The policy's row FOR NO KEY UPDATE.
-- Errors   TM008 no such policy. TM009 it fits its table no more, see also table_cascade_v1, or that was altered at this
--          moment. 55P03 see lock_timeout.
declare
    v_first   record;
    v_found   record;
    v_cascade text;
begin
    -- Whoever sets the policy waits for this step, or this step for them: neither works by, or writes back, what was.
    perform from queen.table_policies p where p.name = p_name for no key update;
    select r.* into v_first from queen.table_resolve_v1(p_name => p_name) r;
    if v_first.problem is not null then
        raise exception 'table_open_v1: policy % fits no more: %', quote_literal(p_name), v_first.problem
            using errcode = 'TM009', hint = 'Set the policy again with table_policy_set_v1, or remove it with table_policy_remove_v1.';
    end if;
    execute format('lock table only %s in row exclusive mode', v_first.relation);
    if v_first.archive is not null then
        execute format('lock table only %s in row exclusive mode', v_first.archive);
    end if;
    select r.* into v_found from queen.table_resolve_v1(p_name => p_name) r;
    if v_found is distinct from v_first then
        raise exception 'table_open_v1: policy % or its table % was altered at this moment', quote_literal(p_name), v_first.relation
            using errcode = 'TM009', hint = 'Run it again.';
    end if;
    v_cascade := queen.table_cascade_v1(p_relation => (v_found.policy).relation_id, p_archive => (v_found.policy).archive_id);
    if v_cascade is not null then
        raise exception 'table_open_v1: policy % fits no more: by constraint % rows would go along that have to stay', quote_literal(p_name), v_cascade
            using errcode = 'TM009', hint = 'Let the key set null, or refuse.';
    end if;
    policy := v_found.policy;
    relation := v_found.relation;
    column_type := v_found.column_type;
    archive := v_found.archive;
    archive_columns := v_found.archive_columns;
    perform queen.table_policy_write_v1(p_policy => v_found.policy);
    return next;
end
$$;

revoke all on function queen.table_open_v1 from public;
grant execute on function queen.table_open_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_open_v1');

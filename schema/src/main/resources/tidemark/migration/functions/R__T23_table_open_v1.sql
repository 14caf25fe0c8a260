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
-- Errors   TM008 no such policy. TM009 it fits its table no more, see also table_cascade_v1. 42P01 its table was dropped or renamed
--          at this moment. 55P03 see lock_timeout.
declare
    v_policy   queen.table_policies;
    v_relation text;
    v_archive  text;
    v_found    record;
    v_cascade  text;
begin
    -- Whoever sets the policy waits for this step, or this step for them: neither works by, or writes back, what was.
    select p.* into v_policy from queen.table_policies p where p.name = p_name for no key update;
    if found then
        -- Mostly the names of the last time are still right: locked before anything is looked for, it is looked for once.
        v_relation := format('%I.%I', v_policy.relation_schema, v_policy.relation_name);
        v_archive := case when v_policy.archive_id is not null then format('%I.%I', v_policy.archive_schema, v_policy.archive_name) end;
        if (to_regclass(v_relation) = v_policy.relation_id and coalesce(to_regclass(v_archive), 0) = coalesce(v_policy.archive_id, 0)) is not true then
            v_relation := null;
        end if;
    end if;
    loop
        if v_relation is not null then
            execute format('lock table only %s in row exclusive mode', v_relation);
            if v_archive is not null then
                execute format('lock table only %s in row exclusive mode', v_archive);
            end if;
        end if;
        select r.* into v_found from queen.table_resolve_v1(p_name => p_name) r;
        if v_found.problem is not null then
            raise exception 'table_open_v1: policy % fits no more: %', quote_literal(p_name), v_found.problem
                using errcode = 'TM009', hint = 'Set the policy again with table_policy_set_v1, or remove it with table_policy_remove_v1.';
        end if;
        exit when v_found.relation = v_relation and v_found.archive is not distinct from v_archive;
        v_relation := v_found.relation;
        v_archive := v_found.archive;
    end loop;
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
    if v_found.policy is distinct from v_policy or v_policy.lost then
        perform queen.table_policy_write_v1(p_policy => v_found.policy);
    end if;
    return next;
end
$$;

revoke all on function queen.table_open_v1 from public;
grant execute on function queen.table_open_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_open_v1');

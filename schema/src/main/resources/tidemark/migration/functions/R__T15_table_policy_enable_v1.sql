create or replace function queen.table_policy_enable_v1(p_name text, p_enabled boolean)
    returns boolean
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- table_policy_enable_v1(name, enabled) -> boolean
--
-- Purpose  Switch a policy off, or on again.
-- Expects  The name of a policy.
-- Ensures  Of a policy that is off no row goes: a run that is at it stops before its next step. Answers whether anything was
--          changed.
-- Locks    The policy's row.
-- Errors   22023 enabled is NULL. TM008 no such policy.
declare
    v_was boolean;
begin
    if p_enabled is null then
        raise exception 'table_policy_enable_v1: p_enabled must not be null' using errcode = '22023';
    end if;
    select p.enabled into v_was from queen.table_policies p where p.name = p_name for update;
    if not found then
        raise exception 'table_policy_enable_v1: no policy is named %', coalesce(quote_literal(p_name), 'null')
            using errcode = 'TM008', hint = 'The names are in queen.table_policies.';
    end if;
    update queen.table_policies p set enabled = p_enabled, updated_at = now() where p.name = p_name and v_was <> p_enabled;
    return v_was <> p_enabled;
end
$$;

revoke all on function queen.table_policy_enable_v1 from public;
grant execute on function queen.table_policy_enable_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_policy_enable_v1');

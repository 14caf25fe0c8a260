create or replace function queen.table_unfit_v1(p_name text)
    returns table (detail text, fix text)
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- table_unfit_v1(name) -> (detail, fix), one row, or none
--
-- Purpose  Ask of a policy what table_policy_set_v1 asked when it was set: tables change afterwards.
-- Expects  The name of a policy.
-- Ensures  The first requirement of table_require_v1 that its table does not meet any more, with what mends it. None for a
--          table that is gone.
-- Locks    None.
-- Errors   TM008 no such policy.
declare
    v_found record;
begin
    select r.* into v_found from queen.table_resolve_v1(p_name => p_name) r;
    if v_found.problem is not null then
        return;
    end if;
    perform queen.table_require_v1(
        p_function => 'policy ' || quote_literal(p_name), p_relation => (v_found.policy).relation_id,
        p_column => (v_found.policy).column_name, p_archive => (v_found.policy).archive_id);
exception
    when invalid_parameter_value then
        get stacked diagnostics detail = message_text, fix = pg_exception_hint;
        fix := coalesce(nullif(fix, ''), 'table_policy_set_v1 with another table or archive');
        return next;
end
$$;

revoke all on function queen.table_unfit_v1 from public;
grant execute on function queen.table_unfit_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_unfit_v1');

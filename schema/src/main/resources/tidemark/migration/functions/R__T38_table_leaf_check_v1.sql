create or replace function queen.table_leaf_check_v1(p_policy queen.table_policies, p_leaf_id oid, p_leaf text, p_columns name[])
    returns void
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set jit = off
as $$
-- table_leaf_check_v1(policy, leaf_id, leaf, columns) -> nothing
--
-- Purpose  Refuse to delete from a leaf in which something came after the policy was set by which the wrong rows, or parts of
--          rows, would go.
-- Expects  As table_leaf_step_v1 has it, the leaf held. columns: what goes into the archive; NULL: there is none.
-- Ensures  No value of the leaf is in a coarser unit than the policy says, see table_other_units_v1. The archive gets each
--          column of the leaf.
-- Locks    None.
-- Errors   TM009 naming the value, or the column.
declare
    v_unit  record;
    v_value text;
    v_name  name;
begin
    for v_unit in select u.* from queen.table_other_units_v1(p_kind => p_policy.kind) u loop
        execute format('select t.%1$I::text from only %2$s t where t.%1$I between %3$s and %4$s limit 1',
                       p_policy.column_name, p_leaf, v_unit.low, v_unit.high)
           into v_value;
        if v_value is not null then
            raise exception 'table_leaf_check_v1: policy % fits no more: in % is a time, %, that is no % but %',
                quote_literal(p_policy.name), p_leaf, v_value, p_policy.kind, v_unit.unit
                using errcode = 'TM009', hint = 'Mend the rows, or set the policy again with the unit the column has.';
        end if;
    end loop;
    if p_columns is not null then
        v_name := queen.table_own_column_v1(p_relation => p_policy.relation_id, p_leaf_id => p_leaf_id);
    end if;
    if v_name is not null then
        raise exception 'table_leaf_check_v1: policy % fits no more: column % of % would come into no archive',
            quote_literal(p_policy.name), quote_ident(v_name), p_leaf
            using errcode = 'TM009', hint = 'Set a policy for that table alone, with an archive that has the column.';
    end if;
end
$$;

revoke all on function queen.table_leaf_check_v1 from public;
grant execute on function queen.table_leaf_check_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_leaf_check_v1');

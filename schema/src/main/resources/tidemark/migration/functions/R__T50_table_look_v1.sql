create or replace function queen.table_look_v1(p_name text, p_count boolean default true, p_most bigint default null)
    returns table (leaf text, bound text, rows bigint, never bigint, oldest text, newest text, problem text)
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
    set row_security = off
    set standard_conforming_strings = on
    set lock_timeout = '2s'
    set jit = off
as $$
-- table_look_v1(name, count, most) -> (leaf, bound, rows, never, oldest, newest, problem), one row a leaf
--
-- Purpose  Look into the table of a policy: what would go, and what never does. The one reader of user tables beside the steps.
-- Expects  The name of a policy. count: whether rows and never are counted; else they are NULL and only the index's edges are read.
--          most: where a count ends; NULL: exact.
-- Ensures  rows: of this leaf that a run would delete if it began now. never: rows that no run deletes, since their time is
--          NULL, infinite or NaN, or a UUID below the bound is not of version 7. oldest: the time of the oldest row that would
--          go; newest: of the newest row that has a time. All in the column's own terms. problem: why the leaf, or the table
--          (then the only row, without leaf), could not be read; then the rest is NULL.
-- Locks    ACCESS SHARE on one leaf after the other, for the first of which it waits 2 s.
-- Errors   TM008 no such policy.
declare
    v_found    record;
    v_where    text;
    v_timeless text;
    v_never    text;
    v_top      text;
    v_id       oid;
    v_over     boolean;
begin
    select r.* into v_found from queen.table_resolve_v1(p_name => p_name) r;
    if v_found.problem is not null then
        problem := v_found.problem;
        return next;
        return;
    end if;
    begin
        bound := queen.table_bound_v1(
            p_kind => (v_found.policy).kind, p_zone => (v_found.policy).zone, p_type => v_found.column_type,
            p_cutoff => queen.table_cutoff_v1(p_keep => (v_found.policy).keep));
    exception
        when data_exception then
            problem := format('%s (%s)', sqlerrm, sqlstate);
            return next;
            return;
    end;
    v_never := queen.table_never_v1(
        p_column => (v_found.policy).column_name, p_type => v_found.column_type, p_bound => bound, p_predicate => (v_found.policy).predicate);
    v_timeless := queen.table_never_v1(
        p_column => (v_found.policy).column_name, p_type => v_found.column_type, p_predicate => null,
        p_bound => case when v_found.column_type = 'uuid'::regtype then 'ffffffff-ffff-ffff-ffff-ffffffffffff' end);
    v_top := case when p_most is null then '' else format(' limit %s', p_most) end;
    for v_id, leaf in
        select l.leaf_id, l.leaf from queen.table_leaves_v1(p_relation => (v_found.policy).relation_id) l where l.kind = 'r' order by l.leaf_id
    loop
        problem := null;
        v_over := false;
        begin
            v_where := queen.table_row_condition_v1(
                p_leaf_id => v_id, p_column => (v_found.policy).column_name, p_type => v_found.column_type, p_bound => bound,
                p_predicate => (v_found.policy).predicate);
            execute format('select (select to_jsonb(t.%2$I) #>> ''{}'' from only %1$s t where %3$s order by t.%2$I limit 1),'
                           ' (select to_jsonb(t.%2$I) #>> ''{}'' from only %1$s t where (%4$s) is not true order by t.%2$I desc limit 1)',
                           leaf, (v_found.policy).column_name, v_where, v_timeless)
               into oldest, newest;
            if p_count then
                execute format('select (select count(*) from (select from only %1$s t where %2$s%4$s) x),'
                               ' (select count(*) from (select from only %1$s t where %3$s%4$s) x)',
                               leaf, v_where, v_never, v_top)
                   into rows, never;
            end if;
            -- What goes back now is the locks: of thousands of leaves and their indexes they would be too many.
            v_over := true;
            raise savepoint_exception;
        exception
            when others or assert_failure then
                -- A predicate can raise anything, and is to be no reason not to see the other policies.
                if v_over then
                    return next;
                    continue;
                end if;
                if sqlstate = '55P03' then
                    -- Whoever holds one leaf may hold them all, and is waited for once.
                    perform set_config('lock_timeout', '1ms', true);
                end if;
                problem := format('%s (%s)', sqlerrm, sqlstate);
                rows := null;
                never := null;
                oldest := null;
                newest := null;
        end;
        return next;
    end loop;
end
$$;

revoke all on function queen.table_look_v1 from public;
grant execute on function queen.table_look_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_look_v1');

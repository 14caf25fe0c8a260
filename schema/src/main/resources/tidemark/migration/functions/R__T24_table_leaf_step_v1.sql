create or replace function queen.table_leaf_step_v1(
    p_policy   queen.table_policies,
    p_leaf_id  oid,
    p_type     regtype,
    p_bound    text,
    p_cutoff   timestamptz,
    p_max_rows int,
    p_archive  text,
    p_columns  name[])
    returns table (leaf text, chosen bigint, deleted bigint, archived bigint, skipped bigint, last text, remains boolean, full_batch boolean)
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- table_leaf_step_v1(policy, leaf_id, type, bound, cutoff, max_rows, archive, columns)
--   -> (leaf, chosen, deleted, archived, skipped, last, remains, full_batch), one row
--
-- Purpose  One batch of one leaf: from where the last one ended, or else from the beginning.
-- Expects  From table_delete_step_v1 alone, as table_open_v1 found it. cutoff: the caller's, by which the steps of one run are
--          known. max_rows NULL: only look whether anything remains.
-- Ensures  As table_leaf_batch_v1. leaf NULL: it is none of the table's any more, or cannot be had; then remains says which. A
--          row that somebody holds is waited for as long as lock_timeout says; then the batch is done again without the rows
--          that are held. Where even that waits for somebody, in a row that refers to one of these, a batch of one row steps
--          over it. remains: the batch was full, or the leaf, asked from its beginning, has more below the bound: late rows,
--          and those that were passed. Then the next batch begins there. full_batch: the next one may find more to delete; not
--          where this one began anew because the last had come to the end, and nothing of it went: then the leaf is only looked
--          at until the run is over.
-- Locks    As table_leaf_hold_v1 and table_leaf_batch_v1; the leaf's row of table_positions. None are left of a leaf in which
--          it found nothing.
-- Errors   As table_leaf_check_v1 and table_leaf_batch_v1.
declare
    v_position text;
    v_after    text;
    v_until    text;
    v_stuck    boolean;
    v_look     boolean;
    v_over     boolean := false;
    v_mode     text;
    v_modes    text[];
    v_where    text;
    v_batch    record;
    v_path     text;
    v_anew     boolean := false;
    v_begin    text := queen.table_row_condition_v1(
        p_leaf_id => p_leaf_id, p_column => p_policy.column_name, p_type => p_type, p_bound => p_bound,
        p_predicate => p_policy.predicate);
begin
    chosen := 0::bigint;
    deleted := 0::bigint;
    archived := 0::bigint;
    skipped := 0::bigint;
    remains := false;
    full_batch := false;
    select t.position, t.after, t.until, t.stuck_for = p_cutoff into v_position, v_after, v_until, v_stuck
      from queen.table_positions t
     where t.policy = p_policy.name and t.leaf_id = p_leaf_id;
    v_stuck := coalesce(v_stuck, false);
    v_look := p_max_rows is null or v_stuck;
    if v_look then
        v_position := null;
        v_modes := '{probe}';
    else
        v_modes := array['delete', 'skip_locked'] || case when p_max_rows = 1 then array['pass'] end;
    end if;
    -- A trigger that finds its tables by the path finds them when a program deletes, so it has to here: by the session's own.
    if p_policy.predicate is not null
       or not v_look and (p_archive is not null or exists (select from pg_class c where c.oid = p_leaf_id and (c.relhastriggers or c.relhasrules))) then
        v_path := queen.table_path_v1();
    end if;
    begin
        leaf := case p_leaf_id
            when p_policy.relation_id then format('%I.%I', p_policy.relation_schema, p_policy.relation_name)
            else queen.table_leaf_hold_v1(p_relation => p_policy.relation_id, p_leaf_id => p_leaf_id) end;
        if leaf is null then
            return next;
            return;
        end if;
        if not v_look and (p_policy.kind like 'epoch%' or p_columns is not null) then
            perform queen.table_leaf_check_v1(p_policy => p_policy, p_leaf_id => p_leaf_id, p_leaf => leaf, p_columns => p_columns);
        end if;
        loop
            v_where := case when v_position is null then v_begin else queen.table_row_condition_v1(
                p_leaf_id => p_leaf_id, p_column => p_policy.column_name, p_type => p_type, p_bound => p_bound,
                p_predicate => p_policy.predicate, p_position => v_position, p_after => v_after, p_until => v_until) end;
            foreach v_mode in array v_modes loop
                begin
                    select b.* into v_batch
                      from queen.table_leaf_batch_v1(
                               p_leaf => leaf, p_column => p_policy.column_name, p_where => v_where,
                               p_max_rows => case when v_look then 1 else p_max_rows end, p_mode => v_mode,
                               p_archive => p_archive, p_columns => p_columns, p_path => v_path,
                               p_by_place => v_position is not null and v_after is not null) b;
                    exit;
                exception
                    when lock_not_available then
                        if v_mode = v_modes[cardinality(v_modes)] then
                            raise;
                        end if;
                end;
            end loop;
            exit when v_batch.chosen > 0 or v_position is null;
            v_position := null;
            v_anew := true;
        end loop;
        if p_leaf_id <> p_policy.relation_id and (v_look or v_batch.chosen = 0 and v_batch.skipped = 0) then
            -- Nothing was changed, and what goes back now is the locks: of thousands of leaves and their indexes they would be too many.
            v_over := true;
            raise savepoint_exception;
        end if;
    exception
        when lock_not_available then
            if leaf is not null and not v_look then
                raise;
            end if;
            -- Nobody can say whether anything is left, so something may be.
            remains := true;
            return next;
            return;
        when savepoint_exception then
            if not v_over then
                raise;
            end if;
    end;
    if v_look then
        remains := v_batch.chosen > 0;
        delete from queen.table_positions t where v_stuck and not remains and t.policy = p_policy.name and t.leaf_id = p_leaf_id;
        return next;
        return;
    end if;

    chosen := v_batch.chosen;
    deleted := v_batch.deleted;
    archived := v_batch.archived;
    skipped := v_batch.skipped;
    last := v_batch.last;
    remains := chosen = p_max_rows;
    full_batch := remains and (deleted > 0 or not v_anew);
    if not remains and (chosen > 0 or skipped > 0) then
        select b.chosen > 0 into remains
          from queen.table_leaf_batch_v1(
                   p_leaf => leaf, p_column => p_policy.column_name, p_where => v_begin, p_max_rows => 1, p_mode => 'probe',
                   p_path => v_path) b;
    end if;
    v_stuck := remains and deleted = 0 and not full_batch;
    if remains and chosen < p_max_rows then
        last := null;
    end if;
    if last is null then
        v_after := null;
    elsif v_after is not null and v_position is not null and (deleted = 0 or last = v_position) then
        v_after := v_batch.last_ctid;
    elsif deleted = 0 then
        -- As many as a batch stay where they are. Of their time each is passed once, by its place: not what comes there meanwhile.
        v_after := '(0,0)';
        v_until := format('(%s,0)', pg_relation_size(p_leaf_id) / current_setting('block_size')::int);
    else
        v_after := null;
    end if;
    if last is not null or v_stuck then
        insert into queen.table_positions as t (policy, leaf_id, position, after, until, stuck_for)
        values (p_policy.name, p_leaf_id, last, v_after, case when v_after is not null then v_until end, case when v_stuck then p_cutoff end)
        on conflict (policy, leaf_id) do update
           set position = excluded.position, after = excluded.after, until = excluded.until, stuck_for = excluded.stuck_for;
    elsif remains then
        delete from queen.table_positions t where t.policy = p_policy.name and t.leaf_id = p_leaf_id;
    end if;
    last := v_batch.last;
    return next;
end
$$;

revoke all on function queen.table_leaf_step_v1 from public;
grant execute on function queen.table_leaf_step_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_leaf_step_v1');

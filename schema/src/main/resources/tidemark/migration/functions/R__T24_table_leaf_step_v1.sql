create or replace function queen.table_leaf_step_v1(
    p_policy   queen.table_policies,
    p_leaf_id  oid,
    p_leaf     text,
    p_type     regtype,
    p_bound    text,
    p_max_rows int,
    p_archive  text,
    p_columns  name[])
    returns table (chosen bigint, deleted bigint, archived bigint, skipped bigint, last text, remains boolean, full_batch boolean)
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- table_leaf_step_v1(policy, leaf_id, leaf, type, bound, max_rows, archive, columns)
--   -> (chosen, deleted, archived, skipped, last, remains, full_batch), one row
--
-- Purpose  One batch of one leaf: from where the last one ended, or else from the beginning.
-- Expects  From table_delete_step_v1 alone, as table_open_v1 found it. max_rows NULL: only look whether anything remains.
-- Ensures  As table_leaf_batch_v1. A row that somebody holds is waited for as long as lock_timeout says; then the batch is done again
--          without the rows that are held. remains: the batch was full, or the leaf, asked from its beginning, has more below the
--          bound: late rows, and those that were passed. Then the next batch begins there. full_batch: the next one may find more to
--          delete; not where this one began anew because the last had come to the end, and nothing of it went.
-- Locks    As table_leaf_batch_v1; the leaf's row of table_positions.
-- Errors   As table_leaf_batch_v1.
declare
    v_position text;
    v_beyond   boolean;
    v_where    text;
    v_batch    record;
    v_path     text;
    v_anew     boolean := false;
    v_begin    text := queen.table_row_condition_v1(
        p_leaf_id => p_leaf_id, p_column => p_policy.column_name, p_type => p_type, p_bound => p_bound,
        p_predicate => p_policy.predicate);
begin
    select t.position, t.beyond into v_position, v_beyond
      from queen.table_positions t
     where t.policy = p_policy.name and t.leaf_id = p_leaf_id;
    -- A trigger that finds its tables by the path finds them when a program deletes, so it has to here: by the session's own.
    if p_policy.predicate is not null
       or p_max_rows is not null and (p_archive is not null
                                      or exists (select from pg_class c where c.oid = p_leaf_id and c.relhastriggers)) then
        select s.reset_val into v_path from pg_settings s where s.name = 'search_path';
    end if;
    loop
        v_where := case when v_position is null then v_begin else queen.table_row_condition_v1(
            p_leaf_id => p_leaf_id, p_column => p_policy.column_name, p_type => p_type, p_bound => p_bound,
            p_predicate => p_policy.predicate, p_position => v_position, p_beyond => v_beyond) end;
        begin
            select b.* into v_batch
              from queen.table_leaf_batch_v1(
                       p_leaf => p_leaf, p_column => p_policy.column_name, p_where => v_where,
                       p_max_rows => coalesce(p_max_rows, 1), p_mode => case when p_max_rows is null then 'probe' else 'delete' end,
                       p_archive => p_archive, p_columns => p_columns, p_path => v_path) b;
        exception
            when lock_not_available then
                if p_max_rows is null then
                    -- Nobody can say whether anything is left, so something may be.
                    select 0, 0, 0, 0, true, false into chosen, deleted, archived, skipped, remains, full_batch;
                    return next;
                    return;
                end if;
                select b.* into v_batch
                  from queen.table_leaf_batch_v1(
                           p_leaf => p_leaf, p_column => p_policy.column_name, p_where => v_where,
                           p_max_rows => p_max_rows, p_mode => 'skip_locked', p_archive => p_archive, p_columns => p_columns,
                           p_path => v_path) b;
        end;
        exit when v_batch.chosen > 0 or v_position is null;
        v_position := null;
        v_anew := true;
    end loop;
    chosen := v_batch.chosen;
    deleted := v_batch.deleted;
    archived := v_batch.archived;
    skipped := v_batch.skipped;
    last := v_batch.last;
    remains := chosen = coalesce(p_max_rows, 1);
    full_batch := chosen = p_max_rows and (deleted > 0 or not v_anew);
    if p_max_rows is null then
        return next;
        return;
    end if;

    if not remains and (chosen > 0 or skipped > 0) then
        select b.chosen > 0 into remains
          from queen.table_leaf_batch_v1(
                   p_leaf => p_leaf, p_column => p_policy.column_name, p_where => v_begin, p_max_rows => 1, p_mode => 'probe',
                   p_path => v_path) b;
    end if;
    if remains and chosen < p_max_rows then
        delete from queen.table_positions t where t.policy = p_policy.name and t.leaf_id = p_leaf_id;
    elsif last is not null then
        insert into queen.table_positions as t (policy, leaf_id, position, beyond)
        values (p_policy.name, p_leaf_id, last, deleted = 0)
        on conflict (policy, leaf_id) do update set position = excluded.position, beyond = excluded.beyond;
    end if;
    return next;
end
$$;

revoke all on function queen.table_leaf_step_v1 from public;
grant execute on function queen.table_leaf_step_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_leaf_step_v1');

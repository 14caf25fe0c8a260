create or replace function queen.table_leaf_batch_v1(
    p_leaf     text,
    p_column   name,
    p_where    text,
    p_max_rows int,
    p_mode     text,
    p_archive  text default null,
    p_columns  name[] default null,
    p_path     text default null,
    p_by_place boolean default false)
    returns table (chosen bigint, deleted bigint, archived bigint, skipped bigint, last text, last_ctid text)
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
    set row_security = off
    set standard_conforming_strings = on
    set enable_seqscan = off
    set enable_bitmapscan = off
    set enable_sort = off
    set enable_indexscan = on
    set enable_tidscan = on
    set max_parallel_workers_per_gather = 0
    set jit = off
as $$
-- table_leaf_batch_v1(leaf, column, where, max_rows, mode, archive, columns, path, by_place)
--   -> (chosen, deleted, archived, skipped, last, last_ctid), one row
--
-- Purpose  Choose the oldest rows of one leaf, and delete them or move them into the archive.
-- Expects  From table_delete_step_v1 alone: leaf and archive as SQL spells them, where a condition on the rows of t that names
--          the leaf by its oid. mode: probe, only choose; delete, waiting for rows that somebody holds as long as lock_timeout
--          says; skip_locked; pass, delete nothing and call all that was chosen skipped. path: see table_path_v1; NULL: the
--          table has nothing that would look by it. by_place: of one time those of the lowest ctid first; all of that time are
--          read for it.
-- Ensures  A ctid means something in one leaf only, and for one moment: the delete names the leaf and asks the condition again.
--          chosen: at most max_rows. deleted may be fewer: a trigger kept the others, or a writer had just changed them.
--          skipped, in mode skip_locked: rows of the same range that are still there, at most max_rows. last: the time of the
--          last one chosen, as text that reads the same under any settings; last_ctid: its ctid. Neither of a probe.
-- Locks    The rows it chooses, as DELETE does.
-- Errors   42501 a privilege is missing, or a row policy would hide rows. 55P03 a row is held. TM010 the archive took fewer
--          rows than went.
declare
    v_ctids tid[];
    v_path  text := coalesce(p_path, 'pg_catalog, pg_temp');
    -- The statement opens the path itself, when it runs: what it says itself is bound by then, under the path of this function.
    -- Were it open before, a function of somebody's own that fits better than pg_catalog's would be called here, as whoever calls this.
    c_open  constant text := 'pg_catalog.set_config(''search_path'', $1, true) is not null';
begin
    execute pg_catalog.format(
        'select array(select t.ctid from only %1$s as t where (select %6$s) and %3$s order by t.%2$I%7$s limit %4$s%5$s)',
        p_leaf, p_column, p_where, p_max_rows, case p_mode when 'skip_locked' then ' for update skip locked' else '' end, c_open,
        case when p_by_place then ', t.ctid' else '' end)
      into v_ctids
     using v_path;
    perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    chosen := pg_catalog.cardinality(v_ctids)::bigint;
    deleted := 0::bigint;
    archived := 0::bigint;
    skipped := 0::bigint;
    if chosen > 0 and p_mode <> 'probe' then
        -- By ctid whatever the statistics say: of a constant array the planner would count the elements, and the condition, were it
        -- not asked IS TRUE, lets it walk the index up to the bound instead.
        execute pg_catalog.format('select pg_catalog.to_jsonb(t.%2$I) #>> ''{}'' from only %1$s as t where t.ctid = $1', p_leaf, p_column)
           into last
          using v_ctids[chosen];
        last_ctid := v_ctids[chosen]::text;
        if p_mode = 'pass' then
            skipped := chosen;
        elsif p_archive is null then
            execute pg_catalog.format('delete from only %1$s as t where t.ctid = any ((select $2 where %3$s)::tid[]) and (%2$s) is true',
                           p_leaf, p_where, c_open)
              using v_path, v_ctids;
            get diagnostics deleted = row_count;
            perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
        else
            execute pg_catalog.format(
                'with gone as (delete from only %1$s as t where t.ctid = any ((select $2 where %6$s)::tid[]) and (%2$s) is true returning %4$s),'
                ' moved as (insert into %3$s (%5$s) overriding system value select %5$s from gone returning 1)'
                ' select (select pg_catalog.count(*) from gone), (select pg_catalog.count(*) from moved)',
                p_leaf, p_where, p_archive,
                (select pg_catalog.string_agg(pg_catalog.format('t.%I', c), ', ') from pg_catalog.unnest(p_columns) c),
                (select pg_catalog.string_agg(pg_catalog.format('%I', c), ', ') from pg_catalog.unnest(p_columns) c), c_open)
               into deleted, archived
              using v_path, v_ctids;
            perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
            if archived <> deleted then
                raise exception 'table_leaf_batch_v1: % rows left %, but archive % took %', deleted, p_leaf, p_archive, archived
                    using errcode = 'TM010', hint = 'A trigger or a rule on the archive keeps rows from it.';
            end if;
        end if;
    end if;
    if p_mode = 'skip_locked' then
        execute pg_catalog.format(
            'select pg_catalog.count(*) from (select from only %1$s as t where (select %5$s) and %2$s%3$s limit %4$s) x',
            p_leaf, p_where, case when chosen = p_max_rows then
                pg_catalog.format(' and (t.%1$I < %2$L or t.%1$I = %2$L and t.ctid <= %3$L)', p_column, last, last_ctid) else '' end, p_max_rows, c_open)
          into skipped
         using v_path;
        perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    end if;
    return next;
end
$$;

revoke all on function queen.table_leaf_batch_v1 from public;
grant execute on function queen.table_leaf_batch_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_leaf_batch_v1');

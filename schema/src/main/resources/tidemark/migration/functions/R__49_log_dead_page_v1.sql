create or replace function queen.log_dead_page_v1(
    p_cutoff   timestamptz,
    p_after_at timestamptz,
    p_after_id uuid,
    p_max_rows int,
    p_max_read int)
    returns table (ids uuid[], last_at timestamptz, last_id uuid)
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set enable_bitmapscan = off
    set enable_hashjoin = off
    set enable_mergejoin = off
    set jit = off
as $$
-- log_dead_page_v1(cutoff, after_at, after_id, max_rows, max_read) -> (ids, last_at, last_id), one row
--
-- Purpose  The next candidates of the cleanup, the longest silent first, and how far the look went.
-- Expects  cutoff as log_dead_partitions_v1. after_at and after_id: last_at and last_id of the page before, or both NULL. max_rows >= 1
--          dead partitions at most, out of the next max_read >= 1 empty ones that are silent, whatever keeps them; NULL: out of all.
-- Ensures  ids is empty where none of them is dead. Everything up to (last_at, last_id) was looked at, and after_at, after_id is before
--          it; NULL: it was the last page. One index range; the vetoes of a partition are probed when its turn comes.
-- Locks    None.
-- Errors   None; log_partition_cleanup_step_v1 checks.
declare
    c_no_id  constant uuid := '00000000-0000-0000-0000-000000000000'::uuid;
    c_max_id constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid;
    v_times  timestamptz[];
begin
    -- Limits are literals: bound as a parameter, the planner would guess a tenth of the table and leave the index.
    if p_max_read is not null then
        execute format($query$
            select p.last_write_at, p.id
              from queen.log_partitions p
             where p.oldest_live_at is null
               and p.last_write_at < $1
               and (p.last_write_at, p.id) > ($2, $3)
             order by p.last_write_at, p.id
            offset %s
             limit 1
            $query$, p_max_read - 1)
           into last_at, last_id
          using p_cutoff, coalesce(p_after_at, '-infinity'), coalesce(p_after_id, c_no_id);
    end if;

    -- No hash or merge join: either reads a whole veto table (dead letters are never purged) and gives up the index order, so
    -- that a batch of ten costs as much as every candidate. Nested probes stop with the batch.
    execute format($query$
        select coalesce(array_agg(c.id), '{}'), array_agg(c.last_write_at)
          from (select d.id, d.last_write_at
                  from queen.log_dead_partitions_v1(p_cutoff => $1) d
                 where (d.last_write_at, d.id) > ($2, $3)
                   and (d.last_write_at, d.id) <= ($4, $5)
                 order by d.last_write_at, d.id
                 limit %s) c
        $query$, p_max_rows)
       into ids, v_times
      using p_cutoff, coalesce(p_after_at, '-infinity'), coalesce(p_after_id, c_no_id),
            coalesce(last_at, 'infinity'), coalesce(last_id, c_max_id);

    -- Full before the end of the range: what lies behind the last one was not looked at.
    if cardinality(ids) = p_max_rows then
        last_at := v_times[p_max_rows];
        last_id := ids[p_max_rows];
    end if;
    return next;
end
$$;

revoke all on function queen.log_dead_page_v1 from public;
grant execute on function queen.log_dead_page_v1 to queen_retention;
call queen.publish_contract_v1('queen.log_dead_page_v1');

create or replace function queen.log_work_list_v1(p_due_cap int, p_total_cap int)
    returns table (
        phase            int,
        queue_id         uuid,
        queue_name       text,
        partition_id     uuid,
        watermark        timestamptz,
        can_go           boolean,
        all_cutoff       timestamptz,
        completed_cutoff timestamptz,
        txns_cutoff      timestamptz,
        max_wait_cutoff  timestamptz,
        listed_at        timestamptz)
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set enable_bitmapscan = off
    set jit = off
as $$
-- log_work_list_v1(due_cap, total_cap) -> (phase, queue, partition, watermark, can_go, cutoffs, listed_at)
--
-- Purpose  One cycle's plan from one statement and one now(): a rule row a queue (phase 0, no partition), and the due partitions of
--          phase 1 (rules 1 and 2), 2 (sidecar) and 3 (max wait), by the indexed watermarks.
-- Expects  due_cap >= 1: partitions a queue and phase. total_cap >= 1: partitions a phase over all queues, oldest first.
-- Ensures  A due row has watermark < the phase's cutoff of its queue, oldest first within its phase. can_go is false where rule 1
--          cannot touch the head segment and rule 2 is held by a cursor: a visit would find nothing. Cutoffs are on the rule rows.
--          One index range a queue and phase; a queue whose cutoff is NULL has no due row.
-- Locks    None.
-- Errors   22023 a cap is NULL or below 1.
begin
    if (p_due_cap >= 1 and p_total_cap >= 1) is not true then
        raise exception 'log_work_list_v1: p_due_cap and p_total_cap must be at least 1, not % and %',
            coalesce(p_due_cap::text, 'null'), coalesce(p_total_cap::text, 'null')
            using errcode = '22023';
    end if;

    -- The caps are literals: a bound LIMIT makes the planner assume a tenth of the index and leave it.
    return query execute format($query$
        with rules as materialized (select r.* from queen.log_rules_v1() r)
        select 0, r.queue_id, r.queue_name, null::uuid, null::timestamptz, null::boolean,
               r.all_cutoff, r.completed_cutoff, r.txns_cutoff, r.max_wait_cutoff, now()
          from rules r
        union all
        (select 1, r.queue_id, r.queue_name, d.id, d.oldest_live_at,
                case when d.oldest_live_at < r.all_cutoff then true else queen.log_head_can_go_v1(d.id, d.log_start) end,
                null, null, null, null, now()
           from rules r
          cross join lateral (
                select p.id, p.oldest_live_at, p.log_start
                  from queen.log_partitions p
                 where p.queue_id = r.queue_id and p.oldest_live_at < greatest(r.all_cutoff, r.completed_cutoff)
                 order by p.oldest_live_at, p.id
                 limit %1$s) d
          order by d.oldest_live_at, d.id
          limit %2$s)
        union all
        (select 2, r.queue_id, r.queue_name, d.id, d.oldest_txn_at, true, null, null, null, null, now()
           from rules r
          cross join lateral (
                select p.id, p.oldest_txn_at
                  from queen.log_partitions p
                 where p.queue_id = r.queue_id and p.oldest_txn_at < r.txns_cutoff
                 order by p.oldest_txn_at, p.id
                 limit %1$s) d
          order by d.oldest_txn_at, d.id
          limit %2$s)
        union all
        (select 3, r.queue_id, r.queue_name, d.id, d.oldest_live_at, true, null, null, null, null, now()
           from rules r
          cross join lateral (
                select p.id, p.oldest_live_at
                  from queen.log_partitions p
                 where p.queue_id = r.queue_id and p.oldest_live_at < r.max_wait_cutoff
                 order by p.oldest_live_at, p.id
                 limit %1$s) d
          order by d.oldest_live_at, d.id
          limit %2$s)
        $query$, p_due_cap, p_total_cap);
end
$$;

revoke all on function queen.log_work_list_v1 from public;
grant execute on function queen.log_work_list_v1 to queen_retention;
call queen.publish_contract_v1('queen.log_work_list_v1');

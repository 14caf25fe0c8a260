create or replace function queen.log_work_list_v1(
    p_due_cap       int,
    p_total_cap     int,
    p_resume_queues uuid[] default '{}',
    p_resume_at     timestamptz[] default '{}',
    p_resume_ids    uuid[] default '{}')
    returns table (
        phase            int,
        by_consumption   boolean,
        queue_id         uuid,
        queue_name       text,
        partition_id     uuid,
        watermark        timestamptz,
        all_cutoff       timestamptz,
        completed_cutoff timestamptz,
        txns_cutoff      timestamptz,
        max_wait_cutoff  timestamptz,
        listed_at        timestamptz)
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set enable_bitmapscan = off
    set jit = off
as $$
-- log_work_list_v1(due_cap, total_cap, resume_queues, resume_at, resume_ids)
--     -> (phase, by_consumption, queue, partition, watermark, cutoffs, listed_at)
--
-- Purpose  One cycle's plan from one statement and one now(): a rule row a queue (phase 0, no partition), and the oldest due
--          partitions of four lanes, by the indexed watermarks. log_due_page_v1 reads on from there.
-- Expects  due_cap >= 1: partitions a queue and lane. total_cap >= 1: partitions a lane over all queues, oldest first.
--          Three arrays of one length without NULL: a queue, and the watermark and id it was read up to by consumption.
-- Ensures  Phase 1 is two lanes: past the age cutoff, where a step always finds something, and by_consumption, past the completed
--          cutoff alone, where log_heads_can_go_v1 tells; that lane goes on strictly after its queue's resume position. Phase 2 is
--          the sidecar, phase 3 max wait. A due row has watermark < the cutoff, oldest first within its lane. Cutoffs are on the
--          rule rows. One index range a queue and lane; a queue whose cutoff is NULL has no due row.
-- Locks    None.
-- Errors   22023 a cap is NULL or below 1, the arrays differ in length or hold a NULL.
begin
    if (p_due_cap >= 1 and p_total_cap >= 1) is not true then
        raise exception 'log_work_list_v1: p_due_cap and p_total_cap must be at least 1, not % and %',
            coalesce(p_due_cap::text, 'null'), coalesce(p_total_cap::text, 'null')
            using errcode = '22023';
    end if;
    if (cardinality(p_resume_queues) = cardinality(p_resume_at) and cardinality(p_resume_queues) = cardinality(p_resume_ids)
        and array_position(p_resume_queues, null) is null and array_position(p_resume_at, null) is null
        and array_position(p_resume_ids, null) is null) is not true then
        raise exception 'log_work_list_v1: p_resume_queues, p_resume_at and p_resume_ids must have one length and hold no null'
            using errcode = '22023';
    end if;

    -- The caps are literals: a bound LIMIT makes the planner assume a tenth of the index and leave it.
    return query execute format($query$
        with rules as materialized (
             select r.*,
                    -- By consumption, after this pair: where rule 1 ends (no partition has the nil id), or where the scan stood.
                    case when n.at >= f.at then n.at else f.at end as consumed_at,
                    case when n.at >= f.at then n.id else '00000000-0000-0000-0000-000000000000' end as consumed_id
               from queen.log_rules_v1() r
              cross join lateral (select coalesce(r.all_cutoff, '-infinity') as at) f
               left join unnest($1, $2, $3) n(queue_id, at, id) on n.queue_id = r.queue_id)
        select 0, false, r.queue_id, r.queue_name, null::uuid, null::timestamptz,
               r.all_cutoff, r.completed_cutoff, r.txns_cutoff, r.max_wait_cutoff, now()
          from rules r
        union all
        (select 1, false, r.queue_id, r.queue_name, d.id, d.oldest_live_at, null, null, null, null, now()
           from rules r
          cross join lateral (
                select p.id, p.oldest_live_at
                  from queen.log_partitions p
                 where p.queue_id = r.queue_id and p.oldest_live_at < r.all_cutoff
                 order by p.oldest_live_at, p.id
                 limit %1$s) d
          order by d.oldest_live_at, d.id
          limit %2$s)
        union all
        (select 1, true, r.queue_id, r.queue_name, d.id, d.oldest_live_at, null, null, null, null, now()
           from rules r
          cross join lateral (
                select p.id, p.oldest_live_at
                  from queen.log_partitions p
                 where p.queue_id = r.queue_id
                   and (p.oldest_live_at, p.id) > (r.consumed_at, r.consumed_id)
                   and p.oldest_live_at < r.completed_cutoff
                 order by p.oldest_live_at, p.id
                 limit %1$s) d
          order by d.oldest_live_at, d.id
          limit %2$s)
        union all
        (select 2, false, r.queue_id, r.queue_name, d.id, d.oldest_txn_at, null, null, null, null, now()
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
        (select 3, false, r.queue_id, r.queue_name, d.id, d.oldest_live_at, null, null, null, null, now()
           from rules r
          cross join lateral (
                select p.id, p.oldest_live_at
                  from queen.log_partitions p
                 where p.queue_id = r.queue_id and p.oldest_live_at < r.max_wait_cutoff
                 order by p.oldest_live_at, p.id
                 limit %1$s) d
          order by d.oldest_live_at, d.id
          limit %2$s)
        $query$, p_due_cap, p_total_cap)
        using p_resume_queues, p_resume_at, p_resume_ids;
end
$$;

revoke all on function queen.log_work_list_v1 from public;
grant execute on function queen.log_work_list_v1 to queen_retention;
call queen.publish_contract_v1('queen.log_work_list_v1');

create or replace function queen.retention_pins_v1(p_queue text, p_max_partitions int)
    returns table (
        queue_name      text,
        consumer_group  text,
        partitions      bigint,
        alone           bigint,
        messages_behind numeric,
        oldest_live_at  timestamptz,
        capped          boolean)
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set enable_bitmapscan = off
    set enable_hashjoin = off
    set enable_mergejoin = off
    set jit = off
as $$
-- retention_pins_v1(queue, max_partitions) -> (queue, group, partitions, alone, messages_behind, oldest_live_at, capped), most first
--
-- Purpose  Say which consumer group holds back what rule 2 would delete by now, and how much.
-- Expects  A queue name, or NULL for all. max_partitions >= 1: partitions looked at in a queue, the oldest first.
-- Ensures  A group pins a partition whose head segment is past rule 2's window, is not taken by age or max wait, and is not wholly
--          committed by the group. alone: of those, the partitions that no other group pins. messages_behind: live messages in
--          them that the group has not committed, exact, the fresh ones too. A NULL group: the partitions that hold such a
--          segment and have no cursor at all. oldest_live_at: of the oldest. capped: max_partitions were looked at in this
--          queue, so there may be more. A queue without rule 2 has no row.
--          One index range a queue, and a partition two probes: its head segment and its cursors.
-- Locks    None.
-- Errors   22023 bad max_partitions.
begin
    if (p_max_partitions >= 1) is not true then
        raise exception 'retention_pins_v1: p_max_partitions must be at least 1, not %', coalesce(p_max_partitions::text, 'null')
            using errcode = '22023';
    end if;
    -- The cap is a literal: a bound LIMIT makes the planner assume a tenth of the index and leave it. No hash or merge join: either
    -- reads every cursor there is, however few partitions are looked at.
    return query execute format($query$
        with rules as materialized (
            select r.* from queen.log_rules_v1() r where r.completed_cutoff is not null and ($1 is null or r.queue_name = $1)),
        old as materialized (
            select r.queue_name, d.*, count(*) over (partition by r.queue_id) = %1$s as capped
              from rules r
             cross join lateral (
                   select p.id, p.log_start, p.last_offset, p.oldest_live_at
                     from queen.log_partitions p
                    where p.queue_id = r.queue_id
                      and p.oldest_live_at < r.completed_cutoff
                      and p.oldest_live_at >= coalesce(greatest(r.all_cutoff, r.max_wait_cutoff), '-infinity')
                    order by p.oldest_live_at, p.id
                    limit %1$s) d),
        pins as (
            select o.*, c.consumer_group,
                   o.last_offset::numeric - greatest(c.committed, o.log_start - 1) as behind,
                   count(*) over (partition by o.id) as groups
              from old o
             cross join lateral (
                   select s.end_offset
                     from queen.log_segments s
                    where s.partition_id = o.id and s.base_offset >= o.log_start
                    order by s.base_offset
                    limit 1) head
              left join queen.log_consumers c on c.partition_id = o.id
             -- No cursor: nothing is consumed, and nobody in particular holds it.
             where c.partition_id is null or c.committed < head.end_offset)
        select p.queue_name, p.consumer_group, count(*), count(*) filter (where p.groups = 1), sum(p.behind), min(p.oldest_live_at),
               p.capped
          from pins p
         group by p.queue_name, p.consumer_group, p.capped
         order by 1, 3 desc, 5 desc, 2
        $query$, p_max_partitions)
      using p_queue;
end
$$;

revoke all on function queen.retention_pins_v1 from public;
grant execute on function queen.retention_pins_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.retention_pins_v1');

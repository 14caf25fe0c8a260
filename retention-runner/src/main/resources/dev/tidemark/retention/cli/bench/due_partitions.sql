-- bench.due_partitions() -> ids
--
-- Purpose  The partitions with something older than the day that load_log's queues keep, oldest first: the baseline's
--          visits, listed before its time begins.
create or replace function bench.due_partitions()
    returns setof uuid
    language sql
as $$
select p.id from queen.log_partitions p where p.oldest_live_at < now() - interval '1 day' order by p.oldest_live_at, p.id
$$;

-- bench.table_sizes() -> name, bytes
--
-- Purpose  What the log's tables take on disk, with their indexes and TOAST, and how many segments are live.
create or replace function bench.table_sizes()
    returns table (name text, bytes bigint)
    language sql
as $$
select c.relname::text, pg_total_relation_size(c.oid)
  from pg_class c
 where c.relnamespace = 'queen'::regnamespace
   and c.relname in ('log_partitions', 'log_segments', 'log_txns', 'retention_history')
 order by c.relname
$$;

-- bench.load_log(queues, partitions, due, segments, blob_bytes, sidecar) -> rows
--
-- Purpose  Replace everything in the log by a made-up one: `partitions` partitions over `queues` queues that keep all a day,
--          each with `segments` segments of one message; `due` of them, spread evenly, are two days old and the others
--          an hour. With `sidecar`, those that are not due also have their hashes, which are as young.
-- Expects  due <= partitions. A superuser: foreign keys are not checked, one by one, on rows that are right by construction.
-- Ensures  What log_invariants_v1 checks. The ids depend only on the numbers, so two loads are the same.
-- Locks    Everything.
create or replace function bench.load_log(
    p_queues     int,
    p_partitions int,
    p_due        int,
    p_segments   int,
    p_blob_bytes int,
    p_sidecar    boolean)
    returns bigint
    language plpgsql
    set session_replication_role = replica
as $$
declare
    v_blob bytea := convert_to(repeat('x', p_blob_bytes), 'UTF8');
    v_rows bigint;
begin
    truncate queen.queues, queen.log_partitions, queen.log_segments, queen.log_txns, queen.log_consumers, queen.retention_history
             restart identity cascade;

    insert into queen.queues (id, name, retention_enabled, retention_seconds, dedup_window_seconds)
    select md5('q' || q)::uuid, 'q' || q, true, 86400, 86400 from generate_series(1, p_queues) q;

    insert into queen.log_partitions (id, queue_id, name, last_offset, log_start, txns_start,
           oldest_live_at, oldest_txn_at, last_created_at)
    select md5('p' || p.n)::uuid, md5('q' || 1 + p.n % p_queues)::uuid, 'p' || p.n, p_segments - 1, 0,
           case when p.sidecar then 0 else p_segments end,
           p.first_at, case when p.sidecar then p.first_at end, p.first_at + (p_segments - 1) * interval '1 microsecond'
      from bench.made_up_partitions(p_partitions => p_partitions, p_due => p_due, p_sidecar => p_sidecar) p;

    insert into queen.log_segments (partition_id, base_offset, end_offset, created_at, blob)
    select p.id, s.o, s.o, p.oldest_live_at + s.o * interval '1 microsecond', v_blob
      from queen.log_partitions p cross join generate_series(0, p_segments - 1) s(o);
    get diagnostics v_rows = row_count;

    insert into queen.log_txns (partition_id, base_offset, end_offset, created_at, hashes)
    select p.id, s.o, s.o, p.oldest_txn_at + s.o * interval '1 microsecond', decode(md5(p.name || s.o), 'hex')
      from queen.log_partitions p cross join generate_series(0, p_segments - 1) s(o)
     where p.oldest_txn_at is not null;
    return v_rows;
end
$$;

create or replace function bench.made_up_partitions(p_partitions int, p_due int, p_sidecar boolean)
    returns table (n int, sidecar boolean, first_at timestamptz)
    language sql
as $$
select p.n, p_sidecar and not p.due, now() - case when p.due then interval '2 days' else interval '1 hour' end
  from (select g.n, g.n::bigint * p_due / p_partitions <> (g.n - 1)::bigint * p_due / p_partitions as due
          from generate_series(1, p_partitions) g(n)) p
$$;

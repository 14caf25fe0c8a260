-- bench.load_soak(partitions, keep_seconds, pushes_a_second) -> rows
--
-- Purpose  A log in its steady state: nothing live, and a sidecar as it is after 900 s of pushes at this rate, since that
--          is the shortest time sidecar rows are kept. Without it the sidecar would only grow for the whole soak.
-- Expects  A superuser, as load_log does.
-- Ensures  What log_invariants_v1 checks. keep_seconds is the queue's window.
create or replace function bench.load_soak(p_partitions int, p_keep_seconds int, p_pushes_a_second int)
    returns bigint
    language plpgsql
    set session_replication_role = replica
as $$
declare
    v_each int := greatest(1, 900 * p_pushes_a_second / p_partitions);
    v_rows bigint;
begin
    truncate queen.queues, queen.log_partitions, queen.log_segments, queen.log_txns, queen.log_consumers, queen.retention_history
             restart identity cascade;

    insert into queen.queues (id, name, retention_enabled, retention_seconds, dedup_window_seconds)
    values (md5('q1')::uuid, 'q1', true, p_keep_seconds, 900);

    insert into queen.log_partitions (id, queue_id, name, last_offset, log_start, txns_start, oldest_txn_at, last_created_at)
    select md5('p' || g.n)::uuid, md5('q1')::uuid, 'p' || g.n, v_each - 1, v_each, 0,
           now() - interval '900 seconds', now() - interval '900 seconds' / v_each
      from generate_series(1, p_partitions) g(n);

    insert into queen.log_txns (partition_id, base_offset, end_offset, created_at, hashes)
    select p.id, s.o, s.o, now() - interval '900 seconds' + s.o * (interval '900 seconds' / v_each), decode(md5(p.name || s.o), 'hex')
      from queen.log_partitions p cross join generate_series(0, v_each - 1) s(o);
    get diagnostics v_rows = row_count;
    return v_rows;
end
$$;

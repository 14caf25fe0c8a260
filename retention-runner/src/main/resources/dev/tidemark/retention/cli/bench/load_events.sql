-- bench.load_events(due, kept, keep_seconds) -> rows
--
-- Purpose  Replace bench.events by a made-up one, a row a millisecond, each of about 230 bytes: `due` rows older than keep_seconds
--          by a day and more, then `kept` rows up to now. The table is as people have them: a key, a time with an index, a payload.
-- Expects  kept rows fit into keep_seconds.
-- Ensures  One policy, events, with the default batch; no history of any table, and no position. Two loads lie on the disk alike.
-- Locks    Everything.
create or replace function bench.load_events(p_due int, p_kept int, p_keep_seconds int)
    returns bigint
    language plpgsql
as $$
declare
    v_keep interval := make_interval(secs => p_keep_seconds);
    v_rows bigint;
begin
    create table if not exists bench.events (
        id         bigint generated always as identity primary key,
        created_at timestamptz not null default now(),
        kind       text not null,
        payload    text not null
    );
    create index if not exists events_created_at on bench.events (created_at);
    truncate bench.events, queen.table_history, queen.table_runs, queen.table_positions restart identity;

    insert into bench.events (created_at, kind, payload)
    select e.created_at, 'order.changed', rpad(md5(e.n::text), 160, md5((-e.n)::text))
      from (select g.n, now() - case when g.n <= p_due then v_keep + interval '1 day' + (p_due - g.n) * interval '1 millisecond'
                                     else (p_due + p_kept - g.n) * interval '1 millisecond' end as created_at
              from generate_series(1, p_due + p_kept) g(n)) e
     order by e.n;
    get diagnostics v_rows = row_count;
    perform queen.table_policy_set_v1(
        p_relation => 'bench.events', p_column => 'created_at', p_keep => p_keep_seconds || ' seconds', p_name => 'events');
    return v_rows;
end
$$;

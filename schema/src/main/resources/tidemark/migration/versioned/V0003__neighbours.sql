-- What lives beside the log: subscriptions, and the tables that other reapers own.

create table queen.consumer_groups_metadata (
    queue_id       uuid not null references queen.queues (id) on delete cascade,
    consumer_group text not null,
    subscribed_at  timestamptz not null default now(),
    options        jsonb not null default '{}',
    primary key (queue_id, consumer_group)
);
comment on table queen.consumer_groups_metadata is 'A group''s durable subscription to a queue.';

create table queen.consumer_watermarks (
    queue_id       uuid not null references queen.queues (id) on delete cascade,
    consumer_group text not null,
    last_empty_at  timestamptz,
    updated_at     timestamptz not null default now(),
    primary key (queue_id, consumer_group)
);
comment on table queen.consumer_watermarks is 'A group''s position over a whole queue.';

create table queen.kv (
    key        text primary key,
    value      jsonb,
    expires_at timestamptz not null
);
comment on table queen.kv is 'Keys with an expiry of their own. Retention never reads or writes it.';

create table queen.log_timers (
    id           uuid primary key default gen_random_uuid(),
    partition_id uuid not null,
    fire_at      timestamptz not null,
    payload      bytea
);
create index log_timers_fire on queen.log_timers (fire_at);
comment on table queen.log_timers is 'Timers with a fire time of their own. Retention never reads or writes it.';

create schema if not exists queen_streams;
create table queen_streams.state (
    partition_id uuid not null,
    key          text not null,
    value        bytea,
    primary key (partition_id, key)
);
comment on table queen_streams.state is 'State of stream processors. No foreign key on purpose; a row vetoes the cleanup of its partition.';

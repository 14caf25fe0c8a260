-- What retention keeps about itself, and the samples its last phase trims.

-- No foreign key: the audit row outlives its partition. queue_id lets a deleted partition's rows answer a queue filter.
create table queen.retention_history (
    id               bigint generated always as identity primary key,
    partition_id     uuid not null,
    queue_id         uuid,
    messages_deleted bigint not null,
    segments_deleted bigint not null,
    retention_type   text not null,
    executed_at      timestamptz not null default now()
);
create index retention_history_executed on queen.retention_history (executed_at desc);
comment on table queen.retention_history is
    'One row a deleting step, committed with its delete. retention_type: retention, completed_retention, '
    'max_wait_time_eviction, or a __partition_event__.';

create table queen.maintenance_leases (
    task             text primary key check (task <> ''),
    period_ms        bigint not null check (period_ms > 0),
    next_due_at      timestamptz not null default now(),
    lease_until      timestamptz,
    holder           text,
    fence            bigint not null default 0,
    last_start_at    timestamptz,
    last_end_at      timestamptz,
    last_duration_ms bigint,
    runs             bigint not null default 0,
    enabled          boolean not null default true
);
comment on table queen.maintenance_leases is
    'The durable schedule: one row a task. Whoever claims the row runs the task; enabled = false pauses it on every replica.';

create table queen.worker_metrics (
    id         bigint generated always as identity primary key,
    worker_id  text not null,
    sampled_at timestamptz not null default now(),
    sample     jsonb not null default '{}'
);
create index worker_metrics_sampled on queen.worker_metrics (sampled_at);
comment on table queen.worker_metrics is 'Samples a worker took of itself.';

create table queen.queue_lag_metrics (
    id             bigint generated always as identity primary key,
    queue_id       uuid not null references queen.queues (id) on delete cascade,
    consumer_group text,
    lag            bigint,
    sampled_at     timestamptz not null default now()
);
create index queue_lag_metrics_sampled on queen.queue_lag_metrics (sampled_at);
create index queue_lag_metrics_queue on queen.queue_lag_metrics (queue_id);
comment on table queen.queue_lag_metrics is 'Samples of how far a group is behind.';

create table queen.system_metrics (
    id         bigint generated always as identity primary key,
    host       text,
    sampled_at timestamptz not null default now(),
    sample     jsonb not null default '{}'
);
create index system_metrics_sampled on queen.system_metrics (sampled_at);
comment on table queen.system_metrics is 'Samples of the host.';

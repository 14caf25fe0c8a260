-- The message log: queues, their partitions, append-only segments, the hash sidecar and the cursors.

create table queen.queues (
    id                          uuid primary key default gen_random_uuid(),
    name                        text not null unique check (name <> ''),
    namespace                   text,
    task                        text,
    retention_enabled           boolean not null default false,
    -- Windows are in seconds; 0 = the rule is off.
    retention_seconds           integer not null default 0 check (retention_seconds >= 0),
    completed_retention_seconds integer not null default 0 check (completed_retention_seconds >= 0),
    max_wait_time_seconds       integer not null default 0 check (max_wait_time_seconds >= 0),
    dedup_window_seconds        integer not null default 3600 check (dedup_window_seconds >= 0),
    lease_time                  integer not null default 300 check (lease_time >= 0),
    retry_limit                 integer not null default 3 check (retry_limit >= 0),
    created_at                  timestamptz not null default now()
);
comment on table queen.queues is 'One row a queue: its identity and its retention policy.';

-- One allocator UPDATE a push lands here: room on the page keeps it HOT, and vacuum has to be prompt and quiet.
-- vacuum_truncate stays off because the ACCESS EXCLUSIVE lock it takes would freeze every push.
create table queen.log_partitions (
    id              uuid primary key default gen_random_uuid(),
    queue_id        uuid not null references queen.queues (id) on delete cascade,
    name            text not null default 'Default' check (name <> ''),
    last_offset     bigint not null default -1 check (last_offset between -1 and 9223372036854775806),
    log_start       bigint not null default 0 check (log_start >= 0 and log_start - 1 <= last_offset),
    txns_start      bigint not null default 0 check (txns_start >= 0 and txns_start - 1 <= last_offset),
    oldest_live_at  timestamptz,
    oldest_txn_at   timestamptz,
    last_created_at timestamptz,
    last_write_at   timestamptz not null default now(),
    created_at      timestamptz not null default now(),
    unique (queue_id, name)
) with (
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_cost_delay = 0,
    vacuum_truncate = off
);
comment on table queen.log_partitions is 'One row a partition; its row lock orders pushes, steps and seeks.';
comment on column queen.log_partitions.last_offset is 'Highest offset ever allocated; -1 = none. Never moves back.';
comment on column queen.log_partitions.log_start is 'base_offset of the first live segment, last_offset + 1 when none is live. Never moves back.';
comment on column queen.log_partitions.txns_start is 'The same over log_txns.';
comment on column queen.log_partitions.oldest_live_at is 'created_at of the segment at log_start; NULL if and only if none is live.';
comment on column queen.log_partitions.oldest_txn_at is 'created_at of the sidecar row at txns_start; NULL if and only if there is none.';
comment on column queen.log_partitions.last_created_at is 'The last stamp given to a segment: the floor of the next one.';

create index log_partitions_queue_last_write on queen.log_partitions (queue_id, last_write_at);
-- What the due probes walk, oldest first. A partition that holds nothing is not in them.
create index log_partitions_due_live on queen.log_partitions (queue_id, oldest_live_at, id) where oldest_live_at is not null;
create index log_partitions_due_txns on queen.log_partitions (queue_id, oldest_txn_at, id) where oldest_txn_at is not null;
-- What the cleanup scan walks: empty partitions, longest silent first.
create index log_partitions_empty on queen.log_partitions (last_write_at) where oldest_live_at is null;

create table queen.log_segments (
    partition_id uuid not null references queen.log_partitions (id) on delete cascade,
    base_offset  bigint not null check (base_offset >= 0),
    end_offset   bigint not null check (end_offset >= base_offset),
    created_at   timestamptz not null,
    blob         bytea not null,
    primary key (partition_id, base_offset)
) with (
    autovacuum_vacuum_scale_factor = 0.1,
    autovacuum_vacuum_insert_scale_factor = 0.3,
    autovacuum_vacuum_cost_limit = 4000,
    autovacuum_vacuum_cost_delay = 0,
    toast.autovacuum_vacuum_scale_factor = 0.1,
    toast.autovacuum_vacuum_insert_scale_factor = 0.3,
    toast.autovacuum_vacuum_cost_limit = 4000,
    toast.autovacuum_vacuum_cost_delay = 0
);
-- Blobs arrive compressed; a second try at it would only burn the pusher's time.
alter table queen.log_segments alter column blob set storage external;
comment on table queen.log_segments is 'Append-only runs of messages [base_offset, end_offset]; blob is opaque to SQL. Deleted whole, never rewritten.';

create table queen.log_txns (
    partition_id uuid not null,
    base_offset  bigint not null check (base_offset >= 0),
    end_offset   bigint not null check (end_offset >= base_offset),
    created_at   timestamptz not null,
    hashes       bytea not null,
    primary key (partition_id, base_offset)
) with (
    autovacuum_vacuum_scale_factor = 0.1,
    autovacuum_vacuum_insert_scale_factor = 0.3,
    autovacuum_vacuum_cost_limit = 4000,
    autovacuum_vacuum_cost_delay = 0
);
alter table queen.log_txns alter column hashes set storage external;
comment on table queen.log_txns is
    'Hash sidecar, one row a segment, 16 bytes a message in frame order. No foreign key: a push must not pay a second check.';

create table queen.log_consumers (
    partition_id      uuid not null references queen.log_partitions (id) on delete cascade,
    consumer_group    text not null default '__QUEUE_MODE__' check (consumer_group <> ''),
    committed         bigint not null default -1 check (committed between -1 and 9223372036854775806),
    batch_end         bigint,
    worker_id         text,
    lease_expires_at  timestamptz,
    lease_acquired_at timestamptz,
    batch_retry_count integer not null default 0,
    total_consumed    bigint not null default 0,
    created_at        timestamptz not null default now(),
    primary key (partition_id, consumer_group)
) with (
    fillfactor = 50,
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_cost_delay = 0,
    vacuum_truncate = off
);
comment on table queen.log_consumers is 'One cursor a group and partition: committed is the last offset done; (committed, batch_end] is leased.';

create table queen.log_dlq (
    id             uuid primary key default gen_random_uuid(),
    partition_id   uuid not null,
    transaction_id text not null,
    message_offset bigint,
    consumer_group text,
    payload        bytea,
    error          text,
    created_at     timestamptz not null default now()
);
create index log_dlq_partition on queen.log_dlq (partition_id, transaction_id);
comment on table queen.log_dlq is 'Dead letters. No foreign key by design; retention never purges one.';

create table queen.message_traces (
    id             bigint generated always as identity primary key,
    partition_id   uuid not null,
    transaction_id text not null,
    event          text not null,
    data           jsonb,
    created_at     timestamptz not null default now()
);
create index message_traces_message on queen.message_traces (partition_id, transaction_id);
comment on table queen.message_traces is 'Diagnostic record of consumed messages. No foreign key by design: it outlives its partition.';

-- Event tables: the retention of ordinary tables that have a time column.

-- Relations are held by oid, name and database, not as regclass: a dump writes a dropped one as a bare number, and a restore
-- would point that at a stranger. table_resolve_v1 says which of the two decides.
create table queen.table_policies (
    name              text primary key check (name <> '' and octet_length(name) <= 1024),
    home              text not null,
    relation_id       oid not null,
    relation_schema   name not null,
    relation_name     name not null,
    column_id         smallint not null,
    column_name       name not null,
    kind              text not null
        check (kind in ('timestamptz', 'timestamp', 'date', 'epoch_s', 'epoch_ms', 'epoch_us', 'epoch_ns', 'uuidv7')),
    zone              text check ((zone is not null) = (kind in ('timestamp', 'date'))),
    keep              interval not null,
    strategy          text not null default 'delete' check (strategy in ('delete')),
    batch             int not null check (batch between 1 and 100000),
    predicate         text,
    predicate_columns jsonb not null default '{}',
    archive_id        oid,
    archive_schema    name,
    archive_name      name,
    enabled           boolean not null default true,
    lost              boolean not null default false,
    created_at        timestamptz not null default now(),
    updated_at        timestamptz not null default now(),
    check ((archive_id is null) = (archive_schema is null) and (archive_id is null) = (archive_name is null))
);
comment on table queen.table_policies is
    'One row a policy: which rows of an ordinary table go, and when. Written by table_policy_set_v1 alone, which checks it.';
comment on column queen.table_policies.home is
    'The database in which the oids mean something, see table_home_v1. In a restore of it the names decide.';
comment on column queen.table_policies.predicate is 'What a row has to be besides old, as the server spells it. NULL: nothing.';
comment on column queen.table_policies.predicate_columns is
    'The columns it reads, {"attnum": "name"}: under another name the text would mean another column.';

comment on column queen.table_policies.lost is
    'Its table, or a column, or the archive was gone in the database it was set in: no name decides anywhere, until it is set again.';

-- A restart of a batch from where the last one ended. It may be lost, or wrong: the end of a table is asked of the table.
create table queen.table_positions (
    policy    text not null references queen.table_policies (name) on delete cascade on update cascade,
    leaf_id   oid not null,
    position  text,
    after     text,
    until     text,
    stuck_for timestamptz,
    primary key (policy, leaf_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);
comment on table queen.table_positions is
    'Where the next batch of a leaf begins: at the time of the last row that a batch chose, so that no batch reads the dead rows of '
    'those before it. NULL: at its beginning.';
comment on column queen.table_positions.after is
    'Of that time only what has a ctid above this one, and below until: since nothing of a batch went, rows are passed by place.';
comment on column queen.table_positions.stuck_for is 'The cutoff of the run that has found that nothing of the leaf goes, while it lasts.';

create table queen.table_runs (
    policy          text primary key references queen.table_policies (name) on delete cascade on update cascade,
    leaf_id         oid,
    runs            bigint not null default 0,
    last_start_at   timestamptz,
    last_end_at     timestamptz,
    last_success_at timestamptz,
    last_done_at    timestamptz,
    last_stopped    text,
    last_error_at   timestamptz,
    last_sqlstate   text,
    last_error      text
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);
comment on table queen.table_runs is
    'How the last run of a policy ended, and at which leaf the next step begins. An error stays until another takes its place: '
    'it is over when last_success_at is later.';

-- No foreign key: the audit row outlives its policy and its table.
create table queen.table_history (
    id            bigint generated always as identity primary key,
    policy        text not null,
    relation      text not null,
    leaf          text not null,
    rows_deleted  bigint not null,
    rows_archived bigint not null,
    rows_skipped  bigint not null,
    cutoff        timestamptz not null,
    held_ms       numeric not null,
    executed_at   timestamptz not null default now()
) with (
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_insert_scale_factor = 0.2,
    autovacuum_vacuum_cost_limit = 4000,
    autovacuum_vacuum_cost_delay = 0
);
comment on table queen.table_history is
    'One row a step that deleted something, committed with its delete. held_ms: how long the step worked on the table.';
create index table_history_executed on queen.table_history (executed_at desc);
create index table_history_policy on queen.table_history (policy, executed_at desc);

grant select, insert, update, delete on queen.table_policies, queen.table_positions, queen.table_runs to queen_retention;
grant select, insert, delete on queen.table_history to queen_retention;
grant select on queen.table_policies, queen.table_positions, queen.table_runs, queen.table_history to queen_reader;

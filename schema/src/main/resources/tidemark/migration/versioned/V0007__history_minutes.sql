-- History that stays small: rows older than a day become minute totals (log_history_roll_up_step_v1).

-- The key is led by minute: the same index serves the time series, the purge, and the roll-up's upsert, which works at its
-- right end. Totals are numeric, since two bigints of history may not fit into a third.
create table queen.retention_history_minutes (
    id               bigint generated always as identity primary key,
    queue_id         uuid,
    minute           timestamptz not null
        check (minute = date_bin(interval '1 minute', minute, timestamptz '1970-01-01 00:00:00+00')),
    retention_type   text not null check (retention_type not like '!_!_%!_!_' escape '!'),
    messages_deleted numeric not null,
    segments_deleted numeric not null,
    steps            bigint not null,
    -- A minute is written once a batch while its rows are rolled up, then never again: room to keep that HOT.
    constraint retention_history_minutes_key unique nulls not distinct (minute, queue_id, retention_type)
) with (
    fillfactor = 80,
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_insert_scale_factor = 0.2,
    autovacuum_vacuum_cost_limit = 4000,
    autovacuum_vacuum_cost_delay = 0
);
comment on table queen.retention_history_minutes is
    'Totals of the retention_history rows that were rolled up: one row a minute, queue and rule. A row of history is in one '
    'of the two tables. Partition events are not rolled up.';
comment on column queen.retention_history_minutes.minute is 'Where the minute begins, in UTC.';
comment on column queen.retention_history_minutes.steps is 'How many rows of history it stands for.';

-- What the roll-up walks, oldest first. Partition events (__x__) stay whole: outside this index no batch reads them again.
-- Its predicate is that of log_history_roll_up_step_v1, to the letter.
create index retention_history_steps on queen.retention_history (executed_at)
    where retention_type not like '!_!_%!_!_' escape '!';

-- It gets, and loses, tens of millions of rows a day. vacuum_truncate is off because a step that writes its row would wait
-- for that ACCESS EXCLUSIVE lock with its partition in hand, and every push behind it.
alter table queen.retention_history set (
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_threshold = 10000,
    autovacuum_vacuum_insert_scale_factor = 0.2,
    autovacuum_vacuum_cost_limit = 4000,
    autovacuum_vacuum_cost_delay = 0,
    vacuum_truncate = off
);
comment on table queen.retention_history is
    'One row a deleting step, committed with its delete. retention_type: retention, completed_retention, '
    'max_wait_time_eviction, or a __partition_event__. Steps older than a day are rolled up into retention_history_minutes.';

grant select, insert, delete on queen.retention_history_minutes to queen_retention;
grant update (messages_deleted, segments_deleted, steps) on queen.retention_history_minutes to queen_retention;
-- The roll-up passes rows that somebody holds, and a row lock asks for UPDATE on some column. An identity column takes no
-- value but its own next one, so nothing of the audit can be rewritten by it.
grant update (id) on queen.retention_history to queen_retention;
grant select on queen.retention_history_minutes to queen_reader;

create or replace function queen.queue_option_defaults_v1()
    returns jsonb
    language sql
    immutable
    set search_path = pg_catalog, pg_temp
as $$
-- queue_option_defaults_v1() -> {every queue option: its default}
--
-- Purpose  The option keys and the value applied where one is omitted on a create or set to null.
-- Ensures  The JSON type of a default is the type of its option; null stands for an optional text. Equal to the column defaults.
-- Locks    None.
-- Errors   None.
select jsonb_build_object(
    'namespace', null,
    'task', null,
    'retentionEnabled', false,
    'retentionSeconds', 0,
    'completedRetentionSeconds', 0,
    'maxWaitTimeSeconds', 0,
    'dedupWindowSeconds', 3600,
    'leaseTime', 300,
    'retryLimit', 3)
$$;

revoke all on function queen.queue_option_defaults_v1 from public;
grant execute on function queen.queue_option_defaults_v1 to queen_broker, queen_reader;
call queen.publish_contract_v1('queen.queue_option_defaults_v1');

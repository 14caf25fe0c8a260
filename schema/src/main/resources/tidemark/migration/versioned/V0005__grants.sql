-- Table privileges. Functions run with their caller's rights, so each role holds exactly what its functions touch.
-- (A grant on a function stands in that function's file.)

grant usage on schema queen_streams to queen_broker, queen_retention, queen_reader;

-- The broker: push, pop, ack, configure, delete a queue.
grant select, insert, update, delete on queen.queues to queen_broker;
grant select, insert on queen.log_partitions to queen_broker;
grant update (last_offset, oldest_live_at, oldest_txn_at, last_created_at, last_write_at) on queen.log_partitions to queen_broker;
grant select, insert on queen.log_segments to queen_broker;
grant select, insert, delete on queen.log_txns to queen_broker;
grant select, insert, update, delete on queen.log_consumers to queen_broker;
grant select, insert, delete on queen.log_dlq to queen_broker;
grant select, insert on queen.message_traces to queen_broker;
grant select, insert, update, delete on queen.consumer_groups_metadata, queen.consumer_watermarks to queen_broker;
grant select, insert, update, delete on queen.kv, queen.log_timers, queen_streams.state to queen_broker;
grant select, insert on queen.worker_metrics, queen.queue_lag_metrics, queen.system_metrics to queen_broker;

-- Retention: chooses by metadata and deletes; it cannot read what a message says.
grant select on queen.queues to queen_retention;
grant select, delete on queen.log_partitions to queen_retention;
grant update (log_start, txns_start, oldest_live_at, oldest_txn_at) on queen.log_partitions to queen_retention;
grant select (partition_id, base_offset, end_offset, created_at), delete on queen.log_segments to queen_retention;
grant select (partition_id, base_offset, end_offset, created_at), delete on queen.log_txns to queen_retention;
grant select, delete on queen.log_consumers to queen_retention;
-- A row lock asks for UPDATE on some column; the cleanup locks cursors and changes none.
grant update (total_consumed) on queen.log_consumers to queen_retention;
grant select (id, partition_id) on queen.log_dlq to queen_retention;
grant select (partition_id) on queen_streams.state to queen_retention;
grant select, insert, delete on queen.retention_history to queen_retention;
grant select, insert, update on queen.maintenance_leases to queen_retention;
grant select (id, sampled_at), delete on queen.worker_metrics, queen.queue_lag_metrics, queen.system_metrics to queen_retention;

-- The reader: status, history, explain; metadata only.
grant select on queen.queues, queen.log_partitions, queen.log_consumers, queen.retention_history, queen.maintenance_leases,
    queen.consumer_groups_metadata, queen.consumer_watermarks, queen.worker_metrics, queen.queue_lag_metrics, queen.system_metrics
    to queen_reader;
grant select (partition_id, base_offset, end_offset, created_at) on queen.log_segments, queen.log_txns to queen_reader;
grant select (id, partition_id, transaction_id, message_offset, consumer_group, created_at) on queen.log_dlq to queen_reader;
grant select (id, partition_id, transaction_id, event, created_at) on queen.message_traces to queen_reader;
grant select (partition_id, key) on queen_streams.state to queen_reader;

-- Every start reads the deployed version. The table is Flyway's; a hand-run deployment may have none.
do $$
begin
    if to_regclass('queen.tidemark_schema_history') is not null then
        grant select on queen.tidemark_schema_history to queen_broker, queen_retention, queen_reader;
    end if;
end
$$;

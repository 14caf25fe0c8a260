package dev.tidemark.retention.it.laws;

import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Contents;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Duration;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An argument that a function cannot take is refused with an SQLSTATE and its name, and nothing
 * changed. A bound that is missing never means all.
 */
public class RefusalLaws {
  /**
   * SQLSTATE, what the message says, and the call; {@code %p} is a partition, {@code %q} its queue
   * and {@code %i} the id of that.
   */
  private static final String CALLS =
      """
      22023 | p_pid | log_retention_step_v1(null, now(), now(), 10)
      22023 | p_max_rows | log_retention_step_v1(%p, now(), now(), null)
      22023 | p_max_rows | log_retention_step_v1(%p, now(), now(), 0)
      22023 | p_max_rows | log_retention_step_v1(%p, now(), now(), -2147483648)
      22023 | p_history_type | log_retention_step_v1(%p, now(), now(), 10, '__mine__')
      22023 | p_history_type | log_retention_step_v1(%p, now(), now(), 10, '')
      22023 | p_pid | log_evict_max_wait_step_v1(null, now(), 10)
      22023 | p_max_rows | log_evict_max_wait_step_v1(%p, now(), null)
      22023 | p_max_rows | log_evict_max_wait_step_v1(%p, now(), 0)
      22023 | p_pid | log_txns_purge_step_v1(null, now(), 10)
      22023 | p_max_rows | log_txns_purge_step_v1(%p, now(), null)
      22023 | p_max_rows | log_txns_purge_step_v1(%p, now(), 0)
      22023 | p_pids must be an array without null | call log_retention_drain_v1(%i, null, now(), now(), 10)
      22023 | p_pids must be an array without null | call log_retention_drain_v1(%i, array[%p, null], now(), now(), 10)
      22023 | p_rows must have one entry a partition, 1 and not 2 | call log_retention_drain_v1(%i, array[%p], now(), now(), 10, '{1,2}')
      22023 | is not of queue 00000000 | call log_retention_drain_v1('00000000-0000-0000-0000-000000000001', array[%p], now(), now(), 10)
      22023 | is not of queue null | call log_evict_max_wait_drain_v1(null, array[%p], now(), 10)
      22023 | p_rows must be at least 1, not 0 | call log_retention_drain_v1(%i, array[%p], now(), now(), 10, '{0}')
      22023 | p_rows must have one entry a partition, 1 and not 0 | call log_retention_drain_v1(%i, array[%p], now(), now(), 10, '{}')
      22023 | p_max_rows must be at least 1, not null | call log_retention_drain_v1(%i, array[%p], now(), now(), null)
      22023 | p_max_rows must be at least 1, not 0 | call log_retention_drain_v1(%i, array[%p], now(), now(), 0)
      22023 | p_hold_ms | call log_retention_drain_v1(%i, array[%p], now(), now(), 10, p_hold_ms => 0)
      22023 | p_hold_ms | call log_retention_drain_v1(%i, array[%p], now(), now(), 10, p_hold_ms => null)
      22023 | p_batches | call log_retention_drain_v1(%i, array[%p], now(), now(), 10, p_batches => 0)
      22023 | p_batches | call log_retention_drain_v1(%i, array[%p], now(), now(), 10, p_batches => null)
      22023 | p_time_ms | call log_retention_drain_v1(%i, array[%p], now(), now(), 10, p_time_ms => 0)
      22023 | p_time_ms | call log_retention_drain_v1(%i, array[%p], now(), now(), 10, p_time_ms => null)
      22023 | p_lock_timeout_ms | call log_retention_drain_v1(%i, array[%p], now(), now(), 10, p_lock_timeout_ms => 0)
      22023 | p_lock_timeout_ms | call log_retention_drain_v1(%i, array[%p], now(), now(), 10, p_lock_timeout_ms => null)
      22023 | synchronous_commit | call log_retention_drain_v1(%i, array[%p], now(), now(), 10, p_synchronous_commit => 'perhaps')
      22023 | p_pids | call log_evict_max_wait_drain_v1(%i, array[null::uuid], now(), 10)
      22023 | p_time_ms | call log_evict_max_wait_drain_v1(%i, array[%p], now(), 10, p_time_ms => -1)
      22023 | p_pids | call log_txns_purge_drain_v1(%i, array[null::uuid], now(), 10)
      22023 | p_batches | call log_txns_purge_drain_v1(%i, array[%p], now(), 10, p_batches => -1)
      22023 | p_max_rows | log_partition_cleanup_step_v1(now(), null)
      22023 | p_max_rows | log_partition_cleanup_step_v1(now(), 0)
      22023 | p_max_read | log_partition_cleanup_step_v1(now(), 10, 0)
      22023 | p_after_id | log_partition_cleanup_step_v1(now(), 10, null, now(), null)
      22023 | p_after_id | log_partition_cleanup_step_v1(now(), 10, 10, null, %p)
      22023 | p_max_rows | log_watermark_walk_step_v1(null, null)
      22023 | p_max_rows | log_watermark_walk_step_v1(null, -1)
      22023 | p_max_rows | cleanup_worker_metrics_v1(now(), null)
      22023 | p_max_rows | cleanup_worker_metrics_v1(now(), 0)
      22023 | p_max_rows | log_history_roll_up_step_v1(null, now(), null)
      22023 | p_max_rows | log_history_roll_up_step_v1(null, now(), 0)
      22023 | p_partition_id | log_retention_boundary_windowed_v1(null, 0, now(), null)
      22023 | p_from | log_retention_boundary_windowed_v1(%p, null, now(), null)
      22023 | p_due_cap | log_work_list_v1(null, 1)
      22023 | p_due_cap | log_work_list_v1(0, 1)
      22023 | p_total_cap | log_work_list_v1(1, 0)
      22023 | p_resume_ids | log_work_list_v1(1, 1, array[%p], array[now()], '{}')
      22023 | p_resume_queues | log_work_list_v1(1, 1, array[null::uuid], array[now()], array[%p])
      22023 | p_phase | log_due_page_v1(4, %p, null, now(), null, null, 1)
      22023 | p_cutoff | log_due_page_v1(1, %p, null, null, null, null, 1)
      22023 | p_after_id | log_due_page_v1(1, %p, null, now(), now(), null, 1)
      22023 | p_max_rows | log_due_page_v1(1, %p, null, now(), null, null, 0)
      22023 | p_queue | log_push_one_v1(null, 'p', 1, '0123456789abcdef', null, '')
      22023 | p_queue | log_push_one_v1('', 'p', 1, '0123456789abcdef', null, '')
      22023 | p_partition | log_push_one_v1(%q, '', 1, '0123456789abcdef', null, '')
      22023 | p_partition | log_push_one_v1(%q, repeat('x', 1025), 1, '0123456789abcdef', null, '')
      22023 | p_msg_count | log_push_one_v1(%q, 'new', 0, '', null, '')
      22023 | p_msg_count | log_push_one_v1(%q, 'new', null, '', null, '')
      22023 | p_hashes | log_push_one_v1(%q, 'new', 2, '0123456789abcdef', null, '')
      22023 | p_hashes | log_push_one_v1(%q, 'new', 1, null, null, '')
      22023 | p_blob | log_push_one_v1(%q, 'new', 1, '0123456789abcdef', null, null)
      22023 | p_blobs | log_push_multi_v1(array[%q], '{a,b}', '{1}', '{x}', '{null}', '{x}')
      22023 | same length | log_push_multi_v1('{}', '{}', '{}', '{}', '{}', '{}')
      22023 | distinct | log_push_multi_v1(array[%q, %q], '{n,n}', '{1,1}', '{0123456789abcdef,0123456789abcdef}', '{null,null}', '{x,x}')
      22023 | must be an object | log_transaction_wire_v1('[]')
      22023 | unknown key more | log_transaction_wire_v1('{"more": []}')
      22023 | acks must be an array | log_transaction_wire_v1('{"acks": {}}')
      22023 | pushes[0]: msgCount | log_transaction_wire_v1('{"pushes": [{"queue": "q", "msgCount": 0.5, "hashes": "", "blob": ""}]}')
      22023 | pushes[0]: queue | log_transaction_wire_v1('{"pushes": [{"queue": "", "msgCount": 1, "hashes": "", "blob": ""}]}')
      22023 | pushes[0]: hashes | log_transaction_wire_v1('{"pushes": [{"queue": "q", "msgCount": 1, "hashes": "?", "blob": ""}]}')
      22023 | acks[0]: partitionId | log_transaction_wire_v1('{"acks": [{"partitionId": "x", "group": "g", "worker": "w", "offset": 0}]}')
      22023 | acks[0]: offset | log_transaction_wire_v1('{"acks": [{"partitionId": "00000000-0000-0000-0000-000000000000", "group": "g", "worker": "w"}]}')
      22023 | p_partition | log_partition_provision_v1(%q, '')
      22023 | p_partition_id | log_import_v1(null, array[now()], '{1}', '{0123456789abcdef}', '{x}')
      22023 | same length | log_import_v1(%p, '{}', '{}', '{}', '{}')
      22023 | p_msg_counts | log_import_v1(%p, array[now()], '{0}', '{x}', '{x}')
      22023 | p_hashes | log_import_v1(%p, array[now()], '{1}', '{x}', '{x}')
      22023 | p_created_at must not be in the future | log_import_v1(%p, array[now() + interval '1 hour'], '{1}', '{0123456789abcdef}', '{x}')
      22023 | element 2 of p_created_at must not go back | log_import_v1(%p, array[now(), now() - interval '1 s'], '{1,1}', '{0123456789abcdef,0123456789abcdef}', '{x,x}')
      TM004 | no partition | log_import_v1(gen_random_uuid(), array[now()], '{1}', '{0123456789abcdef}', '{x}')
      22023 | p_queue | log_pop_v1(null, null, 'g', 'w', 1, 1)
      22023 | p_group | log_pop_v1(%q, null, '', 'w', 1, 1)
      22023 | p_worker | log_pop_v1(%q, null, 'g', null, 1, 1)
      22023 | p_max_messages | log_pop_v1(%q, null, 'g', 'w', 0, 1)
      22023 | p_max_messages | log_pop_v1(%q, null, 'g', 'w', null, 1)
      22023 | p_lease_seconds | log_pop_v1(%q, null, 'g', 'w', 1, 0)
      TM003 | no queue | log_pop_v1('no such queue', null, 'g', 'w', 1, 1)
      22023 | p_partition_id | log_ack_v1(null, 'g', 'w', 0)
      22023 | p_group | log_ack_v1(%p, null, 'w', 0)
      22023 | p_worker | log_ack_v1(%p, 'g', null, 0)
      22023 | p_offset | log_ack_v1(%p, 'g', 'w', null)
      22023 | p_worker | log_ack_by_hash_v1(%p, 'g', null, '0123456789abcdef')
      22023 | p_hash | log_ack_by_hash_v1(%p, 'g', 'w', 'short')
      22023 | p_hash | log_ack_by_hash_v1(%p, 'g', 'w', null)
      22023 | p_partition_id | log_seek_v1(null, 'g', 0)
      22023 | p_group | log_seek_v1(%p, '', 0)
      22023 | p_offset | log_seek_v1(%p, 'g', -1)
      22023 | p_offset must be from 0 to 2 | log_seek_v1(%p, 'g', 3)
      22023 | p_offset | log_seek_v1(%p, 'g', null)
      TM004 | no partition | log_seek_v1(gen_random_uuid(), 'g', 0)
      22023 | p_queue | log_group_delete_v1('', 'g')
      22023 | p_group | log_group_delete_v1(%q, null)
      TM003 | no queue | log_group_delete_v1('no such queue', 'g')
      22023 | must not be null | log_read_v1(null, 0, 1)
      22023 | p_max_segments | log_read_v1(%p, 0, 0)
      22023 | p_partition_id | log_dlq_put_v1(null, 't', null, null, null, null)
      22023 | p_transaction_id | log_dlq_put_v1(%p, '', null, null, null, null)
      TM004 | no partition | log_dlq_put_v1(gen_random_uuid(), 't', null, null, null, null)
      22023 | p_partition_id | log_dlq_delete_v1(null, 't')
      22023 | p_transaction_id | log_dlq_delete_v1(%p, null)
      22023 | p_name | configure_queue_v1('', '{}')
      22023 | p_options | configure_queue_v1(%q, null)
      22023 | p_options | configure_queue_v1(%q, '[]')
      22023 | option retentionSecond: | configure_queue_v1(%q, '{"retentionSecond": 1}')
      22023 | option retentionSeconds: | configure_queue_v1(%q, '{"maxWaitTimeSeconds": 5, "retentionSeconds": -1}')
      22023 | option retentionSeconds: | configure_queue_v1(%q, '{"retentionSeconds": 1.5}')
      22023 | option retentionSeconds: | configure_queue_v1(%q, '{"retentionSeconds": 2147483648}')
      22023 | option retentionSeconds: | configure_queue_v1(%q, '{"retentionSeconds": "60"}')
      22023 | option retentionEnabled: | configure_queue_v1(%q, '{"retentionEnabled": 1}')
      22023 | option mode: | configure_queue_v1(%q, '{"mode": "patch"}')
      22023 | p_name | delete_queue_v1(null)
      22023 | p_name | delete_queue_v1('')
      22023 | p_task | lease_register_v1('', 1)
      22023 | p_period_ms | lease_register_v1('t', 0)
      22023 | p_period_ms | lease_register_v1('t', null)
      22023 | p_period_ms | lease_register_v1('t', 31622400001)
      22023 | p_holder | lease_claim_v1('t', '', 1)
      22023 | p_lease_ms | lease_claim_v1('t', 'h', 0)
      22023 | p_lease_ms | lease_claim_v1('t', 'h', null)
      22023 | p_fence | lease_renew_v1('t', 'h', null, 1)
      22023 | p_lease_ms | lease_renew_v1('t', 'h', 1, 0)
      22023 | p_served | lease_release_v1('t', 'h', 1, null)
      22023 | p_fence | lease_release_v1('t', 'h', null, true)
      22023 | p_period_ms | lease_note_cycle_v1('t', 0, 0)
      22023 | p_duration_ms | lease_note_cycle_v1('t', 1, -1)
      22023 | p_enabled | lease_enable_v1('t', null)
      22023 | no task | lease_enable_v1('no such task', true)
      22023 | p_transaction_id | get_message_traces_v1(%p, '')
      22023 | p_queue | queue_partitions_v1('')
      TM003 | no queue | queue_partitions_v1('no such queue')
      22023 | p_queue | queue_cursors_v1(null)
      TM003 | no queue | queue_cursors_v1('no such queue')
      22023 | p_max_rows | queue_history_v1(%q, null, 0)
      TM003 | no queue | queue_history_v1('no such queue', null, 1)
      22023 | p_max_partitions | retention_pins_v1(%q, 0)
      22023 | p_max_rows | worker_metrics_preview_v1(now(), 0)
      """;

  private static TestDatabase database;
  private static Sql sql;
  private static String queue;
  private static UUID queueId;
  private static UUID partition;

  static Stream<String> calls() {
    return CALLS.lines();
  }

  @BeforeAll
  static void open() {
    database = Target.open();
    sql = database.connect();
    TestLog log = new TestLog(sql);
    queue = "refusals-" + UUID.randomUUID();
    // With windows: nothing but its arguments keeps a call from deleting.
    log.configure(
        queue,
        "{\"retentionEnabled\": true, \"retentionSeconds\": 1, \"completedRetentionSeconds\": 1,"
            + " \"maxWaitTimeSeconds\": 1}");
    partition = log.partition(queue, "p");
    queueId = sql.value("select id from queen.queues where name = ?", queue);
    log.append(partition, log.ago(Duration.ofDays(9)), 2);
    log.commit(partition, "through", 1);
    sql.run("insert into queen.system_metrics (sampled_at) values ('2000-01-01Z')");
  }

  @AfterAll
  static void close() {
    sql.run("delete from queen.system_metrics where sampled_at = '2000-01-01Z'");
    database.close();
  }

  @ParameterizedTest
  @MethodSource("calls")
  void aBadArgumentIsNamedAndNothingChanges(String line) {
    String[] parts = line.split(" \\| ", 3);
    String call =
        parts[2]
            .replace("%p", "'" + partition + "'::uuid")
            .replace("%q", "'" + queue + "'::text")
            .replace("%i", "'" + queueId + "'::uuid");
    Contents.refusedAndUntouched(sql, sql, parts[0], call, parts[1]);
  }
}

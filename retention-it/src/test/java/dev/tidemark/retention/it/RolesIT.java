package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestPush;
import dev.tidemark.retention.it.table.EventTables;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What each role can do, and what it must not. */
class RolesIT {
  private static final String DENIED = "42501";

  private static TestDatabase database;
  private static Sql owner;
  private static TestLog log;
  private static Sql broker;
  private static Sql retention;
  private static Sql reader;
  private String queue;
  private UUID partition;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    owner = database.connect();
    log = new TestLog(owner);
    broker = as("queen_broker");
    retention = as("queen_retention");
    reader = as("queen_reader");
  }

  @AfterAll
  static void close() {
    database.close();
  }

  private static Sql as(String role) {
    Sql session = database.connect();
    session.run("set role " + role);
    return session;
  }

  @BeforeEach
  void aPartitionOfThreeSegments() {
    queue = UUID.randomUUID().toString();
    partition = log.partition(queue, "p");
    for (int hours = 3; hours >= 1; hours--) {
      log.append(partition, log.ago(Duration.ofHours(hours)), 1);
    }
  }

  @Test
  void retentionRunsAWholeMaintenance() {
    log.configure(
        queue,
        "{\"retentionEnabled\": true, \"retentionSeconds\": 9000, \"completedRetentionSeconds\":"
            + " 5400, \"maxWaitTimeSeconds\": 1800, \"dedupWindowSeconds\": 0}");
    log.commit(partition, "g", 2);
    owner.run(
        "insert into queen.worker_metrics (worker_id, sampled_at) values ('w', '2020-01-01Z')");
    owner.run(
        "insert into queen.queue_lag_metrics (queue_id, sampled_at) select id, '2020-01-01Z' from"
            + " queen.queues where name = ?",
        queue);
    owner.run("insert into queen.system_metrics (sampled_at) values ('2020-01-01Z')");
    owner.run(
        "insert into queen.retention_history (partition_id, messages_deleted, segments_deleted,"
            + " retention_type, executed_at) values (gen_random_uuid(), 1, 1, 'retention',"
            + " '2020-01-01Z')");
    owner.run("update queen.log_partitions set oldest_txn_at = null where id = ?", partition);
    TestLog maintenance = new TestLog(retention);

    retention.rows("select queen.lease_register_v1('roles', 1000)");
    long fence = retention.number("select fence from queen.lease_claim_v1('roles', 'me', 60000)");
    assertThat(
            retention.<String>value("select queen.lease_renew_v1('roles', 'me', ?, 60000)", fence))
        .isEqualTo("renewed");
    assertThat(retention.rows("select * from queen.log_work_list_v1(10, 10)")).isNotEmpty();
    assertThat(
            retention.rows(
                "select * from queen.log_due_page_v1(1, (select queue_id from queen.log_partitions"
                    + " where id = ?), null, now(), null, null, 10)",
                partition))
        .hasSize(1);
    assertThat(retention.rows("select * from queen.log_heads_can_go_v1(array[?::uuid])", partition))
        .hasSize(1);

    assertThat(
            retention
                .json("select queen.log_watermark_walk_step_v1(null, 1000)")
                .get("repaired")
                .asInt())
        .isOne();
    Instant now = log.ago(Duration.ZERO);
    assertThat(
            maintenance
                .retentionStep(partition, now.minusSeconds(9000), now.minusSeconds(5400), 10)
                .get("deleted")
                .asInt())
        .isEqualTo(2);
    assertThat(maintenance.purgeStep(partition, now, 10).get("deleted").asInt()).isEqualTo(3);
    assertThat(maintenance.evictStep(partition, now, 10).get("deleted").asInt()).isOne();
    owner.run(
        "update queen.log_partitions set last_write_at = '2020-01-01Z', created_at = '2020-01-01Z'"
            + " where id = ?",
        partition);
    owner.run(
        "update queen.log_consumers set created_at = '2020-01-01Z' where partition_id = ?",
        partition);
    owner.run(
        "insert into queen.log_txns (partition_id, base_offset, end_offset, created_at, hashes)"
            + " values (?, 9, 9, now(), '')",
        partition);
    assertThat(
            retention.<Boolean>value(
                "select queen.log_partition_dead_v1(?, '2021-01-01Z')", partition))
        .isTrue();
    assertThat(
            retention
                .json("select queen.log_partition_cleanup_step_v1('2021-01-01Z', 10)")
                .get("deleted")
                .asInt())
        .isOne();
    assertThat(
            retention
                .json("select queen.log_history_roll_up_step_v1(null, '2021-01-01Z', 10)")
                .get("rolled")
                .asInt())
        .isOne();
    assertThat(
            retention
                .json("select queen.cleanup_worker_metrics_v1('2021-01-01Z', 10)")
                .get("deleted")
                .asInt())
        .isEqualTo(4);

    assertThat(retention.rows("select * from queen.retention_status_v1()")).isNotEmpty();
    assertThat(retention.rows("select * from queen.log_retention_preview_v1()")).isNotNull();
    assertThat(retention.rows("select * from queen.retention_history_totals_v1(null)"))
        .isNotEmpty();
    assertThat(retention.rows("select * from queen.queue_partitions_v1(?)", queue)).isEmpty();
    assertThat(retention.rows("select * from queen.log_cleanup_preview_v1(null, now())"))
        .isNotNull();
    assertThat(retention.rows("select * from queen.worker_metrics_preview_v1(now(), 10)"))
        .hasSize(6);
    assertThat(retention.rows("select * from queen.retention_pins_v1(null, 10)")).isNotNull();
    retention.rows("select queen.lease_note_cycle_v1('roles', 1000, 1)");
    assertThat(retention.<Boolean>value("select queen.lease_enable_v1('roles', false)")).isTrue();
    assertThat(
            retention.<String>value("select queen.lease_renew_v1('roles', 'me', ?, 60000)", fence))
        .isEqualTo("paused");
    assertThat(retention.<Boolean>value("select queen.lease_enable_v1('roles', true)")).isTrue();
    assertThat(
            retention.<Boolean>value(
                "select queen.lease_release_v1('roles', 'me', ?, true)", fence))
        .isTrue();
    assertThat(retention.rows("select * from queen.lease_status_v1()")).isNotEmpty();
    assertThat(retention.<Boolean>value("select pg_try_advisory_lock(737001)")).isTrue();
    retention.rows("select pg_advisory_unlock(737001)");
    assertThat(retention.rows("select version from queen.tidemark_schema_history")).isNotEmpty();
    assertThat(Invariants.broken(owner)).isEmpty();
  }

  @Test
  void retentionCannotReadWhatAMessageSays() {
    denied(
        retention,
        "select blob from queen.log_segments",
        "select * from queen.log_segments",
        "select hashes from queen.log_txns",
        "select payload from queen.log_dlq",
        "select transaction_id from queen.log_dlq",
        "select value from queen_streams.state",
        "select data from queen.message_traces",
        "select * from queen.kv",
        "select * from queen.log_timers",
        "delete from queen.log_segments returning blob",
        "select * from queen.log_read_v1(gen_random_uuid(), 0, 1)");
  }

  @Test
  void retentionCannotPushImportOrConfigure() {
    denied(
        retention,
        "select queen.configure_queue_v1('q', '{}')",
        "select queen.log_partition_provision_v1('q', 'p')",
        "select queen.log_import_v1(gen_random_uuid(), null, null, null, null)",
        "select queen.log_seek_v1(gen_random_uuid(), 'g', 0)",
        "select queen.log_ack_v1(gen_random_uuid(), 'g', 'w', 0)",
        "select queen.log_group_delete_v1('q', 'g')",
        "select queen.log_push_one_v1('q', 'p', 1, '', null, '')",
        "select * from queen.log_pop_v1('q', 'p', 'g', 'w', 1, 1)",
        "select queen.log_transaction_wire_v1('{}')",
        "select queen.log_dlq_delete_v1(gen_random_uuid(), 't')",
        "select * from queen.get_message_traces_v1(gen_random_uuid(), 't')",
        "select queen.delete_queue_v1('q')",
        "insert into queen.queues (name) values ('q')",
        "update queen.queues set retention_seconds = 1",
        "delete from queen.queues",
        "insert into queen.log_segments (partition_id, base_offset, end_offset, created_at, blob)"
            + " values (gen_random_uuid(), 0, 0, now(), '')",
        "insert into queen.log_txns (partition_id, base_offset, end_offset, created_at, hashes)"
            + " values (gen_random_uuid(), 0, 0, now(), '')",
        "update queen.log_segments set created_at = now()",
        "update queen.log_partitions set last_offset = 0",
        "update queen.log_partitions set last_created_at = now()",
        "update queen.log_consumers set committed = 0",
        "insert into queen.log_consumers (partition_id) values (gen_random_uuid())",
        "delete from queen.log_dlq",
        "delete from queen.message_traces",
        "delete from queen.kv",
        "delete from queen.log_timers",
        "delete from queen_streams.state",
        "update queen.retention_history set messages_deleted = 0",
        "update queen.retention_history set executed_at = now()",
        "update queen.retention_history_minutes set minute = now()",
        "call queen.publish_contract_v1('queen.log_ack_v1')");
  }

  @Test
  void retentionSetsAndRunsEventTablesAndTheReaderLooks() {
    EventTables tables = new EventTables(owner);
    tables.reset();
    tables.table("t", "timestamptz");
    owner.run("create table ev.archive (like ev.t)");
    owner.run("insert into ev.t values ('2020-01-01Z', 1), (now(), 2)");
    owner.run("grant usage on schema ev to queen_retention, queen_reader");
    owner.run("grant select, delete, update on ev.t to queen_retention");
    owner.run("grant select, insert on ev.archive to queen_retention");
    owner.run("grant select on ev.t to queen_reader");
    new EventTables(retention)
        .set("ev.t", "at", "1 day", Map.of("predicate", "n > 0", "archive", "ev.archive"));
    assertThat(reader.number("select rows from queen.table_look_v1('ev.t')")).isOne();
    assertThat(reader.rows("select * from queen.table_hazards_v1()")).isNotEmpty();
    assertThat(reader.row("select * from queen.table_status_v1()").get("oldest_at"))
        .isEqualTo(Instant.parse("2020-01-01T00:00:00Z"));
    assertThat(retention.json("call queen.table_retention_run_v1()").get("archived").asInt())
        .isOne();
    assertThat(retention.<Boolean>value("select queen.table_policy_enable_v1('ev.t', false)"))
        .isTrue();
    assertThat(retention.<Boolean>value("select queen.table_policy_remove_v1('ev.t')")).isTrue();
    for (Sql other : List.of(reader, broker)) {
      refused(DENIED, () -> new EventTables(other).set("ev.t", "at", "1 day"));
      refused(DENIED, () -> other.rows("select queen.table_delete_step_v1('ev.t', now(), 1)"));
      refused(DENIED, () -> other.run("call queen.table_retention_run_v1()"));
      refused(DENIED, () -> other.run("delete from queen.table_policies"));
      refused(DENIED, () -> other.run("delete from queen.table_history"));
    }
    refused(DENIED, () -> retention.run("update queen.table_history set rows_deleted = 0"));
    refused(DENIED, () -> broker.rows("select * from queen.table_status_v1()"));
    EventTables.forget(owner);
  }

  @Test
  void theBrokerConfiguresImportsMovesCursorsAndDeletes() {
    TestLog brokers = new TestLog(broker);
    String mine = UUID.randomUUID().toString();
    assertThat(brokers.configure(mine, "{\"leaseTime\": 7}").get("leaseTime").asInt()).isEqualTo(7);
    brokers.configure(mine, "{\"leaseTime\": 8}");
    UUID p = brokers.partition(mine, "p");
    brokers.append(p, log.ago(Duration.ofHours(1)), 3);
    brokers.commit(p, "g", -1);
    broker.run(
        "update queen.log_consumers set batch_end = 2, worker_id = 'w' where partition_id = ?", p);
    assertThat(broker.json("select queen.log_ack_v1(?, 'g', 'w', 2)", p).get("acked").asBoolean())
        .isTrue();
    assertThat(broker.rows("select blob from queen.log_read_v1(?, 0, 10)", p)).hasSize(1);
    assertThat(broker.rows("select * from queen.queue_partitions_v1(?)", mine)).hasSize(1);
    assertThat(broker.json("select queen.queue_option_defaults_v1()").get("leaseTime").asInt())
        .isEqualTo(300);
    broker.run("insert into queen.log_dlq (partition_id, transaction_id) values (?, 't')", p);
    assertThat(broker.json("select queen.log_group_delete_v1(?, 'g')", mine).get("deleted").asInt())
        .isOne();
    assertThat(broker.json("select queen.delete_queue_v1(?)", mine).toString())
        .isEqualTo("{\"deleted\":true,\"partitions\":1}");
    assertThat(owner.number("select count(*) from queen.log_segments where partition_id = ?", p))
        .isZero();
  }

  @Test
  void theBrokerPushes() {
    TestPush push = new TestPush(broker);
    String mine = UUID.randomUUID().toString();
    assertThat(push.push(mine, "p", "a").get("status").asText()).isEqualTo("queued");
    assertThat(push.push(mine, "p", "a").get("status").asText()).isEqualTo("duplicate");
    broker.json(
        "select queen.log_push_multi_v1(array[?::text], '{q}', '{1}', array[?::bytea], '{null}',"
            + " '{b}')",
        mine, TestPush.hashes("a"));
    assertThat(broker.rows("select * from queen.queue_partitions_v1(?)", mine)).hasSize(2);
  }

  @Test
  void theBrokerPopsAcksTransactsAndKeepsDeadLetters() {
    assertThat(broker.rows("select * from queen.log_pop_v1(?, null, 'g', 'w', 2, 60)", queue))
        .hasSize(2);
    assertThat(
            broker
                .json("select queen.log_ack_by_hash_v1(?, 'g', 'w', ?)", partition, new byte[16])
                .get("acked")
                .asBoolean())
        .isTrue();
    assertThat(
            broker
                .json(
                    "select queen.log_transaction_wire_v1(?::jsonb)",
                    "{\"pushes\":[{\"queue\":\"%s\",\"partition\":\"new\",\"msgCount\":1,\"hashes\":\"%s\",\"blob\":\"\"}],\"acks\":[{\"partitionId\":\"%s\",\"group\":\"g\",\"worker\":\"w\",\"offset\":1}]}"
                        .formatted(queue, TestPush.base64(TestPush.hashes("a")), partition))
                .get("status")
                .asText())
        .isEqualTo("committed");
    broker.rows("select queen.log_dlq_put_v1(?, 't', 1, 'g', 'x', 'why')", partition);
    assertThat(
            broker.json("select queen.log_dlq_delete_v1(?, 't')", partition).get("deleted").asInt())
        .isOne();
    assertThat(broker.rows("select * from queen.get_message_traces_v1(?, 't')", partition))
        .isEmpty();
  }

  @Test
  void theBrokerCannotRunTheMaintenance() {
    denied(
        broker,
        "select queen.log_retention_step_v1(gen_random_uuid(), now(), null, 1)",
        "select queen.log_evict_max_wait_step_v1(gen_random_uuid(), now(), 1)",
        "select queen.log_txns_purge_step_v1(gen_random_uuid(), now(), 1)",
        "select queen.log_partition_cleanup_step_v1(now(), 1)",
        "select queen.log_watermark_walk_step_v1(null, 1)",
        "select queen.cleanup_worker_metrics_v1(now(), 1)",
        "select queen.log_history_roll_up_step_v1(null, now(), 1)",
        "select * from queen.log_work_list_v1(1, 1)",
        "select * from queen.log_due_page_v1(1, gen_random_uuid(), null, now(), null, null, 1)",
        "select * from queen.log_heads_can_go_v1('{}')",
        "select queen.lease_register_v1('t', 1)",
        "select * from queen.lease_claim_v1('t', 'h', 1)",
        "select queen.lease_enable_v1('t', true)",
        "delete from queen.log_segments",
        "delete from queen.log_partitions",
        "update queen.log_partitions set log_start = 1",
        "update queen.log_partitions set txns_start = 1",
        "update queen.log_segments set end_offset = 1",
        "update queen.log_txns set created_at = now()",
        "insert into queen.retention_history (partition_id, messages_deleted, segments_deleted,"
            + " retention_type) values (gen_random_uuid(), 1, 1, 'x')",
        "delete from queen.retention_history",
        "select * from queen.retention_history_minutes",
        "delete from queen.retention_history_minutes",
        "update queen.maintenance_leases set enabled = false",
        "delete from queen.message_traces",
        "delete from queen.worker_metrics");
  }

  @Test
  void theReaderSeesStatusPreviewAndHistory() {
    log.configure(queue, "{\"retentionEnabled\": true, \"retentionSeconds\": 1}");
    assertThat(
            reader.row(
                "select live_messages::int, due_retention from queen.retention_status_v1() where"
                    + " queue_name = ?",
                queue))
        .isEqualTo(Map.of("live_messages", 3, "due_retention", 1L));
    assertThat(reader.rows("select * from queen.log_retention_preview_v1(?)", queue)).isNotEmpty();
    log.retentionStep(partition, log.ago(Duration.ZERO), null, 10);
    assertThat(
            reader
                .json(
                    "select queen.get_retention_timeseries_v1(jsonb_build_object('queue',"
                        + " ?::text))",
                    queue)
                .at("/totals/messages")
                .asInt())
        .isEqualTo(3);
    assertThat(reader.rows("select * from queen.retention_history_totals_v1(null)")).isNotEmpty();
    assertThat(reader.rows("select * from queen.queue_partitions_v1(?)", queue)).hasSize(1);
    assertThat(reader.rows("select * from queen.queue_cursors_v1(?)", queue)).hasSize(1);
    assertThat(reader.rows("select * from queen.queue_history_v1(?, null, 10)", queue)).hasSize(1);
    assertThat(reader.rows("select * from queen.log_invariants_v1()")).isEmpty();
    assertThat(reader.rows("select * from queen.lease_status_v1()")).isNotNull();
    assertThat(reader.rows("select * from queen.log_rules_v1()")).isNotEmpty();
    assertThat(reader.rows("select * from queen.log_silent_partitions_v1(now())")).isNotNull();
    assertThat(reader.rows("select * from queen.log_cleanup_preview_v1(?, now())", queue))
        .isNotNull();
    assertThat(reader.rows("select * from queen.worker_metrics_preview_v1(now(), 10)")).hasSize(6);
    assertThat(reader.rows("select * from queen.retention_pins_v1(?, 10)", queue)).isNotNull();
    assertThat(
            reader.<Boolean>value(
                "select queen.log_partition_dead_v1(?, '2020-01-01Z')", partition))
        .isFalse();
    assertThat(reader.rows("select * from queen.log_watermark_truth_v1(array[?::uuid])", partition))
        .hasSize(1);
  }

  @Test
  void theReaderCannotWriteOrReadWhatAMessageSays() {
    denied(
        reader,
        "select blob from queen.log_segments",
        "select hashes from queen.log_txns",
        "select payload from queen.log_dlq",
        "select error from queen.log_dlq",
        "select data from queen.message_traces",
        "select value from queen_streams.state",
        "select * from queen.log_read_v1(gen_random_uuid(), 0, 1)",
        "select queen.configure_queue_v1('q', '{}')",
        "select queen.delete_queue_v1('q')",
        "select queen.log_seek_v1(gen_random_uuid(), 'g', 0)",
        "select queen.log_group_delete_v1('q', 'g')",
        "select queen.log_retention_step_v1(gen_random_uuid(), now(), null, 1)",
        "select queen.cleanup_worker_metrics_v1(now(), 1)",
        "select * from queen.lease_claim_v1('t', 'h', 1)",
        "select queen.lease_enable_v1('t', true)");
    List<Map<String, Object>> writable =
        owner.rows(
            """
            select c.oid::regclass::text as name
              from pg_class c
             where c.relnamespace in ('queen'::regnamespace, 'queen_streams'::regnamespace) and c.relkind in ('r', 'S')
               and (has_table_privilege('queen_reader', c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER')
                    or has_any_column_privilege('queen_reader', c.oid, 'INSERT, UPDATE'))
            """);
    assertThat(writable).isEmpty();
  }

  @Test
  void nobodyElseCanUseTheSchema() {
    String nobody = "tidemark_nobody_" + UUID.randomUUID().toString().replace('-', '_');
    owner.run("create role " + nobody);
    try {
      Sql session = as(nobody);
      refused(DENIED, () -> session.rows("select * from queen.retention_status_v1()"), "queen");
      refused(DENIED, () -> session.rows("select 1 from queen.queues"), "queen");
      refused(DENIED, () -> session.rows("select 1 from queen_streams.state"), "queen_streams");
    } finally {
      owner.run("drop role " + nobody);
    }
  }

  private static void denied(Sql role, String... statements) {
    for (String statement : statements) {
      refused(statement, DENIED, () -> role.run(statement), "permission denied");
    }
  }
}

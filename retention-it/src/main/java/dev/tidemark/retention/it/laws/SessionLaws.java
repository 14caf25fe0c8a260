package dev.tidemark.retention.it.laws;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Contents;
import dev.tidemark.retention.it.support.HostileSession;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.runner.RetentionService;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a session brings along changes no answer: a step refuses where it could delete the wrong
 * thing, and does the same as ever where it runs.
 */
public class SessionLaws {
  /** Calls that delete or write under a lock; {@code %p} is a partition, {@code %q} its queue. */
  private static final List<String> STEPS =
      List.of(
          "log_retention_step_v1(%p, now(), now(), 10)",
          "log_evict_max_wait_step_v1(%p, now(), 10)",
          "log_txns_purge_step_v1(%p, now(), 10)",
          "log_drain_step_v1('retention', %p, now(), null, 10)",
          "log_partition_cleanup_step_v1(now(), 10)",
          "log_watermark_walk_step_v1(null, 10)",
          "cleanup_worker_metrics_v1(now(), 10)",
          "log_history_roll_up_step_v1(null, now(), 10)",
          "log_push_one_v1(%q, 'p', 1, '0123456789abcdef', null, '')",
          "log_push_multi_v1(array[%q], '{p}', '{1}', '{0123456789abcdef}', '{null}', '{x}')",
          "log_transaction_wire_v1('{}')",
          "log_partition_provision_v1(%q, 'new')",
          "log_import_v1(%p, array[now()], '{1}', '{0123456789abcdef}', '{x}')",
          "log_pop_v1(%q, null, 'new', 'w', 1, 1)",
          "log_seek_v1(%p, 'g', 0)",
          "delete_queue_v1(%q)");

  /** A day in the life of a partition, each answer without names and times of its own. */
  private static final List<String> STORY =
      List.of(
          "select queen.configure_queue_v1(%q, '{\"retentionEnabled\": true, \"retentionSeconds\":"
              + " 9000, \"completedRetentionSeconds\": 5400, \"task\": \"a\\\\b''c\"}')::text",
          "select queen.log_import_v1(%p, array['2021-01-02 03:04:05.678901Z',"
              + " '2021-02-01Z', '2021-03-01Z', '2021-04-01Z']::timestamptz[], '{2,2,2,2}',"
              + " array_fill(pg_catalog.convert_to('0123456789abcdef0123456789abcdef', 'UTF8'), array[4]),"
              + " '{a,b,c,d}')::text",
          "select queen.log_push_one_v1(%q, 'p', 1, 'fedcba9876543210', null, 'e') ->> 'baseOffset'",
          "select queen.log_push_one_v1(%q, 'p', 1, 'fedcba9876543210', null, 'e')::text",
          "select pg_catalog.string_agg(l::text, ';') from (select from_offset, to_offset, base_offset,"
              + " pg_catalog.encode(blob, 'hex') from queen.log_pop_v1(%q, null, 'g', 'w', 5, 60)) l",
          "select queen.log_ack_v1(%p, 'g', 'w', 2)::text",
          "select queen.log_ack_by_hash_v1(%p, 'g', 'w', '0123456789abcdef')::text",
          "select pg_catalog.string_agg(l::text, ';') from (select phase, by_consumption from"
              + " queen.log_work_list_v1(9, 9) where queue_name operator(pg_catalog.=) %q and phase"
              + " operator(pg_catalog.<>) 0) l",
          "select pg_catalog.string_agg(l::text, ';') from (select rule, segments, messages from"
              + " queen.log_retention_preview_v1(%q)) l",
          "select queen.log_retention_step_v1(%p, '2021-01-02 03:04:05.678902Z', null, 9)::text",
          "select queen.log_retention_step_v1(%p, null, '2021-05-01Z', 9)::text",
          "select queen.log_txns_purge_step_v1(%p, '2021-03-01Z', 1)::text",
          "select queen.log_txns_purge_step_v1(%p, '2021-03-01Z', 9)::text",
          "select queen.log_evict_max_wait_step_v1(%p, '2021-04-01Z', 9)::text",
          "select queen.log_seek_v1(%p, 'g', 9)::text",
          "select queen.log_watermark_walk_step_v1(null, 1000) ->> 'repaired'",
          "select pg_catalog.string_agg(h::text, ';') from (select messages_deleted, segments_deleted,"
              + " retention_type from queen.retention_history where partition_id operator(pg_catalog.=)"
              + " %p order by id) h",
          "select l::text from (select last_offset, log_start, txns_start from queen.log_partitions"
              + " where id operator(pg_catalog.=) %p) l",
          "select queen.log_group_delete_v1(%q, 'g')::text",
          "select pg_catalog.string_agg(l::text, ';') from queen.log_invariants_v1() l",
          "select queen.delete_queue_v1(%q)::text");

  private static final List<String> SETTINGS =
      Stream.concat(
              HostileSession.SETTINGS.stream(),
              Stream.of("lc_numeric = 'C'", "extra_float_digits = -15"))
          .toList();

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private Sql session;
  private String queue;
  private UUID partition;

  static Stream<String> steps() {
    return STEPS.stream();
  }

  @BeforeAll
  static void open() {
    database = Target.open();
    sql = database.connect();
    log = new TestLog(sql);
    sql.run(HostileSession.LIES);
  }

  @AfterAll
  static void close() {
    sql.run("drop schema evil cascade");
    database.close();
  }

  @BeforeEach
  void anOldPartition() {
    session = database.connect();
    queue = "session-" + UUID.randomUUID();
    partition = log.partition(queue, "p");
  }

  @AfterEach
  void invariantsHold() {
    session.close();
    assertThat(Invariants.broken(sql)).isEmpty();
    sql.json("select queen.delete_queue_v1(?)", queue);
  }

  @ParameterizedTest
  @MethodSource("steps")
  void anIsolationLevelWhoseSnapshotIsOlderThanTheLockIsRefused(String call) {
    log.append(partition, log.ago(Duration.ofDays(100)), 2);
    for (String level : List.of("repeatable read", "serializable")) {
      session.run("set default_transaction_isolation = '" + level + "'");
      Contents.refusedAndUntouched(
          sql, session, "TM001", filled(call, queue, partition), "read committed", level);
    }
  }

  @ParameterizedTest
  @MethodSource("steps")
  void aSessionWithoutForeignKeysIsRefused(String call) {
    log.append(partition, log.ago(Duration.ofDays(100)), 2);
    session.run("set session_replication_role = replica");
    Contents.refusedAndUntouched(
        sql, session, "TM002", filled(call, queue, partition), "session_replication_role");
  }

  @Test
  void theSessionReallyLies() {
    Sql hostile = hostile();
    assertThat(hostile.<Boolean>value("select now() = 'infinity'")).isTrue();
    assertThat(
            hostile.<Boolean>value(
                "select pg_catalog.gen_random_uuid() = pg_catalog.gen_random_uuid()"))
        .isTrue();
  }

  @Test
  void aHostileSessionGetsTheAnswersOfAPlainOne() {
    Sql hostile = hostile();
    String twin = "session-" + UUID.randomUUID();
    UUID twinPartition = log.partition(twin, "p");
    for (String call : STORY) {
      String plain = sql.value(filled(call, queue, partition));
      String answer = hostile.value(filled(call, twin, twinPartition).replace("\\", "\\\\"));
      assertThat(timeless(answer)).as(call).isEqualTo(timeless(plain));
    }
  }

  @Test
  void tablesOfTheSameNameInTheSessionAreNotTheLog() {
    log.append(partition, log.ago(Duration.ofDays(100)), 2);
    for (String table :
        List.of("queues", "log_partitions", "log_segments", "log_txns", "log_consumers")) {
      session.run("create temporary table %1$s (like queen.%1$s)".formatted(table));
    }
    session.run("set search_path = pg_temp, evil, queen");
    assertThat(
            session.number(
                "select (queen.log_retention_step_v1(?, ?, null, 9) ->> 'deleted')::int",
                partition,
                log.ago(Duration.ofDays(1))))
        .isOne();
    assertThat(
            session.number(
                "select (queen.log_txns_purge_step_v1(?, ?, 9) ->> 'deleted')::int",
                partition,
                log.ago(Duration.ofDays(1))))
        .isOne();
  }

  @Test
  void theRunnerSweepsThroughAPoolOfHostileSessions() {
    log.configure(queue, "{\"retentionEnabled\": true, \"retentionSeconds\": 60}");
    log.append(partition, log.ago(Duration.ofDays(1)), 2);
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.setMaximumPoolSize(5);
    config.setConnectionInitSql(
        Stream.concat(
                SETTINGS.stream(),
                Stream.of(
                    "default_transaction_isolation = 'serializable'",
                    "default_transaction_deferrable = on"))
            .map("set %s"::formatted)
            .reduce("select 1", (all, one) -> all + "; " + one));
    try (HikariDataSource pool = new HikariDataSource(config);
        RetentionService service = RetentionService.on(pool).build()) {
      assertThat(service.runOnce())
          .isInstanceOfSatisfying(
              CycleOutcome.Swept.class,
              swept -> {
                assertThat(swept.report().segmentsDeleted()).isOne();
                assertThat(swept.report().visits().failed()).isZero();
              });
    }
    assertThat(log.segments(partition)).isEmpty();
  }

  /** How long a step took is the one thing in which two answers may differ. */
  private static @Nullable String timeless(@Nullable String answer) {
    return answer == null ? null : answer.replaceAll("\"held_ms\": [0-9.]+", "");
  }

  private static String filled(String call, String queue, UUID partition) {
    return call.replace("%p", "'" + partition + "'::pg_catalog.uuid")
        .replace("%q", "'" + queue + "'::pg_catalog.text");
  }

  private static Sql hostile() {
    Sql session = database.connect();
    SETTINGS.forEach(setting -> session.run("set " + setting));
    return session;
  }
}

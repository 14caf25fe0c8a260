package dev.tidemark.retention.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tidemark.retention.core.database.StepSession;
import dev.tidemark.retention.core.database.TailSession;
import dev.tidemark.retention.core.plan.DuePartition;
import dev.tidemark.retention.core.plan.Lane;
import dev.tidemark.retention.core.plan.QueueRule;
import dev.tidemark.retention.core.plan.WorkList;
import dev.tidemark.retention.it.support.HostileSession;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.sql.HolderTransaction;
import dev.tidemark.retention.sql.JooqRetentionDatabase;
import dev.tidemark.retention.sql.LogGateway;
import dev.tidemark.retention.sql.LogGateway.ImportedSegment;
import dev.tidemark.retention.sql.QueueGateway;
import dev.tidemark.retention.sql.StatusGateway;
import dev.tidemark.retention.sql.StepSettings;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A pool whose sessions are set up against us: every built-in that the schema leans on is shadowed
 * by one that lies, and every setting that can change the meaning of a statement is at its oddest.
 */
class HostileSessionIT {
  /** More than a client could stand that reads its answers in the same session. */
  private static final String MORE_LIES =
      """
      create function evil.make_interval(years int default 0, months int default 0, weeks int default 0, days int default 0,
          hours int default 0, mins int default 0, secs double precision default 0) returns interval
          language sql as $$ select interval '0' $$;
      create function evil.jsonb_extract_path_text(jsonb, variadic text[]) returns text language sql as $$ select '666' $$;
      create function evil.jsonb_build_object(text, jsonb) returns jsonb language sql as $$ select '{}'::jsonb $$;
      create function evil.jsonb_build_object(text, numeric) returns jsonb language sql as $$ select '{}'::jsonb $$;
      create function evil.pg_try_advisory_xact_lock(bigint) returns boolean language sql as $$ select true $$;
      create function evil.least(timestamptz, interval) returns timestamptz language sql as $$ select 'infinity'::timestamptz $$;
      create function evil.one(bigint) returns bigint language sql as $$ select 1::bigint $$;
      create aggregate evil.sum(bigint) (sfunc = evil.most, stype = bigint, initcond = '1');
      create aggregate evil.count(*) (sfunc = evil.one, stype = bigint, initcond = '1');
      create operator evil.<= (leftarg = bigint, rightarg = bigint, function = evil.always);
      create operator evil.> (leftarg = bigint, rightarg = bigint, function = evil.always);
      create operator evil.- (leftarg = timestamptz, rightarg = interval, function = evil.least);
      create operator evil.->> (leftarg = jsonb, rightarg = text, function = evil.json_text);
      """;

  private static final List<String> SETTINGS =
      Stream.concat(
              HostileSession.SETTINGS.stream(),
              Stream.of(
                  "default_transaction_isolation = 'serializable'",
                  "default_transaction_deferrable = on",
                  "enable_indexonlyscan = off",
                  "constraint_exclusion = on"))
          .toList();

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private static HikariDataSource pool;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    log = new TestLog(sql);
    sql.run(HostileSession.LIES);
    sql.run(MORE_LIES);
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.setMaximumPoolSize(2);
    config.setConnectionInitSql(
        String.join("; ", SETTINGS.stream().map(setting -> "set " + setting).toList()));
    pool = new HikariDataSource(config);
  }

  @AfterAll
  static void close() {
    pool.close();
    database.close();
  }

  @AfterEach
  void noQueue() {
    TestDatabase.forget(database.url());
  }

  @Test
  void theSessionReallyLies() {
    Sql hostile = hostile();
    assertThat(hostile.<Boolean>value("select now() = 'infinity'")).isTrue();
    assertThat(hostile.number("select count(*) from pg_catalog.generate_series(1, 9)")).isOne();
    assertThat(
            hostile.<Boolean>value(
                "select pg_catalog.gen_random_uuid() = pg_catalog.gen_random_uuid()"))
        .isTrue();
    assertThat(hostile.<String>value("select '{\"a\": 1}'::jsonb ->> 'a'")).isEqualTo("666");
  }

  @Test
  void aWholeCycleThroughTheGatewayDoesWhatItShould() {
    QueueGateway queues = new QueueGateway(pool);
    LogGateway logs = new LogGateway(pool);
    JooqRetentionDatabase retention =
        new JooqRetentionDatabase(
            pool, new StepSettings(Duration.ofSeconds(1), Duration.ofSeconds(10), "off"));
    // A bystander that nothing may touch.
    UUID bystander = log.partition("bystander", "p");
    log.append(bystander, log.ago(Duration.ofDays(400)), 7);
    TestLog.Row untouched = log.row(bystander);
    Instant start = log.ago(Duration.ZERO);

    var options =
        queues.configure(
            "q",
            Map.of(
                "retentionEnabled",
                true,
                "retentionSeconds",
                BigDecimal.valueOf(9000),
                "completedRetentionSeconds",
                BigDecimal.valueOf(5400),
                "dedupWindowSeconds",
                BigDecimal.ZERO,
                "task",
                "a\\b'c"));
    assertThat(options.retentionSeconds()).isEqualTo(9000);
    assertThat(options.task()).isEqualTo("a\\b'c");
    assertThat(options.retryLimit()).isEqualTo(3);
    assertThat(logs.databaseNow()).isBetween(start, log.ago(Duration.ZERO));

    UUID partition =
        logs.importing(
            i -> {
              UUID id = i.provision("q", "p");
              Stream.of(4, 2, 1).forEach(hours -> i.append(id, List.of(segment(hours))));
              return id;
            });
    assertThat(logs.read(partition, 0, 10))
        .extracting(s -> s.blob()[0])
        .containsExactly((byte) 4, (byte) 2, (byte) 1);
    assertThat(Invariants.broken(sql)).isEmpty();
    logs.seek(partition, "g", 4);

    WorkList list = retention.workList(100, 100, Map.of());
    assertThat(list.listedAt()).isBetween(start, log.ago(Duration.ZERO));
    assertThat(list.due(Lane.AGE)).extracting(DuePartition::partitionId).containsExactly(partition);
    assertThat(list.due(Lane.SIDECAR)).extracting(DuePartition::partitionId).contains(partition);
    assertThat(list.due(Lane.WAIT)).isEmpty();
    QueueRule rule =
        list.rules().values().stream()
            .filter(r -> r.queueName().equals("q"))
            .findFirst()
            .orElseThrow();
    assertThat(Duration.between(rule.allCutoff(), list.listedAt())).hasSeconds(9000);
    DuePartition listed = list.due(Lane.AGE).get(0);
    assertThat(retention.duePage(Lane.AGE, rule, Optional.empty(), 10)).containsExactly(listed);
    assertThat(retention.duePage(Lane.AGE, rule, Optional.of(listed.position()), 10)).isEmpty();
    assertThat(retention.headsThatCanGo(List.of(partition, UUID.randomUUID())))
        .containsExactly(partition);

    try (StepSession steps = retention.openSteps()) {
      var first = steps.retention(partition, rule.allCutoff(), null, 10);
      assertThat(first.deleted()).isOne();
      assertThat(first.rule()).hasValue("retention");
      var second = steps.retention(partition, rule.allCutoff(), rule.completedCutoff(), 10);
      assertThat(second.deleted()).isOne();
      assertThat(second.messages()).isEqualTo(2);
      assertThat(second.rule()).hasValue("completed_retention");
      assertThat(steps.retention(partition, rule.allCutoff(), rule.completedCutoff(), 10).deleted())
          .isZero();
      assertThat(steps.purgeTxns(partition, rule.txnsCutoff(), 10).deleted()).isEqualTo(2);
      assertThat(log.row(partition).logStart()).isEqualTo(4);
      assertThat(log.row(partition).txnsStart()).isEqualTo(4);
      assertThat(steps.evictMaxWait(partition, list.listedAt(), 10).deleted()).isOne();
    }
    assertThat(Invariants.broken(sql)).isEmpty();

    sql.run(
        "update queen.log_partitions set created_at = '2020-01-01Z', last_write_at = '2020-01-01Z'"
            + " where id in (?, ?)",
        partition,
        bystander);
    sql.run(
        "update queen.log_consumers set created_at = '2020-01-01Z' where partition_id = ?",
        partition);
    sql.run(
        "insert into queen.worker_metrics (worker_id, sampled_at) values ('w', '2020-01-01Z'),"
            + " ('w', '2021-01-01Z')");
    Instant cutoff = Instant.parse("2021-01-01T00:00:00Z");
    try (TailSession tail = retention.openTail()) {
      assertThat(tail.cleanupPartitions(cutoff, 10, 100, Optional.empty()))
          .isEqualTo(new TailSession.Cleaned(1, Optional.empty()));
      assertThat(tail.purgeMetrics(cutoff, 10)).isEqualTo(new TailSession.Batch(1, true));
      sql.run(
          "insert into queen.retention_history (partition_id, messages_deleted, segments_deleted,"
              + " retention_type, executed_at) select gen_random_uuid(), 1, 1, t, s::timestamptz"
              + " from unnest(array['retention', '__x__']) t,"
              + " unnest(array['2020-12-31 23:59:59.999999Z', '2021-01-01Z']) s");
      Instant last = cutoff.minusNanos(1_000);
      assertThat(tail.rollUpHistory(Instant.EPOCH, cutoff, 10))
          .isEqualTo(new TailSession.RolledUp(1, last, true));
      assertThat(tail.rollUpHistory(last, cutoff, 10))
          .isEqualTo(new TailSession.RolledUp(0, last, true));
    }
    assertThat(log.row(bystander)).isEqualTo(untouched);
    assertThat(
            new StatusGateway(pool)
                .history(start).stream().map(h -> h.queue() + " " + h.rule() + " " + h.segments()))
        .containsExactlyInAnyOrder(
            "q retention 1",
            "q completed_retention 1",
            "q max_wait_time_eviction 1",
            "q __partition_deleted__ 0");
    assertThat(queues.delete("q")).isTrue();
    assertThat(queues.partitions("bystander")).hasSize(1);
  }

  @Test
  void theFunctionsThemselvesAnswerTheSameInBothSessions() {
    UUID partition = log.partition("both", "p");
    log.append(partition, log.ago(Duration.ofHours(3)), 2);
    log.append(partition, log.ago(Duration.ofHours(1)), 2);
    log.commit(partition, "g", 1);
    log.configure(
        "both",
        "{\"retentionEnabled\": true, \"completedRetentionSeconds\": 600, \"maxWaitTimeSeconds\":"
            + " 7200}");
    Sql hostile = hostile();
    for (String query :
        List.of(
            "select queue_name, live_messages, live_segments, due_retention, due_txns, due_max_wait"
                + " from queen.retention_status_v1()",
            "select queue_name, rule, segments, messages from queen.log_retention_preview_v1()",
            "select phase, by_consumption, queue_name, partition_id from queen.log_work_list_v1(9, 9)",
            "select partition_name, log_start, last_offset from queen.queue_partitions_v1('both')",
            "select queen.queue_option_defaults_v1()::text as a",
            "select queen.get_retention_timeseries_v1('{\"from\": \"2026-01-02\", \"to\":"
                + " \"2026-03-04\"}')::text as a",
            "select queen.log_dead_partitions_v1('2020-01-01Z')::text as a",
            "select task, period_ms from queen.lease_status_v1()")) {
      assertThat(hostile.rows(query))
          .as(query)
          .containsExactlyInAnyOrderElementsOf(sql.rows(query));
    }
  }

  @Test
  void theHolderTakesTheRealLock() {
    try (HolderTransaction holder =
        HolderTransaction.open(pool, Duration.ofSeconds(9)).orElseThrow()) {
      assertThat(sql.<Boolean>value("select pg_try_advisory_lock(737001)")).isFalse();
      holder.ping();
    }
    assertThat(sql.<Boolean>value("select pg_try_advisory_lock(737001)")).isTrue();
    sql.rows("select pg_advisory_unlock(737001)");
  }

  private static ImportedSegment segment(int hours) {
    return new ImportedSegment(
        log.ago(Duration.ofHours(hours)), 2, new byte[32], new byte[] {(byte) hours, '\\'});
  }

  private static Sql hostile() {
    Sql session = database.connect();
    SETTINGS.forEach(setting -> session.run("set " + setting));
    return session;
  }
}

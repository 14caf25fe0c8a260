package dev.tidemark.retention.it.edge;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.cli.Cli;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.sql.StatusGateway;
import java.math.BigDecimal;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Segments of more messages than an int counts: whoever sums them keeps every one. */
class MessageCountIT {
  private static final long MANY = 3_000_000_000L;
  private static final long MOST = 1L << 62;

  private TestDatabase database;
  private Sql sql;
  private TestLog log;
  private Cli cli;
  private UUID partition;

  /** Two segments of {@link #MANY} and {@link #MOST} messages, and one of a single message. */
  @BeforeEach
  void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    log = new TestLog(sql);
    cli = new Cli("--jdbc-url", database.url());
    log.configure("q", "{\"retentionEnabled\": true, \"retentionSeconds\": 60}");
    partition = log.partition("q", "p");
    for (String table : List.of("log_segments", "log_txns")) {
      sql.run(
          "insert into queen."
              + table
              + " select ?::uuid, * from (values"
              + " (0, ? - 1, now() - interval '3 hours', ''::bytea),"
              + " (?, ? - 1, now() - interval '2 hours', ''),"
              + " (?, ?, now() - interval '1 hour', '')) v",
          partition,
          MANY,
          MANY,
          MANY + MOST,
          MANY + MOST,
          MANY + MOST);
    }
    sql.run(
        "update queen.log_partitions set last_offset = ?, last_created_at = now(),"
            + " oldest_live_at = (select min(created_at) from queen.log_segments),"
            + " oldest_txn_at = (select min(created_at) from queen.log_txns) where id = ?",
        MANY + MOST,
        partition);
  }

  @AfterEach
  void close() {
    assertThat(Invariants.broken(sql)).isEmpty();
    assertThat(sql.rows("select * from queen.log_invariants_v1()")).isEmpty();
    database.close();
  }

  @Test
  void whatIsPlannedAndDeletedAndRememberedIsExact() {
    assertThat(
            cli.json("status").get("queues").get(0).get("held").get("liveMessages").decimalValue())
        .isEqualTo(new BigDecimal(MANY + MOST + 1));
    JsonNode plan = cli.json("plan");
    assertThat(plan.get("totals").get(0).get("messages").longValue()).isEqualTo(MANY + MOST + 1);
    assertThat(plan.get("totals").get(1).get("messages").longValue()).isEqualTo(MANY + MOST + 1);
    JsonNode went = cli.json("once").get("deleted").get(0);
    assertThat(went.get("segments").longValue()).isEqualTo(3);
    assertThat(went.get("messages").longValue()).isEqualTo(MANY + MOST + 1);
    assertThat(log.history(partition))
        .containsExactly(new TestLog.History(3, MANY + MOST + 1, "retention"));
    assertThat(log.row(partition).logStart()).isEqualTo(MANY + MOST + 1);
    assertThat(
            sql.number(
                "select messages_deleted from queen.queue_history_v1(p_queue => 'q', p_after => null, p_max_rows => 10)"))
        .isEqualTo(MANY + MOST + 1);
  }

  @Test
  void everyStepCountsMessagesAsABigint() {
    JsonNode step = log.retentionStep(partition, log.ago(java.time.Duration.ZERO), null, 1);
    assertThat(step.get("messages").longValue()).isEqualTo(MANY);
    step = log.evictStep(partition, log.ago(java.time.Duration.ZERO), 1);
    assertThat(step.get("messages").longValue()).isEqualTo(MOST);
    assertThat(step.get("new_log_start").longValue()).isEqualTo(MANY + MOST);
    log.commit(partition, "g", MANY + MOST);
    step = log.retentionStep(partition, null, log.ago(java.time.Duration.ZERO), 1);
    assertThat(step.get("messages").longValue()).isOne();
  }

  /** Several rows together are past a bigint, too. */
  @Test
  void sumsOfTheHistoryGoPastABigint() {
    for (int row = 0; row < 3; row++) {
      sql.run(
          "insert into queen.retention_history (partition_id, queue_id, messages_deleted, segments_deleted, retention_type)"
              + " select gen_random_uuid(), id, ?, ?, 'retention' from queen.queues",
          Long.MAX_VALUE,
          MANY);
    }
    BigDecimal messages = new BigDecimal(Long.MAX_VALUE).multiply(BigDecimal.valueOf(3));
    BigDecimal segments = BigDecimal.valueOf(3 * MANY);

    JsonNode series = sql.json("select queen.get_retention_timeseries_v1('{\"queue\": \"q\"}')");
    assertThat(series.get("totals").get("messages").decimalValue()).isEqualTo(messages);
    assertThat(series.get("totals").get("segments").decimalValue()).isEqualTo(segments);
    assertThat(series.get("totals").get("rules").get("retention").get("messages").decimalValue())
        .isEqualTo(messages);
    BigDecimal inSeries = BigDecimal.ZERO;
    for (JsonNode bucket : series.get("series")) {
      inSeries = inSeries.add(bucket.get("rules").get("retention").get("messages").decimalValue());
    }
    assertThat(inSeries).isEqualTo(messages);
    assertThat(new StatusGateway(database.pool()).history(null))
        .containsExactly(new StatusGateway.HistoryTotal("q", "retention", segments, messages));
  }
}

package dev.tidemark.retention.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code cleanup_worker_metrics_v1}: samples and history, each table trimmed by the same bound. */
class CleanupWorkerMetricsIT {
  private static final List<String> TABLES =
      List.of("worker_metrics", "queue_lag_metrics", "system_metrics", "retention_history");

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private Instant cutoff;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    log = new TestLog(sql);
    log.configure("metrics", "{}");
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void emptyTables() {
    TABLES.forEach(table -> sql.run("delete from queen." + table));
    cutoff = log.ago(Duration.ofDays(90));
  }

  @Test
  void everyTableIsTrimmedToTheCutoffWhichItselfSurvives() {
    sample(cutoff);
    sample(cutoff.minus(Duration.ofNanos(1000)));
    sample(cutoff.minus(Duration.ofDays(1)));
    JsonNode step = purge(cutoff, 100);
    assertThat(step.get("deleted").asLong()).isEqualTo(8);
    assertThat(step.get("done").asBoolean()).isTrue();
    for (String table : TABLES) {
      assertThat(step.get(table).asLong()).as(table).isEqualTo(2);
      assertThat(left(table)).as(table).isEqualTo(1);
    }
  }

  @Test
  void aFullBatchOfOneTableIsNotDone() {
    sql.run(
        "insert into queen.system_metrics (sampled_at) select '2000-01-01' from generate_series(1, 5)");
    assertThat(purge(cutoff, 2).get("done").asBoolean()).isFalse();
    assertThat(purge(cutoff, 2).get("done").asBoolean()).isFalse();
    assertThat(purge(cutoff, 2).get("done").asBoolean()).isTrue();
    assertThat(left("system_metrics")).isZero();
  }

  @Test
  void theOldestGoFirst() {
    sample(cutoff.minus(Duration.ofDays(1)));
    sample(cutoff.minus(Duration.ofDays(3)));
    sample(cutoff.minus(Duration.ofDays(2)));
    purge(cutoff, 2);
    assertThat(sql.<Instant>value("select executed_at from queen.retention_history"))
        .isEqualTo(cutoff.minus(Duration.ofDays(1)));
    assertThat(sql.<Instant>value("select sampled_at from queen.worker_metrics"))
        .isEqualTo(cutoff.minus(Duration.ofDays(1)));
  }

  @Test
  void aNullCutoffTrimsNothing() {
    sample(cutoff.minus(Duration.ofDays(1)));
    assertThat(purge(null, 100).get("deleted").asLong()).isZero();
    TABLES.forEach(table -> assertThat(left(table)).isEqualTo(1));
  }

  private static JsonNode purge(@Nullable Instant cutoff, int maxRows) {
    return sql.json(
        "select queen.cleanup_worker_metrics_v1(p_cutoff => ?::timestamptz, p_max_rows => ?)",
        cutoff,
        maxRows);
  }

  /** One row in each table. */
  private static void sample(Instant at) {
    sql.run("insert into queen.worker_metrics (worker_id, sampled_at) values ('w', ?)", at);
    sql.run(
        "insert into queen.queue_lag_metrics (queue_id, sampled_at) select id, ? from queen.queues",
        at);
    sql.run("insert into queen.system_metrics (sampled_at) values (?)", at);
    sql.run(
        "insert into queen.retention_history (partition_id, messages_deleted, segments_deleted, retention_type, executed_at)"
            + " values (?, 1, 1, 'retention', ?)",
        UUID.randomUUID(),
        at);
  }

  private static long left(String table) {
    return sql.number("select count(*) from queen." + table);
  }
}

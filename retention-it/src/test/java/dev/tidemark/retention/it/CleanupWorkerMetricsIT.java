package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code cleanup_worker_metrics_v1}: samples and history, each table trimmed by the same bound. */
class CleanupWorkerMetricsIT {
  private static final List<String> TABLES =
      List.of(
          "worker_metrics",
          "queue_lag_metrics",
          "system_metrics",
          "retention_history",
          "table_history");
  private static final String MINUTES = "retention_history_minutes";
  private static final Instant CUTOFF = Instant.parse("2026-01-01T00:00:00.000001Z");

  private static TestDatabase database;
  private static Sql sql;
  private static UUID queue;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    new TestLog(sql).configure("metrics", "{}");
    queue = sql.value("select id from queen.queues where name = 'metrics'");
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void noSamples() {
    TABLES.forEach(table -> sql.run("delete from queen." + table));
    sql.run("delete from queen." + MINUTES);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "worker_metrics",
        "queue_lag_metrics",
        "system_metrics",
        "retention_history",
        "table_history"
      })
  void eachTableIsTrimmedOldestFirstAndBounded(String table) {
    for (int age = 1; age <= 5; age++) {
      // The oldest is stored last.
      sample(table, CUTOFF.minusSeconds(age));
    }
    sample(table, CUTOFF.plusSeconds(1));

    JsonNode first = purge(CUTOFF, 2);
    assertThat(first.get(table).asInt()).isEqualTo(2);
    assertThat(first.get("deleted").asInt()).isEqualTo(2);
    assertThat(first.get("done").asBoolean()).isFalse();
    assertThat(times(table))
        .containsExactly(
            CUTOFF.minusSeconds(3),
            CUTOFF.minusSeconds(2),
            CUTOFF.minusSeconds(1),
            CUTOFF.plusSeconds(1));

    assertThat(purge(CUTOFF, 2).get("done").asBoolean()).isFalse();
    JsonNode last = purge(CUTOFF, 2);
    assertThat(last.get(table).asInt()).isOne();
    assertThat(last.get("done").asBoolean()).isTrue();
    assertThat(times(table)).containsExactly(CUTOFF.plusSeconds(1));
    assertThat(purge(CUTOFF, 2).get("deleted").asInt()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "worker_metrics",
        "queue_lag_metrics",
        "system_metrics",
        "retention_history",
        "table_history"
      })
  void aRowAtTheCutoffStaysAndOneMicrosecondBeforeGoes(String table) {
    sample(table, CUTOFF.minusNanos(1000));
    sample(table, CUTOFF);
    assertThat(purge(CUTOFF, 100).get(table).asInt()).isOne();
    assertThat(times(table)).containsExactly(CUTOFF);
  }

  @Test
  void allTablesAreTrimmedInOneCallAndCountedOneByOne() {
    for (Duration age : List.of(Duration.ofSeconds(-1), Duration.ZERO, Duration.ofDays(1))) {
      TABLES.forEach(table -> sample(table, CUTOFF.minus(age)));
    }
    JsonNode answer = purge(CUTOFF, 100);
    assertThat(answer.get("deleted").asInt()).isEqualTo(5);
    assertThat(answer.get("done").asBoolean()).isTrue();
    for (String table : TABLES) {
      assertThat(answer.get(table).asInt()).as(table).isOne();
      assertThat(times(table)).as(table).containsExactly(CUTOFF, CUTOFF.plusSeconds(1));
    }
  }

  @Test
  void theBoundIsOfEachTableAndOneFullBatchIsNotDone() {
    TABLES.forEach(table -> sample(table, CUTOFF.minusSeconds(1)));
    sample("system_metrics", CUTOFF.minusSeconds(2));
    JsonNode first = purge(CUTOFF, 1);
    assertThat(first.get("deleted").asInt()).isEqualTo(5);
    assertThat(first.get("done").asBoolean()).isFalse();
    JsonNode second = purge(CUTOFF, 1);
    assertThat(second.get("deleted").asInt()).isOne();
    assertThat(second.get("system_metrics").asInt()).isOne();
    assertThat(purge(CUTOFF, 1))
        .isEqualTo(
            sql.json(
                """
                select '{"deleted": 0, "done": true, "worker_metrics": 0, "queue_lag_metrics": 0, "system_metrics": 0,
                         "retention_history": 0, "retention_history_minutes": 0, "table_history": 0}'::jsonb\
                """));
  }

  @Test
  void aMinuteGoesWhenAllOfItIsBeforeTheCutoffOldestFirstAndBounded() {
    Instant minute = Instant.parse("2026-01-01T00:00:00Z");
    for (int ago = 1; ago <= 4; ago++) {
      sample(MINUTES, minute.minus(Duration.ofMinutes(ago)));
    }
    sample(MINUTES, minute);

    assertThat(purge(minute.minusNanos(1_000), 2).get(MINUTES).asInt()).isEqualTo(2);
    assertThat(times(MINUTES).get(0)).isEqualTo(minute.minus(Duration.ofMinutes(2)));
    JsonNode last = purge(minute.minusNanos(1_000), 2);
    assertThat(last.get(MINUTES).asInt()).as("the last minute is not over").isOne();
    assertThat(last.get("done").asBoolean()).isTrue();
    assertThat(purge(minute, 2).get(MINUTES).asInt()).isOne();
    assertThat(purge(CUTOFF, 2).get(MINUTES).asInt()).isZero();
    assertThat(purge(CUTOFF.plusSeconds(59), 2).get(MINUTES).asInt()).isZero();
    assertThat(times(MINUTES)).containsExactly(minute);
  }

  @Test
  void aMinuteThatSomebodyHoldsIsLeft() {
    Instant minute = Instant.parse("2025-01-01T00:00:00Z");
    sample(MINUTES, minute);
    sample(MINUTES, minute.plusSeconds(60));
    Sql holder = database.connect();
    holder.begin();
    holder.row("select 1 from queen.retention_history_minutes where minute = ? for update", minute);

    assertThat(purge(CUTOFF, 10).get(MINUTES).asInt()).isOne();

    holder.rollback();
    assertThat(times(MINUTES)).containsExactly(minute);
  }

  @Test
  void aNullCutoffPurgesNothing() {
    TABLES.forEach(table -> sample(table, Instant.parse("2000-01-01T00:00:00Z")));
    sample(MINUTES, Instant.parse("2000-01-01T00:00:00Z"));
    JsonNode answer = purge(null, 100);
    assertThat(answer.get("deleted").asInt()).isZero();
    assertThat(answer.get("done").asBoolean()).isTrue();
    TABLES.forEach(table -> assertThat(times(table)).as(table).hasSize(1));
    assertThat(times(MINUTES)).hasSize(1);
  }

  @Test
  void theBoundIsAtLeastOne() {
    sample("worker_metrics", CUTOFF.minusSeconds(1));
    for (Integer bad : new Integer[] {null, 0, -1}) {
      refused("22023", () -> purge(CUTOFF, bad), "cleanup_worker_metrics_v1", "p_max_rows");
    }
    assertThat(times("worker_metrics")).hasSize(1);
  }

  @Test
  void itNeedsReadCommitted() {
    sql.begin();
    sql.run("set transaction isolation level serializable");
    refused("TM001", () -> purge(CUTOFF, 1), "cleanup_worker_metrics_v1");
    sql.rollback();
  }

  private static void sample(String table, Instant at) {
    switch (table) {
      case "worker_metrics" ->
          sql.run("insert into queen.worker_metrics (worker_id, sampled_at) values ('w', ?)", at);
      case "queue_lag_metrics" ->
          sql.run(
              "insert into queen.queue_lag_metrics (queue_id, sampled_at) values (?, ?)",
              queue,
              at);
      case "system_metrics" ->
          sql.run("insert into queen.system_metrics (sampled_at) values (?)", at);
      case "table_history" ->
          sql.run(
              "insert into queen.table_history (policy, relation, leaf, rows_deleted,"
                  + " rows_archived, rows_skipped, cutoff, held_ms, executed_at) values ('p',"
                  + " 'public.t', 'public.t', 1, 0, 0, now(), 1, ?)",
              at);
      case MINUTES ->
          sql.run(
              "insert into queen.retention_history_minutes (minute, messages_deleted,"
                  + " segments_deleted, retention_type, steps) values (?, 1, 1, 'retention', 1)",
              at);
      default ->
          sql.run(
              "insert into queen.retention_history (partition_id, messages_deleted,"
                  + " segments_deleted, retention_type, executed_at) values (gen_random_uuid(), 1,"
                  + " 1, 'retention', ?)",
              at);
    }
  }

  private static List<Instant> times(String table) {
    String column =
        switch (table) {
          case MINUTES -> "minute";
          case "retention_history", "table_history" -> "executed_at";
          default -> "sampled_at";
        };
    return sql.rows("select " + column + " as at from queen." + table + " order by 1").stream()
        .map(row -> (Instant) row.get("at"))
        .toList();
  }

  private static JsonNode purge(Instant cutoff, Integer maxRows) {
    return sql.json(
        "select queen.cleanup_worker_metrics_v1(p_cutoff => ?::timestamptz, p_max_rows => ?::int)",
        cutoff,
        maxRows);
  }
}

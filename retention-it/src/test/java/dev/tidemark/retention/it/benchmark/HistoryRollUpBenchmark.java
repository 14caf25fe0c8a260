package dev.tidemark.retention.it.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.cycle.CycleReport;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.runner.RetentionService;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Whether the history is rolled up, and purged, at least as fast as it is written: rows a second of
 * each, by the runner as it ships, in alternation. The worst a writer can do is a segment a
 * partition, so that every step deletes one row and writes one.
 */
class HistoryRollUpBenchmark {
  private static final int ROUNDS = 5;
  private static final int PARTITIONS = 4_000;
  private static final int ROWS = 40_000;
  private static final int QUEUES = 10;

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private final Map<String, List<Double>> rates = new LinkedHashMap<>();

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    log = new TestLog(sql);
    for (int queue = 0; queue < QUEUES; queue++) {
      log.configure("q" + queue, "{\"retentionEnabled\": true, \"retentionSeconds\": 3600}");
    }
    sql.run(
        "insert into queen.log_partitions (queue_id, name)"
            + " select q.id, 'p' || n from queen.queues q, generate_series(1, ?) n",
        PARTITIONS / QUEUES);
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @Test
  void writtenAgainstRolledUpAndPurged() {
    for (int round = 0; round <= ROUNDS; round++) {
      for (String workers : List.of("1", "4")) {
        aSegmentEach();
        measured(
            round,
            "written by steps, parallelism " + workers,
            workers,
            report -> {
              assertThat(report.segmentsDeleted()).isEqualTo(PARTITIONS);
              return report.segmentsDeleted();
            });
      }
      history("2 days", "queue");
      measured(round, "rolled up, 10 queues", "1", report -> report.rollUp().rows());
      history("2 days", "gen_random_uuid()");
      measured(
          round, "rolled up, each row a total of its own", "1", report -> report.rollUp().rows());
      sql.run("update queen.retention_history_minutes set minute = minute - interval '100 days'");
      history("100 days", "queue");
      measured(round, "purged", "1", report -> report.metrics().rows());
    }
    rates.forEach(
        (what, values) ->
            System.out.printf("%,9.0f rows/s %s (median of %d)%n", median(values), what, ROUNDS));
  }

  /** One cycle that has one thing to do; the first round warms up. */
  private void measured(int round, String what, String workers, Count count) {
    sql.run("vacuum analyze");
    try (RetentionService service =
        RetentionService.on(database.pool())
            .knob(Knob.PARALLELISM, workers)
            .knob(Knob.CYCLE_BUDGET_MS, "600000")
            .build()) {
      CycleReport report = ((CycleOutcome.Swept) service.runOnce()).report();
      long rows = count.of(report);
      assertThat(rows).as(what).isPositive();
      if (round > 0) {
        rates
            .computeIfAbsent(what, w -> new ArrayList<>())
            .add(rows * 1e9 / report.elapsed().toNanos());
      }
    }
  }

  private static void aSegmentEach() {
    sql.run("set session_replication_role = replica");
    sql.run(
        "insert into queen.log_segments (partition_id, base_offset, end_offset, created_at, blob)"
            + " select id, last_offset + 1, last_offset + 1, now() - interval '2 hours',"
            + " convert_to(repeat('x', 1000), 'UTF8') from queen.log_partitions");
    sql.run(
        "update queen.log_partitions set last_offset = last_offset + 1, txns_start = last_offset + 2,"
            + " oldest_live_at = now() - interval '2 hours', last_created_at = now()");
    sql.run("reset session_replication_role");
  }

  private static void history(String age, String queue) {
    sql.run(
        "insert into queen.retention_history (partition_id, queue_id, messages_deleted,"
            + " segments_deleted, retention_type, executed_at)"
            + " select gen_random_uuid(), "
            + queue
            + ", 10, 1, 'retention', now() - interval '"
            + age
            + "' + n * interval '2 milliseconds'"
            + " from generate_series(1, ?) n join (select array_agg(id) as ids from queen.queues) q on true"
            + " cross join lateral (select q.ids[1 + n % ?] as queue) c",
        ROWS,
        QUEUES);
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().skip(values.size() / 2).findFirst().orElseThrow();
  }

  private interface Count {
    long of(CycleReport report);
  }
}

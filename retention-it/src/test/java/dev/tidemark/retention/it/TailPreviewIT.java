package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.support.Reads;
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

/**
 * {@code log_cleanup_preview_v1} and {@code worker_metrics_preview_v1}: what phases 4 and 5 would
 * delete.
 */
class TailPreviewIT {
  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private Instant cutoff;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    log = new TestLog(sql);
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void nothing() {
    sql.run("delete from queen.queues");
    sql.run(
        "truncate queen.worker_metrics, queen.retention_history, queen.retention_history_minutes");
    cutoff = log.ago(Duration.ofDays(30));
  }

  @Test
  void silentSinceExactlyTheCutoffStaysAndOneMicrosecondLongerGoes() {
    silentSince(log.partition("q", "stays"), cutoff);
    silentSince(log.partition("q", "goes"), cutoff.minusNanos(1000));
    assertThat(preview()).containsExactly("goes");
    assertThat(sql.rows("select * from queen.log_cleanup_preview_v1('other', ?)", cutoff))
        .isEmpty();
    assertThat(sql.rows("select * from queen.log_cleanup_preview_v1(null, null)")).isEmpty();
  }

  @Test
  void aPartitionGoesInTheCycleThatEmptiesItByWhicheverRule() {
    UUID partition = log.partition("q", "p");
    log.append(partition, log.ago(Duration.ofHours(9)), 2);
    log.append(partition, log.ago(Duration.ofHours(8)), 2);
    silentSince(partition, cutoff.minusSeconds(1));

    policy(0, 0, 0);
    assertThat(preview()).as("no rule").isEmpty();
    policy(7, 0, 0);
    assertThat(preview()).as("by age").containsExactly("p");
    policy(9, 0, 0);
    assertThat(preview()).as("the newest segment stays").isEmpty();
    policy(0, 0, 7);
    assertThat(preview()).as("by max wait").containsExactly("p");
    policy(0, 7, 0);
    assertThat(preview()).as("nobody consumed it").isEmpty();
    log.commit(partition, "g", 2);
    silentSince(partition, cutoff.minusSeconds(1));
    assertThat(preview()).as("the group is inside the newest segment").isEmpty();
    log.commit(partition, "g", 3);
    silentSince(partition, cutoff.minusSeconds(1));
    assertThat(preview()).as("consumed").containsExactly("p");
    sql.run("update queen.log_consumers set created_at = now()");
    assertThat(preview()).as("a cursor that joined lately").isEmpty();
  }

  @Test
  void aBacklogCostsItsNewestSegmentOnly() {
    policy(1, 0, 0);
    UUID partition = log.partition("q", "p");
    sql.run(
        "insert into queen.log_segments (partition_id, base_offset, end_offset, created_at, blob)"
            + " select ?, n, n, now() - interval '9 hours', '' from generate_series(0, 999) n",
        partition);
    sql.run(
        "update queen.log_partitions set last_offset = 999, oldest_live_at = now() - interval '9 hours' where id = ?",
        partition);
    silentSince(partition, cutoff.minusSeconds(1));
    sql.run("analyze queen.log_segments, queen.log_partitions");

    Reads.Read read =
        new Reads(sql, "log_segments").during(() -> assertThat(preview()).containsExactly("p"));

    assertThat(read.sequentialScans()).isZero();
    assertThat(read.indexEntries()).isLessThanOrEqualTo(2);
  }

  @Test
  void oldSamplesAndHistoryAreCountedUpToACap() {
    sql.run(
        "insert into queen.worker_metrics (worker_id, sampled_at) select 'w', ?::timestamptz - n * interval '1 second'"
            + " from generate_series(0, 5) n",
        cutoff);
    assertThat(counted("worker_metrics", 100)).isEqualTo(5);
    assertThat(counted("worker_metrics", 3)).isEqualTo(3);
    assertThat(counted("retention_history", 100)).isZero();
    sql.run(
        "insert into queen.retention_history_minutes (minute, retention_type, messages_deleted,"
            + " segments_deleted, steps) select date_bin('1 minute', ?::timestamptz, 'epoch')"
            + " - n * interval '1 minute', 'retention', 1, 1, 1 from generate_series(0, 3) n",
        cutoff);
    assertThat(counted("retention_history_minutes", 100)).as("whole minutes").isEqualTo(3);
    assertThat(
            sql.json("select queen.cleanup_worker_metrics_v1(?, 100)", cutoff)
                .get("retention_history_minutes")
                .asInt())
        .as("as the purge does")
        .isEqualTo(3);
    assertThat(
            sql.number(
                "select sum(rows) from queen.worker_metrics_preview_v1(p_cutoff => null, p_max_rows => 9)"))
        .isZero();
    for (String cap : List.of("null", "0")) {
      refused(
          cap,
          "22023",
          () -> sql.rows("select * from queen.worker_metrics_preview_v1(now(), " + cap + ")"),
          "p_max_rows must be at least 1");
    }
  }

  private static void policy(int hours, int hoursWhenConsumed, int hoursToWait) {
    log.configure(
        "q",
        "{\"retentionEnabled\": true, \"retentionSeconds\": %d, \"completedRetentionSeconds\": %d, \"maxWaitTimeSeconds\": %d}"
            .formatted(hours * 3600, hoursWhenConsumed * 3600, hoursToWait * 3600));
  }

  private static void silentSince(UUID partition, Instant since) {
    sql.run(
        "update queen.log_partitions set created_at = ?, last_write_at = ? where id = ?",
        since,
        since,
        partition);
    sql.run("update queen.log_consumers set created_at = '2000-01-01Z'");
  }

  private List<String> preview() {
    return sql
        .rows(
            "select partition_name from queen.log_cleanup_preview_v1(p_queue => null, p_cutoff => ?)",
            cutoff)
        .stream()
        .map(r -> String.valueOf(r.get("partition_name")))
        .toList();
  }

  private long counted(String table, int cap) {
    return sql.number(
        "select rows from queen.worker_metrics_preview_v1(p_cutoff => ?, p_max_rows => ?) where table_name = ?",
        cutoff,
        cap,
        table);
  }
}

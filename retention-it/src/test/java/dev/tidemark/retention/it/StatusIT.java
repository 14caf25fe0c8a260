package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an operator reads: status, partitions, history totals, the log itself. */
class StatusIT {
  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;

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
  void noQueues() {
    sql.run("delete from queen.queues");
    sql.run("truncate queen.log_txns, queen.retention_history, queen.retention_history_minutes");
  }

  @Test
  void aQueueWithoutPartitionsHoldsNothing() {
    log.configure(
        "empty",
        "{\"retentionEnabled\": true, \"retentionSeconds\": 1, \"completedRetentionSeconds\": 2,"
            + " \"maxWaitTimeSeconds\": 3}");
    assertThat(status("empty"))
        .containsEntry("retention_enabled", true)
        .containsEntry("retention_seconds", 1)
        .containsEntry("completed_retention_seconds", 2)
        .containsEntry("max_wait_time_seconds", 3)
        .containsEntry("partitions", 0L)
        .containsEntry("live_partitions", 0L)
        .containsEntry("live_segments", 0L)
        .containsEntry("live_messages", BigDecimal.ZERO)
        .containsEntry("oldest_live_at", null)
        .containsEntry("sidecar_rows", 0L)
        .containsEntry("unread_partitions", 0L)
        .containsEntry("due_retention", 0L)
        .containsEntry("due_txns", 0L)
        .containsEntry("due_max_wait", 0L);
  }

  @Test
  void queuesComeByName() {
    List.of("b", "a", "c").forEach(name -> log.configure(name, "{}"));
    assertThat(sql.rows("select queue_name from queen.retention_status_v1()"))
        .extracting(r -> r.get("queue_name"))
        .containsExactly("a", "b", "c");
  }

  @Test
  void messagesAreExactAndSegmentsTooWhereThePackingIsEven() {
    UUID even = log.partition("q", "even");
    for (int hours = 8; hours >= 1; hours--) {
      log.append(even, log.ago(Duration.ofHours(hours)), 10);
    }
    log.append(even, log.ago(Duration.ofMinutes(1)), 3); // the last one is not full
    UUID uneven = log.partition("q", "uneven");
    Instant oldest = log.ago(Duration.ofHours(9));
    log.append(uneven, oldest, 7);
    UUID emptied = log.partition("q", "emptied");
    log.append(emptied, log.ago(Duration.ofHours(1)), 5);
    log.retentionStep(emptied, log.ago(Duration.ZERO), null, 10);
    log.partition("q", "fresh");

    assertThat(status("q"))
        .containsEntry("partitions", 4L)
        .containsEntry("live_partitions", 2L)
        .containsEntry("live_segments", 10L)
        .containsEntry("live_messages", BigDecimal.valueOf(90))
        .containsEntry("sidecar_rows", 11L)
        .containsEntry("oldest_live_at", oldest);

    log.retentionStep(even, log.ago(Duration.ofMinutes(150)), null, 100);
    log.purgeStep(even, log.ago(Duration.ofMinutes(210)), 100);
    assertThat(status("q"))
        .containsEntry("live_segments", 4L)
        .containsEntry("live_messages", BigDecimal.valueOf(30))
        .containsEntry("sidecar_rows", 6L);
  }

  @Test
  void messagesStayExactPastSixtyThreeBits() {
    for (String name : List.of("p", "r")) {
      UUID partition = log.partition("q", name);
      log.append(partition, log.ago(Duration.ofHours(1)), 1);
      sql.run(
          "update queen.log_segments set end_offset = 9223372036854775806 where partition_id = ?",
          partition);
      sql.run(
          "update queen.log_partitions set last_offset = 9223372036854775806 where id = ?",
          partition);
    }
    assertThat(status("q"))
        .containsEntry("live_messages", new BigDecimal("18446744073709551614"))
        .containsEntry("live_segments", 2L);
  }

  @Test
  void unreadPartitionsHoldDataAndHaveNoCursor() {
    UUID unread = log.partition("q", "unread");
    log.append(unread, log.ago(Duration.ofHours(1)), 1);
    UUID read = log.partition("q", "read");
    log.append(read, log.ago(Duration.ofHours(1)), 1);
    log.commit(read, "g", -1);
    log.partition("q", "empty");
    assertThat(status("q")).containsEntry("unread_partitions", 1L);
  }

  @Test
  void duePartitionsAreCountedPerPhase() {
    log.configure("q", "{\"dedupWindowSeconds\": 0}");
    for (int i = 1; i <= 4; i++) {
      log.append(log.partition("q", "p" + i), log.ago(Duration.ofMinutes(10L * i)), 1);
    }
    assertDue(0, 3, 0);
    log.configure("q", "{\"maxWaitTimeSeconds\": 1500}");
    assertDue(0, 3, 2);
    log.configure("q", "{\"retentionSeconds\": 900, \"completedRetentionSeconds\": 2100}");
    assertDue(0, 1, 2);
    log.configure("q", "{\"retentionEnabled\": true}");
    assertDue(3, 1, 2);
    log.configure("q", "{\"retentionSeconds\": 0}");
    assertDue(1, 1, 2);
    log.configure("q", "{\"dedupWindowSeconds\": 86400}");
    assertDue(1, 0, 2);
  }

  @Test
  void dueAgreesWithTheWorkList() {
    log.configure(
        "q",
        "{\"retentionEnabled\": true, \"retentionSeconds\": 1500, \"maxWaitTimeSeconds\": 3000,"
            + " \"dedupWindowSeconds\": 0}");
    for (int i = 1; i <= 6; i++) {
      log.append(log.partition("q", "p" + i), log.ago(Duration.ofMinutes(10L * i)), 1);
    }
    Map<String, Object> status = status("q");
    for (var phase : Map.of(1, "due_retention", 2, "due_txns", 3, "due_max_wait").entrySet()) {
      assertThat(
              sql.number(
                  "select count(*) from queen.log_work_list_v1(100, 100) where phase = ?",
                  phase.getKey()))
          .as(phase.getValue())
          .isEqualTo(status.get(phase.getValue()))
          .isPositive();
    }
  }

  @Test
  void partitionsAreListedByNameWithTheirEnds() {
    UUID b = log.partition("q", "b");
    UUID a = log.partition("q", "a");
    Instant at = log.ago(Duration.ofHours(1));
    log.append(b, at, 5);
    log.append(log.partition("other", "c"), at, 1);
    var rows = sql.rows("select * from queen.queue_partitions_v1(p_queue => 'q')");
    assertThat(rows).hasSize(2);
    assertThat(rows.get(0))
        .containsEntry("partition_id", a)
        .containsEntry("partition_name", "a")
        .containsEntry("log_start", 0L)
        .containsEntry("last_offset", -1L)
        .containsEntry("oldest_live_at", null);
    assertThat(rows.get(1))
        .containsEntry("partition_id", b)
        .containsEntry("last_offset", 4L)
        .containsEntry("oldest_live_at", at);
  }

  @Test
  void partitionsOfAnUnknownQueueAreAnError() {
    log.configure("q", "{}");
    assertThat(sql.rows("select * from queen.queue_partitions_v1('q')")).isEmpty();
    refused("TM003", () -> sql.rows("select * from queen.queue_partitions_v1('none')"), "none");
    refused("22023", () -> sql.rows("select * from queen.queue_partitions_v1('')"), "p_queue");
    refused("22023", () -> sql.rows("select * from queen.queue_partitions_v1(null)"), "p_queue");
  }

  @Test
  void historyIsSummedByQueueAndRuleFromAMomentOn() {
    UUID p = log.partition("q", "p");
    UUID queue = sql.value("select id from queen.queues where name = 'q'");
    UUID gone = UUID.randomUUID();
    Instant since = Instant.parse("2026-01-01T00:00:00Z");
    history(p, queue, "retention", 1L << 62, since);
    history(p, queue, "retention", 1L << 62, since);
    history(p, queue, "retention", 1, since.minusNanos(1000));
    history(p, queue, "completed_retention", 3, since.plusSeconds(1));
    history(p, queue, "__partition_deleted__", 0, since);
    history(p, gone, "retention", 7, since);

    for (String when : List.of("before it is rolled up", "after")) {
      assertThat(totals(since))
          .as(when)
          .containsExactly(
              "q __partition_deleted__ 0/2/1",
              "q completed_retention 3/2/1",
              "q retention 9223372036854775808/4/2",
              "null retention 7/2/1");
      assertThat(totals(null)).as(when).contains("q retention 9223372036854775809/6/3");
      assertThat(totals(since.plusSeconds(2))).as(when).isEmpty();
      sql.rows("select queen.log_history_roll_up_step_v1(null, 'infinity', 10)");
    }
    assertThat(sql.number("select count(*) from queen.retention_history")).as("the event").isOne();
  }

  @Test
  void theLogIsReadInOrderAndInPages() {
    UUID partition = log.partition("q", "p");
    for (int hours = 5; hours >= 1; hours--) {
      log.append(partition, log.ago(Duration.ofHours(hours)), 2);
    }
    log.retentionStep(partition, log.ago(Duration.ofMinutes(270)), null, 10);
    assertThat(read(partition, 0, 10)).containsExactly("2-3", "4-5", "6-7", "8-9");
    assertThat(read(partition, 0, 3)).containsExactly("2-3", "4-5", "6-7");
    assertThat(read(partition, 8, 3)).containsExactly("8-9");
    assertThat(read(partition, 3, 1)).as("base_offset at or after").containsExactly("4-5");
    assertThat(read(partition, 10, 3)).isEmpty();
    assertThat(read(partition, -5, 1)).containsExactly("2-3");
    assertThat(read(UUID.randomUUID(), 0, 1)).isEmpty();
    assertThat(sql.<byte[]>value("select blob from queen.log_read_v1(?, 8, 1)", partition))
        .asString()
        .isEqualTo("blob");
  }

  @Test
  void readingNeedsEveryArgument() {
    UUID partition = log.partition("q", "p");
    for (Object[] bad :
        new Object[][] {
          {null, 0L, 1}, {partition, null, 1}, {partition, 0L, null}, {partition, 0L, 0}
        }) {
      refused(
          "22023",
          () -> sql.rows("select * from queen.log_read_v1(?, ?::bigint, ?::int)", bad),
          "log_read_v1");
    }
  }

  private static Map<String, Object> status(String queue) {
    return sql.row("select * from queen.retention_status_v1() where queue_name = ?", queue);
  }

  private static void assertDue(long retention, long txns, long maxWait) {
    assertThat(status("q"))
        .containsEntry("due_retention", retention)
        .containsEntry("due_txns", txns)
        .containsEntry("due_max_wait", maxWait);
  }

  private static void history(UUID partition, UUID queue, String type, long messages, Instant at) {
    sql.run(
        "insert into queen.retention_history (partition_id, queue_id, messages_deleted,"
            + " segments_deleted, retention_type, executed_at) values (?, ?, ?, 2, ?, ?)",
        partition,
        queue,
        messages,
        type,
        at);
  }

  private static List<String> totals(Instant since) {
    List<String> totals = new ArrayList<>();
    for (var r :
        sql.rows("select * from queen.retention_history_totals_v1(?::timestamptz)", since)) {
      totals.add(
          r.get("queue_name")
              + " "
              + r.get("retention_type")
              + " "
              + r.get("messages_deleted")
              + "/"
              + r.get("segments_deleted")
              + "/"
              + r.get("events"));
    }
    return totals;
  }

  private static List<String> read(UUID partition, long from, int max) {
    return sql.rows("select * from queen.log_read_v1(?, ?, ?)", partition, from, max).stream()
        .map(r -> r.get("base_offset") + "-" + r.get("end_offset"))
        .toList();
  }
}

package dev.tidemark.retention.it.edge;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.cycle.CycleReport;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestPush;
import dev.tidemark.retention.runner.RetentionService;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The shortest and the longest windows, whose cutoffs lie before 1970. */
class WindowEdgeIT {
  private static final Duration LONGEST = Duration.ofSeconds(Integer.MAX_VALUE);

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private static RetentionService service;
  private String queue;
  private UUID partition;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    log = new TestLog(sql);
    service = RetentionService.on(database.pool()).knob(Knob.CLEANUP_DAYS, "36500").build();
  }

  @AfterAll
  static void close() {
    database.close();
  }

  /** One segment of the year 1, one on each side of the longest window, and one of an hour ago. */
  @BeforeEach
  void aLogOfTwoThousandYears() {
    queue = UUID.randomUUID().toString();
    log.configure(queue, "{}");
    partition = log.partition(queue, "p");
    log.append(partition, Instant.parse("0001-01-01T00:00:00Z"), 1);
    log.append(partition, log.ago(LONGEST.plusDays(1)), 1);
    log.append(partition, log.ago(LONGEST.minusDays(1)), 1);
    log.append(partition, log.ago(Duration.ofHours(1)), 1);
    log.commit(partition, "g", 3);
  }

  @AfterEach
  void theQueueIsGone() {
    assertThat(Invariants.broken(sql)).isEmpty();
    sql.run("select queen.delete_queue_v1(p_name => ?)", queue);
  }

  @ParameterizedTest
  @CsvSource({
    "retentionSeconds, 0, 0, ",
    "retentionSeconds, 1, 4, retention",
    "retentionSeconds, 2147483647, 2, retention",
    "completedRetentionSeconds, 0, 0, ",
    "completedRetentionSeconds, 1, 4, completed_retention",
    "completedRetentionSeconds, 2147483647, 2, completed_retention",
    "maxWaitTimeSeconds, 0, 0, ",
    "maxWaitTimeSeconds, 1, 4, max_wait_time_eviction",
    "maxWaitTimeSeconds, 2147483647, 2, max_wait_time_eviction"
  })
  void aCycleTakesWhatIsOlderThanTheWindowAndZeroIsOff(
      String option, int seconds, int goes, String rule) {
    log.configure(queue, "{\"retentionEnabled\": true, \"%s\": %d}".formatted(option, seconds));

    CycleReport report = cycle();

    assertThat(report.visits().failed()).isZero();
    assertThat(log.segments(partition)).hasSize(4 - goes);
    assertThat(log.row(partition).logStart()).isEqualTo(goes);
    if (goes == 0) {
      assertThat(report.byQueue()).isEmpty();
      assertThat(log.history(partition)).isEmpty();
    } else {
      assertThat(report.byQueue().get(queue)).containsOnlyKeys(rule);
      assertThat(log.history(partition)).containsExactly(new TestLog.History(goes, goes, rule));
    }
  }

  /** The sidecar is kept for 900 s at least, and as long as either window needs it. */
  @ParameterizedTest
  @CsvSource({
    "dedupWindowSeconds, 0, 4",
    "dedupWindowSeconds, 1, 4",
    "dedupWindowSeconds, 2147483647, 2",
    "completedRetentionSeconds, 2147483647, 2"
  })
  void aCycleKeepsTheHashesOfTheLongestWindow(String option, int seconds, int goes) {
    log.configure(queue, "{\"dedupWindowSeconds\": 0}");
    log.configure(queue, "{\"%s\": %d}".formatted(option, seconds));

    assertThat(cycle().txnsPurged()).isEqualTo(goes);
    assertThat(log.row(partition).txnsStart()).isEqualTo(goes);
    assertThat(log.segments(partition)).hasSize(4);
  }

  @ParameterizedTest
  @CsvSource({"0, queued", "1, queued", "2147483647, duplicate"})
  void aPushLooksBackAsFarAsTheWindow(int seconds, String status) {
    log.configure(queue, "{\"dedupWindowSeconds\": %d}".formatted(seconds));
    assertThat(
            new TestPush(sql)
                .raw(queue, "p", 1, new byte[16], null, new byte[0])
                .get("status")
                .asText())
        .isEqualTo(status);
  }

  @Test
  void theLongestLeaseEndsInTheFuture() {
    log.configure(queue, "{\"leaseTime\": 2147483647}");
    sql.json(
        "select queen.log_seek_v1(p_partition_id => ?, p_group => 'g', p_offset => 0)", partition);
    assertThat(
            sql.rows(
                "select * from queen.log_pop_v1(p_queue => ?, p_partition => 'p', p_group => 'g', p_worker => 'w',"
                    + " p_max_messages => 2147483647, p_lease_seconds => null)",
                queue))
        .hasSize(4);
    assertThat(
            sql.<Boolean>value(
                "select lease_expires_at > now() + interval '68 years' from queen.log_consumers where partition_id = ?",
                partition))
        .isTrue();
  }

  @Test
  void allLongestWindowsTogetherArePlannedAsTheyAreDone() {
    log.configure(
        queue,
        "{\"retentionEnabled\": true, \"retentionSeconds\": 2147483647, \"completedRetentionSeconds\": 2147483647,"
            + " \"maxWaitTimeSeconds\": 2147483647, \"dedupWindowSeconds\": 2147483647}");

    assertThat(
            sql.number(
                "select sum(segments) from queen.log_retention_preview_v1(p_queue => ?) where phase = 1",
                queue))
        .isEqualTo(2);
    assertThat(
            sql.number(
                "select due_retention + due_txns + due_max_wait from queen.retention_status_v1() where queue_name = ?",
                queue))
        .isEqualTo(3);
    CycleReport report = cycle();
    assertThat(report.segmentsDeleted()).isEqualTo(2);
    assertThat(report.txnsPurged()).isEqualTo(2);
    assertThat(report.maxWaitEvicted()).isZero();
    assertThat(report.rules().get(0).allCutoff()).isBefore(Instant.EPOCH);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "retentionSeconds",
        "completedRetentionSeconds",
        "maxWaitTimeSeconds",
        "dedupWindowSeconds",
        "leaseTime",
        "retryLimit"
      })
  void aWindowIsAnIntAndNotOneMore(String option) {
    JsonNode longest = log.configure(queue, "{\"%s\": 2147483647}".formatted(option));
    assertThat(longest.get(option).asLong()).isEqualTo(2147483647L);
    for (String no : new String[] {"2147483648", "9223372036854775808", "1e400", "-1"}) {
      refused(
          "22023",
          () -> log.configure(queue, "{\"%s\": %s}".formatted(option, no)),
          option,
          "2147483647");
    }
    assertThat(log.configure(queue, "{}")).isEqualTo(longest);
    assertThat(log.configure(queue, "{\"%s\": 0}".formatted(option)).get(option).asLong()).isZero();
  }

  private static CycleReport cycle() {
    return ((CycleOutcome.Swept) service.runOnce()).report();
  }
}

package dev.tidemark.retention.it.laws;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.Waiting;
import dev.tidemark.retention.runner.RetentionService;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the options of a queue and the window of the history keep, and that no edit is lost. */
public class PolicyLaws {
  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private static RetentionService service;

  @BeforeAll
  static void open() {
    database = Target.open();
    sql = database.connect();
    log = new TestLog(sql);
    service = RetentionService.on(database.pool()).build();
  }

  @AfterAll
  static void close() {
    service.close();
    database.close();
  }

  @ParameterizedTest
  @CsvSource({
    "retentionSeconds, completedRetentionSeconds",
    "completedRetentionSeconds, retentionSeconds",
    "maxWaitTimeSeconds, retentionSeconds"
  })
  void aWindowOfZeroDeletesNothing(String zero, String other) {
    String queue = "window-" + zero;
    log.configure(
        queue, "{\"retentionEnabled\":true,\"%s\":0,\"%s\":2000000000}".formatted(zero, other));
    UUID partition = log.partition(queue, "p");
    log.append(partition, log.ago(Duration.ofDays(1000)), 2);
    log.append(partition, log.ago(Duration.ofSeconds(1)), 2);
    log.commit(partition, "g", 3);

    assertThat(service.runOnce()).isInstanceOf(CycleOutcome.Swept.class);

    assertThat(log.segments(partition)).hasSize(2);
  }

  /** Nobody can ask for less: who pushed a moment ago may push the same again. */
  @Test
  void hashesStayForAQuarterOfAnHourWhateverTheWindows() {
    log.configure("policy-hashes", "{\"dedupWindowSeconds\":0,\"completedRetentionSeconds\":0}");
    UUID old = log.partition("policy-hashes", "old");
    log.append(old, log.ago(Duration.ofMinutes(16)), 1);
    UUID young = log.partition("policy-hashes", "young");
    log.append(young, log.ago(Duration.ofMinutes(14)), 1);

    service.runOnce();

    assertThat(log.row(old).txnsStart()).isEqualTo(1);
    assertThat(log.row(young).txnsStart()).isZero();
  }

  @Test
  void aHeadThatEveryGroupHasJustCommittedGoes() {
    log.configure("policy-head", "{\"retentionEnabled\":true,\"completedRetentionSeconds\":3600}");
    UUID partition = log.partition("policy-head", "p");
    log.append(partition, log.ago(Duration.ofDays(2)), 3);
    log.append(partition, log.ago(Duration.ofDays(1)), 3);
    log.commit(partition, "g", 2);

    service.runOnce();

    assertThat(log.row(partition).logStart()).isEqualTo(3);
  }

  @Test
  void maxWaitHoldsAlsoWhereRetentionIsOff() {
    log.configure("policy-wait", "{\"retentionEnabled\":false,\"maxWaitTimeSeconds\":3600}");
    UUID partition = log.partition("policy-wait", "p");
    log.append(partition, log.ago(Duration.ofHours(2)), 1);
    log.append(partition, log.ago(Duration.ofMinutes(30)), 1);

    service.runOnce();

    assertThat(log.row(partition).logStart()).isEqualTo(1);
  }

  @Test
  void hashesGoByTheirOwnWindowAlsoWhereTheLogKeepsForEver() {
    log.configure("policy-sidecar", "{\"dedupWindowSeconds\":3600}");
    UUID partition = log.partition("policy-sidecar", "p");
    log.append(partition, log.ago(Duration.ofHours(2)), 1);

    service.runOnce();

    assertThat(log.row(partition).txnsStart()).isEqualTo(1);
    assertThat(log.row(partition).logStart()).isZero();
  }

  @Test
  void hashesStayAsLongAsRuleTwoMayKeepTheirSegments() {
    log.configure("policy-both", "{\"dedupWindowSeconds\":0,\"completedRetentionSeconds\":7200}");
    UUID partition = log.partition("policy-both", "p");
    log.append(partition, log.ago(Duration.ofHours(1)), 1);

    service.runOnce();

    assertThat(log.row(partition).txnsStart()).isZero();
  }

  @Test
  void aQueueWithRetentionOffKeepsAll() {
    log.configure(
        "policy-off",
        "{\"retentionEnabled\":false,\"retentionSeconds\":60,\"completedRetentionSeconds\":60}");
    UUID partition = log.partition("policy-off", "p");
    log.append(partition, log.ago(Duration.ofDays(2)), 1);
    log.commit(partition, "g", 0);

    service.runOnce();

    assertThat(log.row(partition).logStart()).isZero();
  }

  @Test
  void anOptionThatIsNotNamedIsKept() {
    log.configure("policy-merge", "{\"retentionSeconds\":60}");
    assertThat(log.configure("policy-merge", "{\"leaseTime\":5}").get("retentionSeconds").asInt())
        .isEqualTo(60);
  }

  @Test
  void twoEditsOfOneQueueAreBothKept() {
    log.configure("policy-edits", "{}");
    Sql first = database.connect();
    Sql second = database.connect();
    first.begin();
    new TestLog(first).configure("policy-edits", "{\"retentionSeconds\":60}");
    Waiting.Elsewhere<JsonNode> edit =
        Waiting.blocked(
            sql,
            second,
            s -> new TestLog(s).configure("policy-edits", "{\"maxWaitTimeSeconds\":90}"));
    first.commit();
    edit.get();

    JsonNode options = log.configure("policy-edits", "{}");
    assertThat(options.get("retentionSeconds").asInt()).isEqualTo(60);
    assertThat(options.get("maxWaitTimeSeconds").asInt()).isEqualTo(90);
  }

  /** As in every step: created_at >= cutoff survives. */
  @Test
  void whatIsExactlyAsOldAsTheCutoffOfThePurgeStays() {
    Instant cutoff = log.ago(Duration.ofDays(90));
    sql.run(
        "insert into queen.retention_history (partition_id, messages_deleted, segments_deleted, retention_type, executed_at)"
            + " select gen_random_uuid(), 1, 1, 'policy', t from unnest(array[?::timestamptz, ?::timestamptz]) t",
        cutoff,
        cutoff.minusNanos(1_000));

    sql.rows("select queen.cleanup_worker_metrics_v1(?, 1000)", cutoff);

    assertThat(
            sql.column(
                "select executed_at from queen.retention_history where retention_type = 'policy'"))
        .isEqualTo(List.of(cutoff));
  }
}

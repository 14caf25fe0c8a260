package dev.tidemark.retention.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tidemark.retention.it.support.Reads;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.SqlFailure;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code log_work_list_v1}: one cycle's rules and due partitions, from one clock. */
class WorkListIT {
  private static final int CAP = 1000;

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

  @AfterEach
  void noQueueIsLeft() {
    sql.run("delete from queen.queues");
    sql.run("delete from queen.log_txns");
  }

  // Rule rows.

  @Test
  void everyQueueHasOneRuleRowWithCutoffsOfOneClock() {
    queue("a", true, 100, 50, 30, 3600);
    queue("b", true, 7, 4000, 0, 60);
    List<Map<String, Object>> rules = rows(0);
    assertThat(rules).extracting(row -> row.get("queue_name")).containsExactlyInAnyOrder("a", "b");
    assertCutoffs("a", 100, 50, 3600, 30);
    assertCutoffs("b", 7, 4000, 4000, null);
    assertThat(rules)
        .extracting(row -> row.get("listed_at"))
        .containsOnly(rules.get(0).get("listed_at"));
    assertThat(rules).extracting(row -> row.get("partition_id")).containsOnlyNulls();
  }

  @Test
  void allRowsOfOneListShareTheTimeOfItsTransaction() {
    queue("a", true, 100, 0, 0, 60);
    log.append(log.partition("a", "p"), log.ago(Duration.ofDays(1)), 1);
    sql.begin();
    Instant now = sql.value("select now()");
    assertThat(list(CAP, CAP)).extracting(row -> row.get("listed_at")).containsOnly(now);
    sql.rollback();
  }

  @Test
  void aWindowOfZeroTurnsItsRuleOff() {
    queue("off", true, 0, 0, 0, 0);
    assertCutoffs("off", null, null, 900, null);
  }

  @Test
  void disabledRetentionTurnsRulesOneAndTwoOffAndNothingElse() {
    queue("disabled", false, 100, 5000, 30, 3600);
    assertCutoffs("disabled", null, null, 5000, 30);
  }

  @ParameterizedTest
  @CsvSource({"0, 0, 900", "899, 10, 900", "901, 0, 901", "0, 901, 901", "1000, 2000, 2000"})
  void theSidecarWindowIsTheLongestOfThreeAndNeverBelowItsFloor(
      int dedup, int completed, int expected) {
    queue("txns", false, 0, completed, 0, dedup);
    assertCutoffs("txns", null, null, expected, null);
  }

  @Test
  void windowsOfSixtyEightYearsFit() {
    int longest = Integer.MAX_VALUE;
    queue("long", true, longest, longest, longest, longest);
    assertCutoffs("long", longest, longest, longest, longest);
    log.append(log.partition("long", "p"), log.ago(Duration.ofDays(9000)), 1);
    assertThat(list(CAP, CAP)).hasSize(1);
  }

  @Test
  void withoutAQueueThereIsNoRow() {
    assertThat(list(CAP, CAP)).isEmpty();
  }

  // Due rows.

  @Test
  void aPartitionIsDueWhenItsWatermarkIsOlderThanTheCutoffAndNotWhenItEqualsIt() {
    queue("edge", true, 3600, 0, 3600, 3600);
    UUID at = log.partition("edge", "at");
    UUID before = log.partition("edge", "before");
    log.append(at, log.ago(Duration.ofDays(1)), 1);
    log.append(before, log.ago(Duration.ofDays(1)), 1);
    sql.begin();
    mark(at, "now() - interval '3600 s'");
    mark(before, "now() - interval '3600 s 1 microsecond'");
    for (int phase = 1; phase <= 3; phase++) {
      assertThat(due(phase)).as("phase " + phase).containsExactly("before");
    }
    sql.rollback();
  }

  @Test
  void phaseOneAsksTheLaterOfBothCutoffs() {
    queue("both", true, 7200, 3600, 0, 86400);
    log.append(log.partition("both", "rule-2-only"), log.ago(Duration.ofMinutes(90)), 1);
    log.append(log.partition("both", "both-rules"), log.ago(Duration.ofMinutes(150)), 1);
    log.append(log.partition("both", "none"), log.ago(Duration.ofMinutes(30)), 1);
    assertThat(due(1)).containsExactly("both-rules", "rule-2-only");
  }

  @Test
  void everyPhaseListsItsOwn() {
    queue("kept", false, 0, 0, 0, 60);
    queue("waits", false, 0, 0, 60, 86400);
    queue("aged", true, 60, 0, 0, 86400);
    for (String queue : List.of("kept", "waits", "aged")) {
      log.append(log.partition(queue, queue), log.ago(Duration.ofHours(1)), 1);
    }
    assertThat(due(1)).containsExactly("aged");
    assertThat(due(2)).containsExactly("kept");
    assertThat(due(3)).containsExactly("waits");
    assertThat(rows(1).get(0).get("queue_name")).isEqualTo("aged");
    assertThat(rows(1).get(0).get("all_cutoff")).as("cutoffs stand on the rule row").isNull();
  }

  @Test
  void anEmptyPartitionIsNeverDue() {
    queue("empty", true, 1, 1, 1, 0);
    UUID partition = log.partition("empty", "p");
    log.append(partition, log.ago(Duration.ofDays(1)), 1);
    log.retentionStep(partition, log.ago(Duration.ZERO), null, 10);
    log.purgeStep(partition, log.ago(Duration.ZERO), 10);
    assertThat(list(CAP, CAP)).extracting(row -> row.get("phase")).containsExactly(0);
  }

  @Test
  void theOldestComeFirstAndTheCapTakesThemQueueByQueue() {
    queue("x", true, 60, 0, 60, 0);
    queue("y", true, 60, 0, 60, 0);
    int[] days = {4, 1, 6, 3};
    for (String queue : List.of("x", "y")) {
      for (int day : days) {
        Duration age = Duration.ofDays(day).plusHours(queue.equals("y") ? 12 : 0);
        log.append(log.partition(queue, queue + day), log.ago(age), 1);
      }
    }
    for (int phase = 1; phase <= 3; phase++) {
      assertThat(due(phase)).containsExactly("y6", "x6", "y4", "x4", "y3", "x3", "y1", "x1");
      assertThat(due(phase, 2, CAP)).containsExactly("y6", "x6", "y4", "x4");
      assertThat(due(phase, CAP, 3)).containsExactly("y6", "x6", "y4");
      assertThat(due(phase, 1, 3)).containsExactly("y6", "x6");
    }
  }

  @Test
  void theWatermarkOfTheRowIsTheColumnOfItsPhase() {
    queue("marks", true, 60, 0, 60, 0);
    UUID partition = log.partition("marks", "p");
    Instant first = log.ago(Duration.ofDays(2));
    Instant second = log.ago(Duration.ofDays(1));
    log.append(partition, first, 1);
    log.append(partition, second, 1);
    log.purgeStep(partition, second, 10);
    assertThat(rows(1).get(0).get("watermark")).isEqualTo(first);
    assertThat(rows(2).get(0).get("watermark")).isEqualTo(second);
    assertThat(rows(3).get(0).get("watermark")).isEqualTo(first);
  }

  // Whether a visit could find something.

  @Test
  void aHeadThatAgeTakesCanGoWhateverTheCursorsSay() {
    queue("q", true, 60, 30, 0, 86400);
    UUID partition = log.partition("q", "p");
    log.append(partition, log.ago(Duration.ofHours(1)), 2);
    assertThat(canGo()).isTrue();
    log.commit(partition, "slow", -1);
    assertThat(canGo()).isTrue();
  }

  @Test
  void aHeadThatOnlyRuleTwoCouldTakeGoesWhenEveryGroupIsThroughWithIt() {
    queue("q", true, 0, 60, 0, 86400);
    UUID partition = log.partition("q", "p");
    log.append(partition, log.ago(Duration.ofHours(1)), 3);
    log.append(partition, log.ago(Duration.ofHours(1)), 3);
    assertThat(canGo()).as("no cursor").isFalse();
    log.commit(partition, "slow", 1);
    assertThat(canGo()).as("a cursor inside the head segment").isFalse();
    log.commit(partition, "slow", 2);
    assertThat(canGo()).as("the head segment is through").isTrue();
    log.commit(partition, "new", -1);
    assertThat(canGo()).as("a new group").isFalse();
  }

  @Test
  void whatCanGoIsWhatAStepDeletes() {
    queue("q", true, 7200, 60, 0, 86400);
    for (int committed = -2; committed <= 4; committed++) {
      for (int minutes : new int[] {30, 150}) {
        UUID partition = log.partition("q", committed + "/" + minutes);
        log.append(partition, log.ago(Duration.ofMinutes(minutes)), 3);
        log.append(partition, log.ago(Duration.ofMinutes(minutes)), 2);
        if (committed > -2) {
          log.commit(partition, "group", committed);
        }
      }
    }
    Map<String, Object> rule = rows(0).get(0);
    List<Map<String, Object>> due = rows(1);
    assertThat(due).hasSize(14);
    for (Map<String, Object> row : due) {
      long deleted =
          log.retentionStep(
                  (UUID) row.get("partition_id"),
                  (Instant) rule.get("all_cutoff"),
                  (Instant) rule.get("completed_cutoff"),
                  10)
              .get("deleted")
              .asLong();
      assertThat(row.get("can_go")).isEqualTo(deleted > 0);
    }
  }

  // What it costs, and what it refuses.

  @Test
  void aShortListOfALongBacklogReadsOnlyWhatItLists() {
    queue("deep", true, 0, 60, 60, 0);
    sql.run(
        "insert into queen.log_partitions (queue_id, name, last_offset, oldest_live_at, oldest_txn_at)"
            + " select q.id, 'p' || i, 0, now() - interval '1 day' - i * interval '1 second', now() - interval '1 day'"
            + "   from queen.queues q, generate_series(1, 5000) i");
    sql.run(
        "insert into queen.log_segments (partition_id, base_offset, end_offset, created_at, blob)"
            + " select p.id, 0, 0, p.oldest_live_at, '' from queen.log_partitions p");
    sql.run("analyze queen.log_partitions");
    sql.run("analyze queen.log_segments");
    for (int call = 1; call <= 8; call++) {
      for (String table : List.of("log_partitions", "log_segments", "log_consumers")) {
        Reads.Read read = new Reads(sql, table).during(() -> assertThat(list(10, CAP)).hasSize(31));
        assertThat(read.sequentialScans()).as(table + ", call " + call).isZero();
        assertThat(read.indexEntries()).as(table + ", call " + call).isLessThan(60);
      }
    }
  }

  @Test
  void noRowIsLocked() {
    queue("q", true, 60, 60, 60, 0);
    UUID partition = log.partition("q", "p");
    log.append(partition, log.ago(Duration.ofDays(1)), 1);
    sql.begin();
    list(CAP, CAP);
    try (Sql other = database.connect()) {
      other.run("select 1 from queen.log_partitions for update nowait");
      other.run("select 1 from queen.queues for update nowait");
    }
    sql.rollback();
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "1, 0", "-1, 1", "1, -1", ", 1", "1, "})
  void aCapThatIsNotPositiveIsRefused(@Nullable Integer dueCap, @Nullable Integer totalCap) {
    assertThatExceptionOfType(SqlFailure.class)
        .isThrownBy(() -> list(dueCap, totalCap))
        .extracting(SqlFailure::state)
        .isEqualTo("22023");
  }

  @Test
  void theRetentionRoleIsEnough() {
    queue("q", true, 60, 60, 60, 0);
    log.append(log.partition("q", "p"), log.ago(Duration.ofDays(1)), 1);
    List<Map<String, Object>> expected = rows(1);
    sql.run("set role queen_retention");
    try {
      assertThat(rows(1)).hasSameSizeAs(expected);
    } finally {
      sql.run("reset role");
    }
  }

  private static void queue(
      String name, boolean enabled, int all, int completed, int maxWait, int dedup) {
    log.configure(
        name,
        ("{\"retentionEnabled\": %s, \"retentionSeconds\": %d, \"completedRetentionSeconds\": %d,"
                + " \"maxWaitTimeSeconds\": %d, \"dedupWindowSeconds\": %d}")
            .formatted(enabled, all, completed, maxWait, dedup));
  }

  private static void mark(UUID partition, String at) {
    sql.run(
        "update queen.log_partitions set oldest_live_at = %1$s, oldest_txn_at = %1$s where id = ?"
            .formatted(at),
        partition);
  }

  private static List<Map<String, Object>> list(
      @Nullable Integer dueCap, @Nullable Integer totalCap) {
    return sql.rows(
        "select * from queen.log_work_list_v1(p_due_cap => ?, p_total_cap => ?)", dueCap, totalCap);
  }

  private static List<Map<String, Object>> rows(int phase) {
    return rows(phase, CAP, CAP);
  }

  private static List<Map<String, Object>> rows(int phase, int dueCap, int totalCap) {
    return list(dueCap, totalCap).stream().filter(row -> row.get("phase").equals(phase)).toList();
  }

  private static List<String> due(int phase) {
    return due(phase, CAP, CAP);
  }

  /** Names of a phase's due partitions, in the list's order. */
  private static List<String> due(int phase, int dueCap, int totalCap) {
    return rows(phase, dueCap, totalCap).stream()
        .map(
            row ->
                sql.<String>value(
                    "select name from queen.log_partitions where id = ?", row.get("partition_id")))
        .toList();
  }

  private static boolean canGo() {
    List<Map<String, Object>> due = rows(1);
    assertThat(due).hasSize(1);
    return (boolean) due.get(0).get("can_go");
  }

  private static void assertCutoffs(
      String queue,
      @Nullable Integer all,
      @Nullable Integer completed,
      int txns,
      @Nullable Integer maxWait) {
    Map<String, Object> rule =
        rows(0).stream().filter(row -> row.get("queue_name").equals(queue)).findAny().orElseThrow();
    Instant now = (Instant) rule.get("listed_at");
    assertThat(rule.get("all_cutoff")).as("all").isEqualTo(before(now, all));
    assertThat(rule.get("completed_cutoff")).as("completed").isEqualTo(before(now, completed));
    assertThat(rule.get("txns_cutoff")).as("txns").isEqualTo(before(now, txns));
    assertThat(rule.get("max_wait_cutoff")).as("max wait").isEqualTo(before(now, maxWait));
  }

  private static @Nullable Instant before(Instant now, @Nullable Integer seconds) {
    return seconds == null ? null : now.minusSeconds(seconds);
  }
}

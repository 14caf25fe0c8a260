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
import java.util.ArrayList;
import java.util.HashMap;
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
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code log_work_list_v1}, {@code log_due_page_v1}, {@code log_heads_can_go_v1}: one cycle's rules
 * and due partitions, from one clock, and what tells the held ones apart.
 */
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
  void phaseOneHasTwoLanesThatShareNoPartition() {
    queue("lanes", true, 7200, 3600, 0, 86400);
    List<String> ages = List.of("7200 s 1 microsecond", "7200 s", "3600 s 1 microsecond", "3600 s");
    for (String age : ages) {
      log.append(log.partition("lanes", age), log.ago(Duration.ofDays(1)), 1);
    }
    sql.begin();
    for (String age : ages) {
      mark(log.partition("lanes", age), "now() - interval '" + age + "'");
    }
    assertThat(lane(false)).containsExactly("7200 s 1 microsecond");
    assertThat(lane(true)).containsExactly("7200 s", "3600 s 1 microsecond");
    sql.rollback();
  }

  @Test
  void aCompletedWindowThatReachesNoFurtherThanAgeHasNoLane() {
    queue("inside", true, 3600, 7200, 0, 86400);
    log.append(log.partition("inside", "p"), log.ago(Duration.ofHours(3)), 1);
    assertThat(lane(false)).containsExactly("p");
    assertThat(lane(true)).isEmpty();
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

  // Going on.

  @Test
  void consumptionGoesOnStrictlyAfterTheResumePositionAndTheOtherLanesDoNot() {
    queue("a", true, 0, 60, 60, 0);
    queue("b", true, 0, 60, 60, 0);
    for (String queue : List.of("a", "b")) {
      for (int i = 1; i <= 4; i++) {
        log.append(log.partition(queue, queue + i), log.ago(Duration.ofDays(1)), 1);
      }
    }
    sql.run("update queen.log_partitions set oldest_live_at = '2026-01-01Z'");
    List<Map<String, Object>> all = consumption(null);
    List<Object> ofA = partitions(all, "a");
    assertThat(partitions(all, "b")).hasSize(4);
    Map<String, Object> second =
        all.stream().filter(row -> row.get("partition_id").equals(ofA.get(1))).findFirst().get();

    List<Map<String, Object>> rest = consumption(second);

    assertThat(partitions(rest, "a")).as("ids decide").isEqualTo(ofA.subList(2, 4));
    assertThat(partitions(rest, "b")).isEqualTo(partitions(all, "b"));
    assertThat(due(2)).hasSize(8);
    assertThat(due(3)).hasSize(8);
  }

  @Test
  void aResumePositionThatAgeHasPassedChangesNothing() {
    queue("q", true, 7200, 60, 0, 86400);
    UUID partition = log.partition("q", "p");
    log.append(partition, log.ago(Duration.ofHours(1)), 1);
    Map<String, Object> aged = new HashMap<>(consumption(null).get(0));
    aged.put("watermark", log.ago(Duration.ofHours(3)));
    assertThat(consumption(aged)).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "{}, {}, {00000000-0000-0000-0000-000000000001}",
    "{00000000-0000-0000-0000-000000000001}, {}, {00000000-0000-0000-0000-000000000001}",
    "{00000000-0000-0000-0000-000000000001}, {NULL}, {00000000-0000-0000-0000-000000000001}",
    "{NULL}, {2026-01-01Z}, {00000000-0000-0000-0000-000000000001}",
    "{00000000-0000-0000-0000-000000000001}, {2026-01-01Z}, {NULL}",
    ", {}, {}"
  })
  void halfAResumePositionIsRefused(@Nullable String queues, String at, String ids) {
    refused(
        "select * from queen.log_work_list_v1(1, 1, ?::uuid[], ?::timestamptz[], ?::uuid[])",
        queues,
        at,
        ids);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void pagesGoOnWhereTheListEndedUnderItsCutoff(int phase) {
    queue("q", true, 60, 0, 60, 0);
    for (int i = 1; i <= 7; i++) {
      log.append(log.partition("q", "p" + i), log.ago(Duration.ofDays(i % 3 + 1)), 1);
    }
    List<Map<String, Object>> all = rows(phase);
    assertThat(all).hasSize(7);
    Map<String, Object> last = rows(phase, 2, CAP).get(1);
    List<Object> read = new ArrayList<>();
    List<Map<String, Object>> page;
    do {
      page = page(phase, null, "now()", last, 2);
      page.forEach(row -> read.add(row.get("partition_id")));
      last = page.isEmpty() ? last : page.get(page.size() - 1);
    } while (page.size() == 2);
    assertThat(read).isEqualTo(ids(all).subList(2, 7));
    Instant third = (Instant) all.get(2).get("watermark");
    assertThat(ids(page(phase, null, "'" + third + "'", null, 10)))
        .as("before the cutoff")
        .isEqualTo(ids(all).subList(0, 2));
    assertThat(ids(page(phase, third, "now()", null, 10)))
        .as("from, inclusive")
        .isEqualTo(ids(all).subList(2, 7));
    assertThat(ids(page(phase, third, "now()", all.get(0), 10)))
        .as("from wins over an older last row")
        .isEqualTo(ids(all).subList(2, 7));
  }

  @ParameterizedTest
  @CsvSource({
    "0, now(), null, null, 1",
    "4, now(), null, null, 1",
    "null, now(), null, null, 1",
    "1, null, null, null, 1",
    "1, now(), now(), null, 1",
    "1, now(), null, gen_random_uuid(), 1",
    "1, now(), null, null, 0",
    "1, now(), null, null, null"
  })
  void aPageThatIsNotSpelledOutIsRefused(
      String phase, String cutoff, String afterAt, String afterId, String rows) {
    refused(
        "select * from queen.log_due_page_v1(%s, gen_random_uuid(), null, %s, %s, %s, %s)"
            .formatted(phase, cutoff, afterAt, afterId, rows));
  }

  @Test
  void aPageOfNoQueueIsRefused() {
    refused("select * from queen.log_due_page_v1(1, null, null, now(), null, null, 1)");
  }

  // Whether a visit could find something.

  @Test
  void aHeadGoesWhenEveryGroupIsThroughWithIt() {
    queue("q", true, 0, 60, 0, 86400);
    UUID partition = log.partition("q", "p");
    log.append(partition, log.ago(Duration.ofHours(1)), 3);
    log.append(partition, log.ago(Duration.ofHours(1)), 3);
    assertThat(canGo(partition)).as("no cursor").isFalse();
    log.commit(partition, "slow", 1);
    assertThat(canGo(partition)).as("a cursor inside the head segment").isFalse();
    log.commit(partition, "slow", 2);
    assertThat(canGo(partition)).as("the head segment is through").isTrue();
    log.retentionStep(partition, null, log.ago(Duration.ZERO), 1);
    assertThat(canGo(partition)).as("the next one is the head").isFalse();
    log.commit(partition, "slow", 5);
    assertThat(canGo(partition)).isTrue();
    log.commit(partition, "new", -1);
    assertThat(canGo(partition)).as("a new group").isFalse();
  }

  @Test
  void onlyThoseAskedForAreAnsweredAndUnknownOnesAreLeftOut() {
    queue("q", true, 0, 60, 0, 86400);
    List<UUID> partitions = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      UUID partition = log.partition("q", "p" + i);
      log.append(partition, log.ago(Duration.ofHours(1)), 1);
      log.commit(partition, "g", i % 2 - 1);
      partitions.add(partition);
    }
    UUID empty = log.partition("q", "empty");
    log.commit(empty, "g", -1);
    UUID[] asked = {
      partitions.get(0), partitions.get(1), partitions.get(2), UUID.randomUUID(), empty
    };
    assertThat(sql.rows("select * from queen.log_heads_can_go_v1(?)", (Object) asked))
        .extracting(row -> row.get("partition_id"))
        .containsExactly(partitions.get(1));
  }

  @Test
  void whatIsListedAndCanGoIsWhatAStepDeletes() {
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
      UUID partition = (UUID) row.get("partition_id");
      boolean expected = row.get("by_consumption").equals(false) || canGo(partition);
      long deleted =
          log.retentionStep(
                  partition,
                  (Instant) rule.get("all_cutoff"),
                  (Instant) rule.get("completed_cutoff"),
                  10)
              .get("deleted")
              .asLong();
      assertThat(expected).isEqualTo(deleted > 0);
    }
  }

  // What it costs, and what it refuses.

  @Test
  void aShortListOfALongBacklogReadsOnlyWhatItListsFromTheHeadAndFromTheMiddle() {
    deep();
    Map<String, Object> middle =
        sql.row(
            "select queue_id, id as partition_id, oldest_live_at as watermark"
                + " from queen.log_partitions where name = 'p2500'");
    for (int call = 1; call <= 8; call++) {
      assertFewReads("log_partitions", 60, call, () -> assertThat(list(10, CAP)).hasSize(31));
      assertFewReads(
          "log_partitions", 60, call, () -> assertThat(consumption(middle, 10)).hasSize(10));
      for (String table : List.of("log_segments", "log_consumers")) {
        assertFewReads(table, 0, call, () -> list(10, CAP));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aPageReadsOnlyItsRows(int phase) {
    deep();
    String mark = phase == 2 ? "oldest_txn_at" : "oldest_live_at";
    Map<String, Object> middle =
        sql.row(
            "select queue_id, id as partition_id, %s as watermark".formatted(mark)
                + " from queen.log_partitions order by %s, id offset 2500 limit 1".formatted(mark));
    for (int call = 1; call <= 8; call++) {
      assertFewReads(
          "log_partitions",
          12,
          call,
          () -> assertThat(page(phase, null, "now()", middle, 10)).hasSize(10));
      assertFewReads(
          "log_partitions",
          12,
          call,
          () -> assertThat(page(phase, Instant.EPOCH, "now()", null, 10)).hasSize(10));
    }
  }

  @Test
  void aProbeReadsOneCursorAndAtMostOneSegmentAPartition() {
    deep();
    sql.run(
        "insert into queen.log_consumers (partition_id, consumer_group, committed)"
            + " select id, 'g', (row_number() over (order by name)) % 2 - 1 from queen.log_partitions");
    sql.run(
        "insert into queen.log_segments (partition_id, base_offset, end_offset, created_at, blob)"
            + " select p.id, i, i, now(), '' from queen.log_partitions p, generate_series(1, 9) i");
    sql.run("analyze queen.log_consumers");
    UUID[] asked =
        sql.rows("select id from queen.log_partitions order by name limit 1000").stream()
            .map(row -> (UUID) row.get("id"))
            .toArray(UUID[]::new);
    Runnable probe =
        () ->
            assertThat(sql.rows("select * from queen.log_heads_can_go_v1(?)", (Object) asked))
                .hasSize(500);
    for (int call = 1; call <= 8; call++) {
      assertFewReads("log_partitions", 1000, call, probe);
      assertFewReads("log_consumers", 1000, call, probe);
      // Only of those whose slowest cursor has passed log_start.
      assertFewReads("log_segments", 500, call, probe);
    }
  }

  @Test
  void noRowIsLocked() {
    queue("q", true, 60, 60, 60, 0);
    UUID partition = log.partition("q", "p");
    log.append(partition, log.ago(Duration.ofDays(1)), 1);
    sql.begin();
    list(CAP, CAP);
    page(1, null, "now()", null, 1);
    canGo(partition);
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

  /** A queue with 5000 due partitions in every lane but rule 1's. */
  private static void deep() {
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
  }

  private static void assertFewReads(String table, int most, int call, Runnable work) {
    Reads.Read read = new Reads(sql, table).during(work);
    assertThat(read.sequentialScans()).as(table + ", call " + call).isZero();
    assertThat(read.indexEntries()).as(table + ", call " + call).isLessThanOrEqualTo(most);
  }

  /** Rows of the consumption lane, going on after this row in its queue. */
  private static List<Map<String, Object>> consumption(@Nullable Map<String, Object> after) {
    return consumption(after, CAP);
  }

  private static List<Map<String, Object>> consumption(
      @Nullable Map<String, Object> after, int dueCap) {
    String resume =
        after == null
            ? "'{}', '{}', '{}'"
            : "array[?::uuid], array[?::timestamptz], array[?::uuid]";
    String query = "select * from queen.log_work_list_v1(%d, 1000, %s) where by_consumption";
    return after == null
        ? sql.rows(query.formatted(dueCap, resume))
        : sql.rows(
            query.formatted(dueCap, resume),
            after.get("queue_id"),
            after.get("watermark"),
            after.get("partition_id"));
  }

  private static List<Map<String, Object>> page(
      int phase,
      @Nullable Instant from,
      String cutoff,
      @Nullable Map<String, Object> after,
      int maxRows) {
    return sql.rows(
        ("select * from queen.log_due_page_v1(?, (select id from queen.queues), ?::timestamptz, %s::timestamptz,"
                + " ?::timestamptz, ?::uuid, ?)")
            .formatted(cutoff),
        phase,
        from,
        after == null ? null : after.get("watermark"),
        after == null ? null : after.get("partition_id"),
        maxRows);
  }

  private static List<Object> ids(List<Map<String, Object>> rows) {
    return rows.stream().map(row -> row.get("partition_id")).toList();
  }

  private static List<Object> partitions(List<Map<String, Object>> rows, String queue) {
    return ids(rows.stream().filter(row -> row.get("queue_name").equals(queue)).toList());
  }

  private static void refused(String query, @Nullable Object... arguments) {
    assertThatExceptionOfType(SqlFailure.class)
        .isThrownBy(() -> sql.rows(query, arguments))
        .extracting(SqlFailure::state)
        .isEqualTo("22023");
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
    return names(rows(phase, dueCap, totalCap));
  }

  private static List<String> names(List<Map<String, Object>> rows) {
    return rows.stream()
        .map(
            row ->
                sql.<String>value(
                    "select name from queen.log_partitions where id = ?", row.get("partition_id")))
        .toList();
  }

  /** Names of one of phase 1's lanes, in the list's order. */
  private static List<String> lane(boolean byConsumption) {
    return names(
        rows(1).stream().filter(row -> row.get("by_consumption").equals(byConsumption)).toList());
  }

  private static boolean canGo(UUID partition) {
    return !sql.rows("select * from queen.log_heads_can_go_v1(array[?::uuid])", partition)
        .isEmpty();
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

package dev.tidemark.retention.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * {@code log_retention_preview_v1}: what it promises is what a drain then deletes, and what it says
 * holds the rest back is what does.
 */
class RetentionPreviewIT {
  private static final int LARGE = 100_000;

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private String queue;

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
  void aQueueWithEveryRule() {
    queue = "preview-" + UUID.randomUUID();
    policy(10, 5, 20);
  }

  @AfterEach
  void invariantsHold() {
    assertThat(Invariants.broken(sql)).isEmpty();
  }

  @Test
  void aPartitionOfPhaseOneHasOneRuleAndItIsTheOneThatReachesHigher() {
    UUID partition = filled("p", 12, 11, 7, 6, 1);
    log.commit(partition, "group", 7);
    assertThat(plan()).containsExactly("p 1 completed_retention 4 8", "p 2 txns_purge 4 8");
    sql.run("update queen.log_consumers set committed = 2 where partition_id = ?", partition);
    assertThat(plan()).containsExactly("p 1 held 0 0", "p 1 retention 2 4", "p 2 txns_purge 4 8");
  }

  @Test
  void anEquallyHighRuleTwoIsNotNamed() {
    policy(5, 5, 0);
    UUID partition = filled("p", 12, 11, 1);
    log.commit(partition, "group", 5);
    assertThat(plan()).contains("p 1 retention 2 4");
  }

  @Test
  void withoutACursorNothingCountsAsConsumed() {
    policy(0, 5, 0);
    filled("p", 12, 11, 1);
    assertThat(plan()).containsExactly("p 1 held 0 0", "p 2 txns_purge 2 4");
    assertThat(reason("held")).isEqualTo("no group has a cursor");
  }

  @Test
  void theSlowestGroupIsNamedAsTheOneThatHolds() {
    policy(0, 5, 0);
    UUID partition = filled("p", 12, 11, 1);
    log.commit(partition, "fast", 5);
    log.commit(partition, "slow", -1);
    log.commit(partition, "middling", 2);
    assertThat(plan()).contains("p 1 held 0 0");
    assertThat(reason("held")).isEqualTo("group slow has committed nothing");
  }

  @Test
  void aGroupThatHoldsOnlyTheRestIsNamedToo() {
    policy(0, 5, 0);
    UUID partition = filled("p", 12, 11, 10, 1);
    log.commit(partition, "inside", 2);
    assertThat(plan()).contains("p 1 completed_retention 1 2", "p 1 held 0 0");
    assertThat(reason("held")).isEqualTo("group inside has committed only 2");
  }

  @Test
  void aGroupIsNotNamedForWhatAgeTakesAnyway() {
    policy(10, 5, 0);
    UUID partition = filled("p", 12, 11, 1);
    log.commit(partition, "slow", -1);
    assertThat(plan()).containsExactly("p 1 retention 2 4", "p 2 txns_purge 2 4");
  }

  @Test
  void whatPhaseOneLeavesWaitsForPhaseThree() {
    policy(20, 0, 10);
    filled("p", 22, 15, 11, 1);
    assertThat(plan())
        .containsExactly(
            "p 1 retention 1 2", "p 2 txns_purge 4 8", "p 3 max_wait_time_eviction 2 4");
  }

  @Test
  void aDisabledQueueOnlyEvictsAndPurges() {
    log.configure(queue, "{\"retentionEnabled\": false}");
    filled("p", 22, 1);
    assertThat(plan()).containsExactly("p 2 txns_purge 1 2", "p 3 max_wait_time_eviction 1 2");
  }

  @Test
  void aFreshQueueHasNoPlan() {
    filled("p", 1, 0);
    assertThat(plan()).isEmpty();
  }

  @Test
  void onlyTheQueueAskedForIsPlanned() {
    filled("p", 22);
    String first = queue;
    aQueueWithEveryRule();
    filled("q", 22);
    assertThat(plan()).allMatch(row -> row.startsWith("q "));
    assertThat(sql.rows("select queue_name from queen.log_retention_preview_v1(null)"))
        .extracting(row -> row.get("queue_name"))
        .contains(first, queue);
  }

  @Test
  void reasonsPrintUtcWhateverTheSessionPrefers() {
    filled("p", 12, 1);
    sql.run("set timezone = 'Asia/Kathmandu'");
    sql.begin();
    try {
      Instant cutoff =
          sql.value("select all_cutoff from queen.log_rules_v1() where queue_name = ?", queue);
      String printed = reason("retention").replace("older than ", "");
      assertThat(printed).endsWith("+00");
      assertThat(OffsetDateTime.parse(printed.replace(' ', 'T') + ":00").toInstant())
          .isEqualTo(cutoff);
    } finally {
      sql.rollback();
      sql.run("reset timezone");
    }
  }

  @Test
  void nothingIsLockedAndNothingChanges() {
    UUID partition = filled("p", 22, 12, 6, 1);
    log.commit(partition, "group", 3);
    try (Sql other = database.connect()) {
      sql.begin();
      String before = contents();
      plan();
      assertThat(contents()).isEqualTo(before);
      assertThat(
              other.rows(
                  "select id from queen.log_partitions where id = ? for update nowait", partition))
          .hasSize(1);
      assertThat(
              sql.number(
                  "select count(*) from pg_locks where pid = pg_backend_pid() and mode <> 'AccessShareLock' and locktype = 'relation'"))
          .isZero();
      sql.commit();
    }
  }

  @Test
  void aReaderMayAskForIt() {
    filled("p", 22, 12, 6, 1);
    List<String> expected = plan();
    sql.run("set role queen_reader");
    try {
      assertThat(plan()).isEqualTo(expected);
    } finally {
      sql.run("reset role");
    }
  }

  @Test
  void aDrainWritesToHistoryWhatThePreviewPromised() {
    UUID mixed = filled("mixed", 25, 21, 15, 12, 11, 7, 6, 1, 0);
    log.commit(mixed, "fast", 17);
    log.commit(mixed, "slow", 12);
    filled("unread", 25, 15, 7, 1);
    UUID consumed = filled("consumed", 9, 8, 7, 1);
    log.commit(consumed, "group", 6);
    UUID behind = filled("behind", 30, 12, 9, 8);
    log.commit(behind, "group", -1);
    UUID inside = filled("inside", 9, 8, 7);
    log.commit(inside, "group", 2);
    filled("fresh", 1, 0);
    String evicting = queue;
    promisedIsDrained();

    aQueueWithEveryRule();
    policy(0, 5, 10);
    filled("unread", 25, 15, 7, 1);
    UUID half = filled("half", 25, 15, 12, 7, 1);
    log.commit(half, "group", 3);
    assertThat(queue).isNotEqualTo(evicting);
    promisedIsDrained();
  }

  private void promisedIsDrained() {
    Map<String, List<Long>> promised = new TreeMap<>();
    for (Map<String, Object> row :
        sql.rows(
            "select rule, sum(segments)::bigint as segments, sum(messages)::bigint as messages"
                + " from queen.log_retention_preview_v1(?) where rule <> 'held' group by rule",
            queue)) {
      promised.put(
          (String) row.get("rule"),
          List.of((long) row.get("segments"), (long) row.get("messages")));
    }

    Map<String, Object> rule =
        sql.row("select * from queen.log_rules_v1() where queue_name = ?", queue);
    long purged = 0;
    List<Map<String, Object>> partitions =
        sql.rows(
            "select p.id from queen.log_partitions p join queen.queues q on q.id = p.queue_id where q.name = ?",
            queue);
    for (Map<String, Object> row : partitions) {
      UUID partition = (UUID) row.get("id");
      log.retentionStep(
          partition,
          (Instant) rule.get("all_cutoff"),
          (Instant) rule.get("completed_cutoff"),
          LARGE);
      JsonNode purge = log.purgeStep(partition, (Instant) rule.get("txns_cutoff"), LARGE);
      purged += purge.get("deleted").asLong();
      log.evictStep(partition, (Instant) rule.get("max_wait_cutoff"), LARGE);
    }

    assertThat(promised.remove("txns_purge").get(0)).isEqualTo(purged);
    Map<String, List<Long>> written = new TreeMap<>();
    for (Map<String, Object> row :
        sql.rows(
            "select h.retention_type, sum(h.segments_deleted)::bigint as segments, sum(h.messages_deleted)::bigint as messages"
                + " from queen.retention_history h join queen.queues q on q.id = h.queue_id where q.name = ? group by 1",
            queue)) {
      written.put(
          (String) row.get("retention_type"),
          List.of((long) row.get("segments"), (long) row.get("messages")));
    }
    assertThat(written).isEqualTo(promised);
    assertThat(written).hasSizeGreaterThan(1);
    assertThat(plan()).as("nothing is left to do").allMatch(row -> row.contains(" held "));
  }

  /** A partition with one segment of two messages of each of these ages in hours. */
  private UUID filled(String name, int... hoursAgo) {
    UUID partition = log.partition(queue, name);
    for (int hours : hoursAgo) {
      log.append(partition, log.ago(Duration.ofHours(hours).plusMinutes(30)), 2);
    }
    return partition;
  }

  private void policy(int hours, int hoursWhenConsumed, int hoursToWait) {
    log.configure(
        queue,
        "{\"retentionEnabled\": true, \"retentionSeconds\": %d, \"completedRetentionSeconds\": %d, \"maxWaitTimeSeconds\": %d}"
            .formatted(hours * 3600, hoursWhenConsumed * 3600, hoursToWait * 3600));
  }

  /** {@code partition phase rule segments messages}, in order. */
  private List<String> plan() {
    return sql.rows("select * from queen.log_retention_preview_v1(p_queue => ?)", queue).stream()
        .map(
            row ->
                row.get("partition_name")
                    + " "
                    + row.get("phase")
                    + " "
                    + row.get("rule")
                    + " "
                    + row.get("segments")
                    + " "
                    + row.get("messages"))
        .sorted()
        .toList();
  }

  private String reason(String rule) {
    return sql.value(
        "select reason from queen.log_retention_preview_v1(p_queue => ?) where rule = ?",
        queue,
        rule);
  }

  private static String contents() {
    return sql.value(
        "select md5(string_agg(t, ',' order by t)) from ("
            + " select p::text || p.xmin || p.xmax as t from queen.log_partitions p"
            + " union all select s.partition_id::text || s.base_offset || s.xmax from queen.log_segments s"
            + " union all select c::text || c.xmax from queen.log_consumers c"
            + " union all select h::text from queen.retention_history h) x");
  }
}

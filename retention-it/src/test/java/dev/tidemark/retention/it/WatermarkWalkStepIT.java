package dev.tidemark.retention.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * {@code log_watermark_walk_step_v1}: it mends what drifted, leaves the rest alone, and loses
 * nobody.
 */
class WatermarkWalkStepIT {
  private static final int GROUP = 64;

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    // What should be skipped and is waited for instead then fails, where it would hang.
    sql.run("set lock_timeout = '10s'");
    log = new TestLog(sql);
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @AfterEach
  void everythingIsMended() {
    assertThat(Invariants.broken(sql)).isEmpty();
    sql.run("delete from queen.queues");
    sql.run("delete from queen.log_txns");
  }

  @Test
  void anEmptyTableIsDoneAtOnce() {
    JsonNode step = walk(null, 100);
    assertStep(step, 0, 0, true);
    assertThat(step.get("last_id").isNull()).isTrue();
  }

  @Test
  void aHealthyPassLocksNoRowAndWritesNone() {
    List<UUID> ids = partitions(10);
    String before = versions();
    sql.begin();
    assertStep(walk(null, 100), 10, 0, true);
    assertThat(versions()).isEqualTo(before);
    try (Sql other = database.connect()) {
      assertThat(other.rows("select id from queen.log_partitions for update skip locked"))
          .hasSize(ids.size());
      assertThat(
              sql.number(
                  "select count(*) from pg_locks where pid = pg_backend_pid() and relation = 'queen.log_partitions'::regclass"
                      + " and mode <> 'AccessShareLock'"))
          .isZero();
    }
    sql.commit();
  }

  @Test
  void nullColumnsAreFilledIn() {
    partitions(5);
    sql.run("update queen.log_partitions set oldest_live_at = null, oldest_txn_at = null");
    assertStep(walk(null, 100), 5, 5, true);
    assertStep(walk(null, 100), 5, 0, true);
  }

  @Test
  void wrongColumnsAreMendedEitherWay() {
    List<UUID> ids = partitions(6);
    set(ids.get(0), "oldest_live_at = now()");
    set(ids.get(1), "oldest_live_at = '2000-01-01'");
    set(ids.get(2), "oldest_txn_at = '2000-01-01'");
    set(ids.get(3), "oldest_txn_at = null");
    assertStep(walk(null, 100), 6, 4, true);
  }

  @Test
  void aColumnOfAPartitionThatHoldsNothingIsMendedToNull() {
    UUID empty = log.partition("walk", "empty");
    set(empty, "oldest_live_at = now(), oldest_txn_at = now()");
    assertStep(walk(null, 100), 1, 1, true);
    assertThat(log.row(empty).oldestLiveAt()).isNull();
    assertThat(log.row(empty).oldestTxnAt()).isNull();
  }

  @Test
  void theTruthIsTheSegmentAtLogStartAndNotADeadOneBelow() {
    UUID partition = partitions(1).get(0);
    Instant second = log.ago(Duration.ofHours(1));
    log.append(partition, second, 1);
    set(partition, "log_start = 1, txns_start = 1");
    walk(null, 100);
    assertThat(log.row(partition).oldestLiveAt()).isEqualTo(second);
    assertThat(log.row(partition).oldestTxnAt()).isEqualTo(second);
    sql.run("delete from queen.log_segments where base_offset = 0");
    sql.run("delete from queen.log_txns where base_offset = 0");
  }

  @Test
  void pagesAreReadInOrderOfIdAndTheLastOneSaysSo() {
    List<UUID> ids = partitions(7);
    JsonNode first = walk(null, 3);
    assertStep(first, 3, 0, false);
    assertThat(lastId(first)).isEqualTo(ids.get(2));
    JsonNode second = walk(lastId(first), 3);
    assertStep(second, 3, 0, false);
    assertThat(lastId(second)).isEqualTo(ids.get(5));
    JsonNode third = walk(lastId(second), 3);
    assertStep(third, 1, 0, true);
    assertThat(lastId(third)).isEqualTo(ids.get(6));
  }

  @Test
  void aFullLastPageIsFollowedByAnEmptyOneThatKeepsItsPlace() {
    List<UUID> ids = partitions(4);
    JsonNode second = walk(lastId(walk(null, 2)), 2);
    assertStep(second, 2, 0, false);
    JsonNode third = walk(lastId(second), 2);
    assertStep(third, 0, 0, true);
    assertThat(lastId(third)).isEqualTo(ids.get(3));
  }

  @Test
  void onlyWhatComesAfterIsWalked() {
    List<UUID> ids = partitions(4);
    sql.run("update queen.log_partitions set oldest_live_at = null");
    assertStep(walk(ids.get(1), 100), 2, 2, true);
    assertThat(log.row(ids.get(1)).oldestLiveAt()).isNull();
    assertStep(walk(null, 2), 2, 2, false);
  }

  @Test
  void aBadlyDriftedPageIsMendedInSmallGroups() {
    List<UUID> ids = partitions(2 * GROUP + 5);
    sql.run("update queen.log_partitions set oldest_live_at = null");
    JsonNode first = walk(null, 1000);
    assertStep(first, GROUP, GROUP, false);
    assertThat(lastId(first)).isEqualTo(ids.get(GROUP - 1));
    JsonNode second = walk(lastId(first), 1000);
    assertStep(second, GROUP, GROUP, false);
    assertStep(walk(lastId(second), 1000), 5, 5, true);
  }

  @Test
  void exactlyOneGroupInAFullPageIsNotDone() {
    partitions(GROUP);
    sql.run("update queen.log_partitions set oldest_live_at = null");
    JsonNode first = walk(null, GROUP);
    assertStep(first, GROUP, GROUP, false);
    assertStep(walk(lastId(first), GROUP), 0, 0, true);
  }

  @Test
  void healthyRowsBetweenDriftedOnesCountAsScanned() {
    List<UUID> ids = partitions(2 * GROUP + 10);
    for (int i = 0; i < ids.size(); i += 2) {
      set(ids.get(i), "oldest_live_at = null");
    }
    JsonNode first = walk(null, 1000);
    assertStep(first, GROUP, GROUP / 2, false);
    JsonNode second = walk(lastId(first), 1000);
    assertStep(second, GROUP, GROUP / 2, false);
    assertStep(walk(lastId(second), 1000), 10, 5, true);
  }

  @Test
  void aRowThatSomeoneHoldsIsPassedAndCountedAndMendedByTheNextWalk() {
    List<UUID> ids = partitions(8);
    for (int i : new int[] {0, 4, 6}) {
      set(ids.get(i), "oldest_live_at = null");
    }
    try (Sql pusher = database.connect()) {
      pusher.begin();
      pusher.run("select 1 from queen.log_partitions where id = ? for update", ids.get(0));
      JsonNode first = walk(null, 1000);
      assertStep(first, 8, 2, true);
      assertThat(first.get("held").asLong()).isEqualTo(1);
      pusher.rollback();
    }
    assertThat(log.row(ids.get(6)).oldestLiveAt()).as("the free one behind it").isNotNull();
    JsonNode again = walk(null, 1000);
    assertStep(again, 8, 1, true);
    assertThat(again.get("held").asLong()).isZero();
  }

  @Test
  void aStepInFlightIsNotWaitedForAndWhatItLeftIsMendedToWhatIsThenTrue() {
    List<UUID> ids = partitions(3);
    set(ids.get(0), "oldest_live_at = null");
    set(ids.get(2), "oldest_txn_at = null");
    try (Sql stepper = database.connect()) {
      stepper.begin();
      new TestLog(stepper).retentionStep(ids.get(0), log.ago(Duration.ZERO), null, 10);
      JsonNode step = walk(null, 1000);
      assertStep(step, 3, 1, true);
      assertThat(step.get("held").asLong()).isEqualTo(1);
      stepper.commit();
    }
    assertStep(walk(null, 1000), 3, 0, true);
    assertThat(log.row(ids.get(0)).oldestLiveAt()).isNull();
    assertThat(log.row(ids.get(2)).oldestTxnAt()).isNotNull();
  }

  @Test
  void aWholeWalkOverManyPagesMendsEverything() {
    partitions(300);
    sql.run("update queen.log_partitions set oldest_live_at = null, oldest_txn_at = null");
    long repaired = 0;
    long scanned = 0;
    JsonNode step = walk(null, 50);
    while (true) {
      repaired += step.get("repaired").asLong();
      scanned += step.get("scanned").asLong();
      if (step.get("done").asBoolean()) {
        break;
      }
      step = walk(lastId(step), 50);
    }
    assertThat(repaired).isEqualTo(300);
    assertThat(scanned).isEqualTo(300);
  }

  /** Partitions of one segment each, ascending by id. */
  private static List<UUID> partitions(int count) {
    log.configure("walk", "{}");
    sql.run(
        "insert into queen.log_partitions (queue_id, name, last_offset, oldest_live_at, oldest_txn_at, last_created_at)"
            + " select q.id, 'p' || i, 0, t.at, t.at, t.at"
            + "   from queen.queues q, generate_series(1, ?) i, lateral (select now() - i * interval '1 day') t(at)",
        count);
    sql.run(
        "insert into queen.log_segments (partition_id, base_offset, end_offset, created_at, blob)"
            + " select p.id, 0, 0, p.oldest_live_at, '' from queen.log_partitions p");
    sql.run(
        "insert into queen.log_txns (partition_id, base_offset, end_offset, created_at, hashes)"
            + " select p.id, 0, 0, p.oldest_live_at, '' from queen.log_partitions p");
    List<UUID> ids = new ArrayList<>();
    sql.rows("select id from queen.log_partitions order by id")
        .forEach(row -> ids.add((UUID) row.get("id")));
    return ids;
  }

  private static void set(UUID partition, String columns) {
    sql.run("update queen.log_partitions set " + columns + " where id = ?", partition);
  }

  /** Which version of each row is there, and whether anybody ever locked it. */
  private static String versions() {
    return sql.value(
        "select string_agg(p.ctid::text || p.xmin || '/' || p.xmax, ' ' order by p.id) from queen.log_partitions p");
  }

  private static JsonNode walk(@Nullable UUID after, int maxRows) {
    return walk(sql, after, maxRows);
  }

  private static JsonNode walk(Sql session, @Nullable UUID after, int maxRows) {
    return session.json(
        "select queen.log_watermark_walk_step_v1(p_after => ?, p_max_rows => ?)", after, maxRows);
  }

  private static UUID lastId(JsonNode step) {
    return UUID.fromString(step.get("last_id").asText());
  }

  private static void assertStep(JsonNode step, long scanned, long repaired, boolean done) {
    assertThat(
            step.get("scanned").asLong()
                + " scanned, "
                + step.get("repaired").asLong()
                + " repaired, done "
                + step.get("done").asBoolean())
        .isEqualTo(scanned + " scanned, " + repaired + " repaired, done " + done);
  }
}

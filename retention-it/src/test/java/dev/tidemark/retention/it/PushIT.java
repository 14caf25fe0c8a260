package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestPush;
import dev.tidemark.retention.it.support.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code log_push_one_v1}: offsets, duplicates, arguments and the first contact. */
class PushIT {
  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private static TestPush push;
  private String queue;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    log = new TestLog(sql);
    push = new TestPush(sql);
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void aNameOfItsOwn() {
    queue = UUID.randomUUID().toString();
  }

  @AfterEach
  void invariantsHold() {
    assertThat(Invariants.broken(sql)).isEmpty();
  }

  @Test
  void theFirstContactProvisionsQueueAndPartition() {
    JsonNode answer = push.push(queue, null, "a", "b");
    assertQueuedAt(answer, 0);
    assertThat(
            sql.row(
                "select p.name, p.last_offset from queen.log_partitions p join queen.queues q on"
                    + " q.id = p.queue_id where q.name = ?",
                queue))
        .isEqualTo(Map.of("name", "Default", "last_offset", 1L));
    assertQueuedAt(push.push(queue, "Default", "c"), 2);
  }

  @Test
  void oneStampGoesEverywhereOnTheFirstPush() {
    Instant before = log.ago(Duration.ZERO);
    JsonNode answer = push.push(queue, "p", "a", "b", "c");
    UUID partition = log.partition(queue, "p");

    Instant stamp = Instant.parse(answer.get("createdAt").asText());
    assertThat(stamp).isBetween(before, log.ago(Duration.ZERO));
    assertThat(log.segments(partition)).containsExactly(new TestLog.Segment(0, 2, stamp));
    assertThat(
            sql.row(
                "select base_offset, end_offset, created_at, encode(hashes, 'hex') as hashes from"
                    + " queen.log_txns where partition_id = ?",
                partition))
        .containsEntry("base_offset", 0L)
        .containsEntry("end_offset", 2L)
        .containsEntry("created_at", stamp)
        .containsEntry(
            "hashes", java.util.HexFormat.of().formatHex(TestPush.hashes("a", "b", "c")));
    assertThat(log.row(partition)).isEqualTo(new TestLog.Row(2, 0, 0, stamp, stamp));
    assertThat(log.lastCreatedAt(partition)).isEqualTo(stamp);
    assertThat(
            sql.<String>value(
                "select convert_from(blob, 'UTF8') from queen.log_segments where partition_id = ?",
                partition))
        .isEqualTo("a b c");
  }

  @Test
  void aPushOnAnEmptiedPartitionSetsTheWatermarksAnew() {
    push.push(queue, "p", "a");
    UUID partition = log.partition(queue, "p");
    log.retentionStep(partition, log.ago(Duration.ofSeconds(-1)), null, 10);
    assertThat(log.row(partition).oldestLiveAt()).isNull();
    Instant stamp = Instant.parse(push.push(queue, "p", "b").get("createdAt").asText());
    assertThat(log.row(partition).oldestLiveAt()).isEqualTo(stamp);
    assertThat(log.row(partition).oldestTxnAt()).as("the sidecar kept its row").isBefore(stamp);
  }

  @Test
  void aDuplicateIsNamedByItsPlaceInThePushAndItsOffsetInTheLog() {
    push.push(queue, "p", "a", "b", "c");
    assertThat(push.push(queue, "p", "x", "c", "y", "a").toString())
        .isEqualTo(duplicate("{\"i\":1,\"off\":2},{\"i\":3,\"off\":0}"));
  }

  @Test
  void aMessageThatThePushHoldsTwiceIsADuplicateWithoutAnOffset() {
    assertThat(push.push(queue, "p", "a", "b", "a").toString())
        .isEqualTo(duplicate("{\"i\":2,\"off\":null}"));
    assertThat(log.segments(log.partition(queue, "p"))).isEmpty();
  }

  @Test
  void aHashIsComparedAsAWholeFrameAndPerPartition() {
    byte[] two = TestPush.hashes("a", "b");
    push.push(queue, "p", "a", "b");
    byte[] across = java.util.Arrays.copyOfRange(two, 8, 24);
    assertQueuedAt(push.raw(queue, "p", 1, across, null, TestPush.blob("z")), 2);
    assertQueuedAt(push.push(queue, "q", "a"), 0);
  }

  @Test
  void theWindowDecidesHowLongAMessageIsRemembered() {
    UUID partition = log.partition(queue, "p");
    log.append(partition, log.ago(Duration.ofMinutes(2)), 1);
    byte[] zero = new byte[16];
    log.configure(queue, "{\"dedupWindowSeconds\": 3600}");
    assertThat(push.raw(queue, "p", 1, zero, null, zero).toString())
        .isEqualTo(duplicate("{\"i\":0,\"off\":0}"));
    log.configure(queue, "{\"dedupWindowSeconds\": 60}");
    assertQueuedAt(push.raw(queue, "p", 1, zero, null, zero), 1);
    assertThat(push.raw(queue, "p", 1, zero, null, zero).toString())
        .as("the one just pushed is inside, the older one is not")
        .isEqualTo(duplicate("{\"i\":0,\"off\":1}"));
    log.configure(queue, "{\"dedupWindowSeconds\": 0}");
    assertQueuedAt(push.raw(queue, "p", 2, new byte[32], null, zero), 2);
  }

  @Test
  void aMessageExactlyAsOldAsTheWindowIsADuplicateAndAMicrosecondOlderIsNot() {
    log.configure(queue, "{\"dedupWindowSeconds\": 600}");
    UUID partition = log.partition(queue, "p");
    // A stamp that stands still: the last one is ahead of the clock.
    Instant stamp = log.ago(Duration.ofSeconds(-300));
    log.append(partition, stamp.minusSeconds(600).minusNanos(1000), 1);
    sql.run("update queen.log_partitions set last_created_at = ? where id = ?", stamp, partition);
    byte[] zero = new byte[16];
    assertQueuedAt(push.raw(queue, "p", 1, zero, null, zero), 1);

    queue = UUID.randomUUID().toString();
    log.configure(queue, "{\"dedupWindowSeconds\": 600}");
    UUID atTheEdge = log.partition(queue, "p");
    log.append(atTheEdge, stamp.minusSeconds(600), 1);
    sql.run("update queen.log_partitions set last_created_at = ? where id = ?", stamp, atTheEdge);
    assertThat(push.raw(queue, "p", 1, zero, null, zero).toString())
        .isEqualTo(duplicate("{\"i\":0,\"off\":0}"));
  }

  @Test
  void whatTheSidecarNoLongerHoldsIsForgotten() {
    push.push(queue, "p", "a");
    push.push(queue, "p", "b");
    UUID partition = log.partition(queue, "p");
    log.purgeStep(partition, log.ago(Duration.ofSeconds(-1)), 1);
    assertThat(log.row(partition).txnsStart()).isEqualTo(1);
    assertThat(push.push(queue, "p", "b").get("status").asText()).isEqualTo("duplicate");
    assertQueuedAt(push.push(queue, "p", "a"), 2);
  }

  @Test
  void whatTheCallerVerifiedIsNotSearched() {
    push.push(queue, "p", "a", "b");
    assertThat(push.pushVerified(queue, "p", 0L, "b").toString())
        .isEqualTo(duplicate("{\"i\":0,\"off\":1}"));
    assertThat(push.pushVerified(queue, "p", -1L, "a").toString())
        .isEqualTo(duplicate("{\"i\":0,\"off\":0}"));
    assertThat(push.pushVerified(queue, "p", Long.MIN_VALUE, "a").get("status").asText())
        .isEqualTo("duplicate");
    assertQueuedAt(push.pushVerified(queue, "p", 0L, "a"), 2);
    assertQueuedAt(push.pushVerified(queue, "p", 2L, "b"), 3);
  }

  @ParameterizedTest
  @ValueSource(longs = {2, 1000, Long.MAX_VALUE})
  void aVerifiedOffsetPastTheEndSpeaksOfAnotherPartitionAndVerifiesNothing(long verified) {
    push.push(queue, "p", "a", "b");
    assertThat(push.pushVerified(queue, "p", verified, "b").toString())
        .isEqualTo(duplicate("{\"i\":0,\"off\":1}"));
  }

  @Test
  void aPushThatWaitedIsStampedAfterTheOneItWaitedFor() {
    push.push(queue, "p", "first");
    try (Sql ahead = database.connect();
        Sql behind = database.connect()) {
      ahead.begin();
      new TestPush(ahead).push(queue, "p", "a");
      Waiting.Elsewhere<JsonNode> waiting =
          Waiting.blocked(sql, behind, s -> new TestPush(s).push(queue, "p", "b"));
      Instant released = log.ago(Duration.ZERO);
      ahead.commit();
      JsonNode answer = waiting.get();
      assertQueuedAt(answer, 2);
      assertThat(Instant.parse(answer.get("createdAt").asText())).isAfterOrEqualTo(released);
    }
  }

  @Test
  void lastWriteAtMovesOnceItIsASecondOld() {
    push.push(queue, "p", "a");
    UUID partition = log.partition(queue, "p");
    sql.run(
        "update queen.log_partitions set last_write_at = '2020-01-01Z' where id = ?", partition);
    Instant stamp = Instant.parse(push.push(queue, "p", "b").get("createdAt").asText());
    assertThat(lastWriteAt(partition)).isEqualTo(stamp);
    // The next second, whatever the machine does meanwhile.
    Instant near = log.ago(Duration.ofHours(-1));
    sql.run("update queen.log_partitions set last_write_at = ? where id = ?", near, partition);
    push.push(queue, "p", "c");
    assertThat(lastWriteAt(partition)).isEqualTo(near);
  }

  private static Instant lastWriteAt(UUID partition) {
    return sql.value("select last_write_at from queen.log_partitions where id = ?", partition);
  }

  @Test
  void eightFirstContactsAtOnceMeetInOnePartition() {
    int threads = 8;
    CountDownLatch start = new CountDownLatch(1);
    List<Waiting.Elsewhere<JsonNode>> pushes = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      String word = "m" + i;
      Sql session = database.connect();
      pushes.add(
          Waiting.elsewhere(
              () -> {
                start.await();
                return new TestPush(session).push(queue, "p", word);
              }));
    }
    start.countDown();
    assertThat(pushes)
        .extracting(p -> p.get().get("baseOffset").asLong())
        .containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
    assertThat(sql.number("select count(*) from queen.queues where name = ?", queue)).isOne();
    assertThat(log.segments(log.partition(queue, "p"))).hasSize(threads);
  }

  @ParameterizedTest
  @ValueSource(strings = {"repeatable read", "serializable"})
  void anotherIsolationLevelIsRefused(String level) {
    push.push(queue, "p", "a");
    sql.begin();
    sql.run("set transaction isolation level " + level);
    refused("TM001", () -> push.push(queue, "p", "b"), level);
    sql.rollback();
    assertThat(log.row(log.partition(queue, "p")).lastOffset()).isZero();
  }

  @Test
  void aSessionWithoutForeignKeysIsRefused() {
    try (Sql replica = database.connect()) {
      replica.run("set session_replication_role = replica");
      refused("TM002", () -> new TestPush(replica).push(queue, "p", "a"));
    }
  }

  @Test
  void aBadArgumentIsNamedAndNothingIsProvisioned() {
    byte[] hash = TestPush.hashes("a");
    byte[] blob = TestPush.blob("a");
    refused("22023", () -> push.raw(null, "p", 1, hash, null, blob), "p_queue");
    refused("22023", () -> push.raw("", "p", 1, hash, null, blob), "p_queue");
    refused("22023", () -> push.raw(queue, "", 1, hash, null, blob), "p_partition");
    for (@Nullable Integer count : new Integer[] {null, 0, -1, Integer.MIN_VALUE}) {
      refused(
          "22023", () -> push.raw(queue, "p", count, hash, null, blob), "p_msg_count", "" + count);
    }
    refused("22023", () -> push.raw(queue, "p", 1, null, null, blob), "p_hashes", "null");
    refused("22023", () -> push.raw(queue, "p", 2, hash, null, blob), "p_hashes", "32", "16");
    refused("22023", () -> push.raw(queue, "p", 1, new byte[15], null, blob), "p_hashes", "15");
    refused("22023", () -> push.raw(queue, "p", Integer.MAX_VALUE, hash, null, blob), "p_hashes");
    refused("22023", () -> push.raw(queue, "p", 1, hash, null, null), "p_blob");
    assertThat(sql.rows("select 1 from queen.queues where name = ?", queue)).isEmpty();
  }

  @Test
  void offsetsEndBeforeTheyOverflow() {
    UUID partition = log.partition(queue, "p");
    sql.run(
        "update queen.log_partitions set last_offset = 9223372036854775805, log_start ="
            + " 9223372036854775806, txns_start = 9223372036854775806 where id = ?",
        partition);
    refused("TM006", () -> push.push(queue, "p", "a", "b"), partition.toString());
    assertQueuedAt(push.push(queue, "p", "a"), 9223372036854775806L);
    refused("TM006", () -> push.push(queue, "p", "b"));
    assertThat(push.push(queue, "p", "a").get("status").asText()).isEqualTo("duplicate");
    assertThat(log.segments(partition)).hasSize(1);
  }

  private static void assertQueuedAt(JsonNode answer, long offset) {
    assertThat(answer.get("status").asText()).as(answer.toString()).isEqualTo("queued");
    assertThat(answer.get("baseOffset").asLong()).isEqualTo(offset);
  }

  private static String duplicate(String dups) {
    return "{\"dups\":[" + dups + "],\"status\":\"duplicate\"}";
  }
}

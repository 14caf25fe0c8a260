package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestPush;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code log_ack_by_hash_v1}: redelivery over loss. */
class AckByHashIT {
  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private String queue;
  private UUID partition;

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
  void invariantsHold() {
    assertThat(Invariants.broken(sql)).isEmpty();
  }

  /** a b | c d | e f, of which a to d are leased. */
  @BeforeEach
  void sixMessagesOfWhichFourAreLeased() {
    queue = UUID.randomUUID().toString();
    TestPush push = new TestPush(sql);
    push.push(queue, "p", "a", "b");
    push.push(queue, "p", "c", "d");
    push.push(queue, "p", "e", "f");
    partition = log.partition(queue, "p");
    sql.rows("select 1 from queen.log_pop_v1(?, 'p', 'g', 'w', 4, 60)", queue);
  }

  @Test
  void theMessageWithTheHashIsAckedWithAllBeforeIt() {
    assertThat(ack("w", "c")).isEqualTo("{\"acked\":true,\"committed\":2}");
    assertThat(ack("w", "d")).isEqualTo("{\"acked\":true,\"committed\":3}");
  }

  @Test
  void theRetryOfAnAckChangesNothing() {
    ack("w", "d");
    assertThat(ack("w", "d")).isEqualTo("{\"acked\":true,\"committed\":3}");
    assertThat(ack("w", "a")).isEqualTo("{\"acked\":true,\"committed\":3}");
  }

  @Test
  void aHashPastTheBatchOrUnknownIsNotAcked() {
    assertThat(ack("w", "e")).isEqualTo("{\"acked\":false,\"committed\":-1}");
    assertThat(ack("w", "nobody")).isEqualTo("{\"acked\":false,\"committed\":-1}");
    assertThat(ack("v", "a")).as("not its lease").isEqualTo("{\"acked\":false,\"committed\":-1}");
  }

  @Test
  void aHashThatStraddlesTwoFramesIsUnknown() {
    byte[] across = java.util.Arrays.copyOfRange(TestPush.hashes("a", "b"), 8, 24);
    assertThat(ack(partition, "g", "w", across)).isEqualTo("{\"acked\":false,\"committed\":-1}");
  }

  @Test
  void aPurgedHashIsNotAcked() {
    log.purgeStep(partition, log.ago(Duration.ofSeconds(-1)), 1);
    assertThat(ack("w", "b")).isEqualTo("{\"acked\":false,\"committed\":-1}");
    assertThat(ack("w", "c")).isEqualTo("{\"acked\":true,\"committed\":2}");
  }

  @Test
  void ofAHashThatIsThereTwiceTheFirstInTheBatchIsAcked() {
    log.configure(queue, "{\"dedupWindowSeconds\": 0}");
    new TestPush(sql).push(queue, "p", "a", "x", "a");
    ack("w", "d");
    sql.rows("select 1 from queen.log_pop_v1(?, 'p', 'g', 'w', 5, 60)", queue);
    assertThat(ack("w", "a"))
        .as("4 5 are e f, 6 is a again, 8 too; 0 is committed")
        .isEqualTo("{\"acked\":true,\"committed\":6}");
  }

  @Test
  void aGroupWithoutACursorIsNotAcked() {
    assertThat(ack(partition, "nobody", "w", TestPush.hashes("a")))
        .isEqualTo("{\"acked\":false,\"committed\":null}");
  }

  @Test
  void aBadArgumentIsNamed() {
    byte[] a = TestPush.hashes("a");
    refused("22023", () -> ack(null, "g", "w", a), "p_partition_id");
    refused("22023", () -> ack(partition, null, "w", a), "p_group");
    refused("22023", () -> ack(partition, "g", null, a), "p_worker");
    refused("22023", () -> ack(partition, "g", "w", null), "p_hash");
    refused("22023", () -> ack(partition, "g", "w", new byte[15]), "p_hash", "15");
  }

  private String ack(String worker, String word) {
    return ack(partition, "g", worker, TestPush.hashes(word));
  }

  private static String ack(
      @Nullable UUID partition,
      @Nullable String group,
      @Nullable String worker,
      byte @Nullable [] hash) {
    return sql.json(
            "select queen.log_ack_by_hash_v1(?, ?, ?, ?::bytea)", partition, group, worker, hash)
        .toString();
  }
}

package dev.tidemark.retention.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestPush;
import dev.tidemark.retention.it.support.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Data that goes while a worker holds a lease on it: neither waits for the other, the worker's acks
 * do no harm, and the group goes on at the next live offset.
 */
class EvictionUnderLeaseIT {
  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private Sql popping;
  private Sql evicting;
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

  /** Three segments: 0..3, 4..7, 8..11, three hours old to one. The group has joined. */
  @BeforeEach
  void aPartitionOfTwelveMessages() {
    popping = database.connect();
    evicting = database.connect();
    for (Sql each : List.of(popping, evicting)) {
      // Whoever waits where nobody should then fails, where it would hang.
      each.run("set lock_timeout = '10s'");
    }
    queue = UUID.randomUUID().toString();
    partition = log.partition(queue, "p");
    for (int hours = 3; hours >= 1; hours--) {
      log.append(partition, log.ago(Duration.ofHours(hours)), 4);
    }
    log.commit(partition, "g", -1);
  }

  @AfterEach
  void invariantsHold() {
    popping.close();
    evicting.close();
    assertThat(Invariants.broken(sql)).isEmpty();
  }

  @Test
  void theLeasesLaterAcksAreHarmlessAndTheGroupGoesOnAtTheNextLiveOffset() {
    assertThat(pop(sql, "g", "w", 6)).containsExactly("0..3", "4..5");
    assertThat(evict(sql)).isEqualTo(2);
    TestLog.Row evicted = log.row(partition);
    assertThat(evicted.logStart()).isEqualTo(8);
    assertThat(pop(sql, "g", "v", 6)).as("the lease itself stands").isEmpty();

    assertThat(ack("w", 2)).isEqualTo("{\"acked\":true,\"committed\":2}");
    assertThat(ack("w", 0)).as("never back").isEqualTo("{\"acked\":true,\"committed\":2}");
    assertThat(committed()).isEqualTo(2);
    assertThat(ack("v", 5)).isEqualTo("{\"acked\":false,\"committed\":2}");
    assertThat(ack("w", 5)).isEqualTo("{\"acked\":true,\"committed\":5}");
    assertThat(log.row(partition)).as("an ack does not touch the log").isEqualTo(evicted);

    assertThat(pop(sql, "g", "w", 2)).containsExactly("8..9");
    assertThat(ack("w", 5)).as("a late retry").isEqualTo("{\"acked\":true,\"committed\":5}");
    assertThat(ack("w", 9)).isEqualTo("{\"acked\":true,\"committed\":9}");
    assertThat(pop(sql, "g", "w", 5)).containsExactly("10..11");
  }

  @Test
  void aLeaseThatRanOutOverEvictedDataIsTakenOverAtTheNextLiveOffset() {
    pop(sql, "g", "w", 6);
    evict(sql);
    sql.run(
        "update queen.log_consumers set lease_expires_at = clock_timestamp() - interval '1 second'"
            + " where partition_id = ?",
        partition);
    assertThat(pop(sql, "g", "v", 2)).containsExactly("8..9");
    assertThat(ack("w", 5))
        .as("it is v's lease now")
        .isEqualTo("{\"acked\":false,\"committed\":-1}");
    assertThat(ack("v", 9)).isEqualTo("{\"acked\":true,\"committed\":9}");
    assertThat(ack("w", 5)).isEqualTo("{\"acked\":true,\"committed\":9}");
    assertThat(committed()).isEqualTo(9);
  }

  @Test
  void anAckByTheHashOfAnEvictedMessageCommitsWhileTheSidecarKnowsIt() {
    UUID words = log.partition(queue, "words");
    TestPush push = new TestPush(sql);
    push.push(queue, "words", "a", "b");
    push.push(queue, "words", "c", "d");
    sql.rows("select 1 from queen.log_pop_v1(?, 'words', 'g', 'w', 4, 60)", queue);
    log.evictStep(words, log.ago(Duration.ofSeconds(-1)), 1);
    assertThat(log.row(words).logStart()).isEqualTo(2);
    assertThat(ackByHash(words, "b")).isEqualTo("{\"acked\":true,\"committed\":1}");
    log.evictStep(words, log.ago(Duration.ofSeconds(-1)), 1);
    log.purgeStep(words, log.ago(Duration.ofSeconds(-1)), 2);
    assertThat(ackByHash(words, "d")).isEqualTo("{\"acked\":false,\"committed\":1}");
    assertThat(ackByHash(words, "a")).isEqualTo("{\"acked\":false,\"committed\":1}");
  }

  @Test
  void aTransactionThatAcksWhatWasEvictedCommitsItsPushes() {
    pop(sql, "g", "w", 6);
    evict(sql);
    assertThat(
            sql.json(
                    "select queen.log_transaction_wire_v1(?::jsonb)",
                    """
                    {"pushes": [{"queue": "%s", "partition": "out", "msgCount": 1, "hashes": "%s", "blob": ""}],
                     "acks": [{"partitionId": "%s", "group": "g", "worker": "w", "offset": 5}]}
                    """
                        .formatted(queue, TestPush.base64(TestPush.hashes("out")), partition))
                .get("status")
                .asText())
        .isEqualTo("committed");
    assertThat(committed()).isEqualTo(5);
    assertThat(log.segments(log.partition(queue, "out"))).hasSize(1);
    assertThat(pop(sql, "g", "w", 6)).containsExactly("8..11");
  }

  @Test
  void anEvictionDoesNotWaitForThePopThatIsLeasingTheData() {
    popping.begin();
    assertThat(pop(popping, "g", "w", 6)).containsExactly("0..3", "4..5");
    assertThat(evict(evicting)).isEqualTo(2);
    popping.commit();
    assertThat(ack("w", 5)).isEqualTo("{\"acked\":true,\"committed\":5}");
    assertThat(pop(sql, "g", "w", 6)).containsExactly("8..11");
  }

  @Test
  void aPopAndItsAckDoNotWaitForTheEvictionThatIsTakingTheData() {
    evicting.begin();
    assertThat(evict(evicting)).isEqualTo(2);
    assertThat(pop(popping, "g", "w", 6)).containsExactly("0..3", "4..5");
    assertThat(ack(popping, "w", 1)).isEqualTo("{\"acked\":true,\"committed\":1}");
    evicting.commit();
    assertThat(ack(popping, "w", 5)).isEqualTo("{\"acked\":true,\"committed\":5}");
    assertThat(pop(popping, "g", "w", 6)).containsExactly("8..11");
  }

  @Test
  void theFirstPopOfAGroupWaitsForTheEvictionAndBeginsAtTheFirstLiveOffset() {
    evicting.begin();
    assertThat(evict(evicting)).isEqualTo(2);
    Waiting.Elsewhere<List<String>> pop = Waiting.blocked(sql, popping, s -> pop(s, "new", "w", 6));
    evicting.commit();
    assertThat(pop.get()).containsExactly("8..11");
  }

  @Test
  void consumptionThatARunningPopHoldsStillPinsWhatRuleTwoWouldTake() {
    pop(sql, "g", "w", 6);
    popping.begin();
    assertThat(ack(popping, "w", 5)).isEqualTo("{\"acked\":true,\"committed\":5}");
    JsonNode step = new TestLog(evicting).retentionStep(partition, null, log.ago(Duration.ZERO), 9);
    assertThat(step.get("deleted").asInt()).as("not committed yet").isZero();
    popping.commit();
    step = new TestLog(evicting).retentionStep(partition, null, log.ago(Duration.ZERO), 9);
    assertThat(step.get("new_log_start").asLong()).isEqualTo(4);
  }

  /** Takes what is older than an hour and a half: 0..3 and 4..7. */
  private int evict(Sql session) {
    return new TestLog(session)
        .evictStep(partition, log.ago(Duration.ofMinutes(90)), 10)
        .get("deleted")
        .asInt();
  }

  private List<String> pop(Sql session, String group, String worker, int max) {
    return session
        .rows(
            "select from_offset, to_offset from queen.log_pop_v1(?, 'p', ?, ?, ?, 60)",
            queue,
            group,
            worker,
            max)
        .stream()
        .map(r -> r.get("from_offset") + ".." + r.get("to_offset"))
        .toList();
  }

  private String ack(String worker, long offset) {
    return ack(sql, worker, offset);
  }

  private String ack(Sql session, String worker, long offset) {
    return session
        .json("select queen.log_ack_v1(?, 'g', ?, ?::bigint)", partition, worker, offset)
        .toString();
  }

  private static String ackByHash(UUID partition, String word) {
    return sql.json(
            "select queen.log_ack_by_hash_v1(?, 'g', 'w', ?::bytea)",
            partition,
            TestPush.hashes(word))
        .toString();
  }

  private long committed() {
    return sql.number(
        "select committed from queen.log_consumers where partition_id = ?", partition);
  }
}

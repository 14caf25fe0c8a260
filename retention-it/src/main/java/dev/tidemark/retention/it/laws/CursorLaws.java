package dev.tidemark.retention.it.laws;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Gate;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One cursor, and two sessions that want it at once: what each decides, it decides under lock. */
public class CursorLaws {
  private static final List<String> WORDS = List.of("a", "b", "c");

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private Sql first;
  private Sql second;
  private String queue;
  private UUID partition;

  /** The two ways to ack, which promise the same. */
  enum AckBy {
    OFFSET,
    HASH;

    JsonNode ack(Sql session, UUID partition, int offset) {
      return this == OFFSET
          ? session.json("select queen.log_ack_v1(?, 'g', 'w', ?)", partition, offset)
          : byHash(session, partition, TestPush.hashes(WORDS.get(offset)));
    }
  }

  @BeforeAll
  static void open() {
    database = Target.open();
    sql = database.connect();
    log = new TestLog(sql);
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void threeMessagesThatAGroupWants() {
    first = database.connect();
    second = database.connect();
    queue = "cursors-" + UUID.randomUUID();
    new TestPush(sql).push(queue, "p", WORDS.toArray(String[]::new));
    partition = log.partition(queue, "p");
    log.commit(partition, "g", -1);
  }

  @AfterEach
  void theQueueGoes() {
    first.close();
    second.close();
    sql.json("select queen.delete_queue_v1(p_name => ?)", queue);
  }

  @Test
  void oneBatchIsLeasedToOneWorker() {
    int holder = first.backend();
    int waiter = second.backend();
    standBeforeTheSegments();
    try (Gate gate = Gate.atRead(database, "queen.log_segments")) {
      Waiting.Elsewhere<List<Object>> one = stopped(gate, holder, "p");
      Waiting.Elsewhere<List<Object>> other =
          Waiting.blocked(sql, second, s -> pop(s, "p", "second"));
      assertThat(Waiting.blockers(sql, waiter)).as("at the cursor").containsExactly(holder);
      gate.open();
      assertThat(one.get()).containsExactly(2L);
      assertThat(other.get()).isEmpty();
    }
    assertThat(worker()).isEqualTo("first");
  }

  @Test
  void aBatchThatSomebodyIsAboutToLeaseIsPassedByWhoTakesAnyPartition() {
    int holder = first.backend();
    standBeforeTheSegments();
    second.run("set lock_timeout = '1ms'");
    try (Gate gate = Gate.atRead(database, "queen.log_segments")) {
      Waiting.Elsewhere<List<Object>> one = stopped(gate, holder, null);
      assertThat(pop(second, null, "second")).isEmpty();
      gate.open();
      assertThat(one.get()).containsExactly(2L);
    }
    assertThat(worker()).isEqualTo("first");
  }

  @ParameterizedTest
  @EnumSource
  void anAckNeverMovesTheCursorBack(AckBy by) {
    assertThat(pop(sql, "p", "w")).containsExactly(2L);
    first.begin();
    assertThat(by.ack(first, partition, 1).get("acked").asBoolean()).isTrue();
    Waiting.Elsewhere<JsonNode> late = Waiting.blocked(sql, second, s -> by.ack(s, partition, 0));
    first.commit();
    assertThat(late.get().get("acked").asBoolean()).isTrue();
    assertThat(late.get().get("committed").asInt()).isEqualTo(1);
    assertThat(committed()).isEqualTo(1);
  }

  /** Three messages of one hash: which of them is meant depends on where the batch begins. */
  @Test
  void anAckByHashLooksIntoTheBatchThatItFindsUnderTheLock() {
    partition = log.partition(queue, "same");
    log.append(partition, log.ago(Duration.ofHours(1)), 3);
    assertThat(pop(sql, "same", "w")).containsExactly(2L);
    first.begin();
    assertThat(AckBy.OFFSET.ack(first, partition, 0).get("acked").asBoolean()).isTrue();
    Waiting.Elsewhere<JsonNode> next =
        Waiting.blocked(sql, second, s -> byHash(s, partition, new byte[16]));
    first.commit();
    assertThat(next.get().get("committed").asInt()).isEqualTo(1);
    assertThat(committed()).isEqualTo(1);
  }

  private void standBeforeTheSegments() {
    Gate.standBefore(first, "queen_broker");
    Gate.standBefore(second, "queen_broker");
  }

  /** A pop that has the cursor and is about to look for its batch. */
  private Waiting.Elsewhere<List<Object>> stopped(Gate gate, int backend, String name) {
    Waiting.Elsewhere<List<Object>> pop = Waiting.blocked(sql, first, s -> pop(s, name, "first"));
    assertThat(Waiting.blockers(sql, backend)).as("at the gate").containsExactly(gate.backend());
    return pop;
  }

  /** The last offsets of what it got. */
  private List<Object> pop(Sql session, String name, String worker) {
    return session.column(
        "select to_offset from queen.log_pop_v1(?, ?, 'g', ?, 10, 60)", queue, name, worker);
  }

  private static JsonNode byHash(Sql session, UUID partition, byte[] hash) {
    return session.json("select queen.log_ack_by_hash_v1(?, 'g', 'w', ?::bytea)", partition, hash);
  }

  private long committed() {
    return sql.number(
        "select committed from queen.log_consumers where partition_id = ? and consumer_group = 'g'",
        partition);
  }

  private String worker() {
    return sql.value(
        "select worker_id from queen.log_consumers where partition_id = ? and consumer_group = 'g'",
        partition);
  }
}

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
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code log_transaction_wire_v1}: pushes and acks, all or nothing. */
class TransactionWireIT {
  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private String queue;
  private UUID source;

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

  /** Three messages, of which two are leased to w. */
  @BeforeEach
  void aSourceWithALease() {
    queue = UUID.randomUUID().toString();
    new TestPush(sql).push(queue, "source", "a", "b", "c");
    source = log.partition(queue, "source");
    sql.rows("select 1 from queen.log_pop_v1(?, 'source', 'g', 'w', 2, 60)", queue);
  }

  @Test
  void pushesAndAcksCommitTogetherAndAnswerInOrder() {
    JsonNode answer =
        wire(
            push("\"z\"", "x", null) + "," + push("null", "y", null),
            ack(0, "w") + "," + ack(1, "w"));
    assertThat(answer.get("status").asText()).isEqualTo("committed");
    assertThat(answer.get("pushes"))
        .extracting(p -> p.get("status").asText() + p.get("baseOffset"))
        .containsExactly("queued0", "queued0");
    assertThat(answer.get("acks").toString())
        .isEqualTo("[{\"acked\":true,\"committed\":0},{\"acked\":true,\"committed\":1}]");
    assertThat(
            sql.<String>value(
                "select convert_from(blob, 'UTF8') from queen.log_segments where partition_id = ?",
                log.partition(queue, "z")))
        .isEqualTo("x");
    assertThat(log.segments(log.partition(queue, "Default"))).hasSize(1);
    assertThat(committed()).isEqualTo(1);
  }

  @Test
  void oneDuplicateUndoesEverything() {
    JsonNode answer =
        wire(push("\"new\"", "x", null) + "," + push("\"source\"", "b", null), ack(1, "w"));
    assertThat(answer.toString())
        .isEqualTo("{\"dups\":[{\"i\":0,\"off\":1,\"push\":1}],\"status\":\"duplicate\"}");
    assertNothingHappened();
  }

  @Test
  void oneRefusedAckUndoesEverything() {
    JsonNode answer = wire(push("\"new\"", "x", null), ack(1, "w") + "," + ack(2, "w"));
    assertThat(answer.toString())
        .isEqualTo("{\"status\":\"refused\",\"refused\":[{\"ack\":1,\"committed\":-1}]}");
    assertNothingHappened();
    assertThat(wire(push("\"new\"", "x", null), ack(1, "other")).toString())
        .isEqualTo("{\"status\":\"refused\",\"refused\":[{\"ack\":0,\"committed\":-1}]}");
    assertNothingHappened();
  }

  @Test
  void aWorkerThatLostItsLeaseDoesNotProduceEvenWhereItsSuccessorCommittedTheSameOffset() {
    sql.run(
        "update queen.log_consumers set committed = 1, worker_id = null, batch_end = null,"
            + " lease_expires_at = null, lease_acquired_at = null where partition_id = ?",
        source);
    assertThat(wire(push("\"new\"", "x", null), ack(1, "w")).toString())
        .isEqualTo("{\"status\":\"refused\",\"refused\":[{\"ack\":0,\"committed\":1}]}");
    assertThat(sql.number("select count(*) from queen.log_partitions where name = 'new'")).isZero();
  }

  @Test
  void theTransactionAroundItGoesOnAfterAnUndoneOne() {
    sql.begin();
    new TestPush(sql).push(queue, "mine", "m");
    assertThat(wire(push("\"source\"", "b", null), "").get("status").asText())
        .isEqualTo("duplicate");
    sql.commit();
    assertThat(log.segments(log.partition(queue, "mine"))).hasSize(1);
  }

  @Test
  void anUndoneTransactionHoldsNoLock() {
    sql.begin();
    wire(push("\"source\"", "b", null), "");
    try (Sql other = database.connect()) {
      other.row("select 1 from queen.log_partitions where id = ? for update nowait", source);
    }
    sql.commit();
  }

  @Test
  void verifiedIsPassedOn() {
    assertThat(wire(push("\"source\"", "b", 1L), "").get("status").asText()).isEqualTo("committed");
  }

  @Test
  void thePartitionsAreLockedBeforeTheCursors() {
    try (Sql holding = database.connect();
        Sql calling = database.connect()) {
      holding.begin();
      holding.row("select 1 from queen.log_partitions where id = ? for update", source);
      String transaction =
          "{\"pushes\":[" + push("\"source\"", "x", null) + "],\"acks\":[" + ack(1, "w") + "]}";
      Waiting.Elsewhere<JsonNode> waiting =
          Waiting.blocked(
              sql,
              calling,
              s -> s.json("select queen.log_transaction_wire_v1(?::jsonb)", transaction));
      sql.begin();
      sql.row("select 1 from queen.log_consumers where partition_id = ? for update nowait", source);
      sql.rollback();
      holding.commit();
      assertThat(waiting.get().get("status").asText()).isEqualTo("committed");
    }
  }

  @Test
  void anEmptyTransactionCommitsNothing() {
    assertThat(sql.json("select queen.log_transaction_wire_v1('{}')").toString())
        .isEqualTo("{\"acks\":[],\"pushes\":[],\"status\":\"committed\"}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[] | p must be an object",
        "null | p must be an object",
        "{\"push\": []} | unknown key push",
        "{\"pushes\": {}} | pushes must be an array",
        "{\"acks\": null} | acks must be an array",
        "{\"pushes\": [1]} | pushes[0] must be an object",
        "{\"acks\": [[]]} | acks[0] must be an object",
        "{\"pushes\": [{\"Queue\": \"q\"}]} | pushes[0]: unknown key Queue",
        "{\"acks\": [{\"queue\": \"q\"}]} | acks[0]: unknown key queue",
        "{\"acks\": [{\"partitionId\": \"x\", \"group\": \"g\", \"worker\": \"w\", \"offset\": 1}]}"
            + " | acks[0]: partitionId must be a uuid",
      })
  void aTransactionOfAnotherShapeIsRefused(String transaction, String says) {
    refused(
        "22023",
        () -> sql.json("select queen.log_transaction_wire_v1(?::jsonb)", transaction),
        says);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "queue | null",
        "queue | \"\"",
        "queue | 1",
        "partition | \"\"",
        "partition | 7",
        "msgCount | null",
        "msgCount | 1.5",
        "msgCount | -1",
        "msgCount | 99999999999",
        "msgCount | \"1\"",
        "hashes | null",
        "hashes | \"AAA\"",
        "hashes | \"AA AA\"",
        "verified | 0.5",
        "verified | \"0\"",
        "blob | null",
        "blob | \"*\"",
        "blob | \"AAAA====\"",
      })
  void aValueOfAnotherTypeIsRefusedByName(String key, String value) {
    String first = push("\"new\"", "x", null);
    refused(
        "22023",
        () ->
            sql.json(
                "select queen.log_transaction_wire_v1(jsonb_set(?::jsonb, array['pushes', '1', ?],"
                    + " ?::jsonb))",
                "{\"pushes\":[" + first + "," + push("\"more\"", "y", 0L) + "]}",
                key,
                value),
        "pushes[1]: " + key);
    assertNothingHappened();
  }

  private void assertNothingHappened() {
    assertThat(committed()).isEqualTo(-1);
    assertThat(log.segments(source)).hasSize(1);
    assertThat(
            sql.rows(
                "select p.name from queen.log_partitions p join queen.queues q on q.id ="
                    + " p.queue_id where q.name = ?",
                queue))
        .extracting(r -> r.get("name"))
        .containsExactly("source");
  }

  private long committed() {
    return sql.number("select committed from queen.log_consumers where partition_id = ?", source);
  }

  private JsonNode wire(String pushes, String acks) {
    return sql.json(
        "select queen.log_transaction_wire_v1(?::jsonb)",
        "{\"pushes\":[" + pushes + "],\"acks\":[" + acks + "]}");
  }

  private String push(String partition, String word, @Nullable Long verified) {
    return "{\"queue\":\"%s\",\"partition\":%s,\"msgCount\":1,\"hashes\":\"%s\",\"verified\":%s,\"blob\":\"%s\"}"
        .formatted(
            queue,
            partition,
            TestPush.base64(TestPush.hashes(word)),
            verified,
            TestPush.base64(TestPush.blob(word)));
  }

  private String ack(long offset, String worker) {
    return "{\"partitionId\":\"%s\",\"group\":\"g\",\"worker\":\"%s\",\"offset\":%d}"
        .formatted(source, worker, offset);
  }
}

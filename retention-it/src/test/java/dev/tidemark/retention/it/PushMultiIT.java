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
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code log_push_multi_v1}: one segment into each of several partitions. */
class PushMultiIT {
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
  void aNameOfItsOwn() {
    queue = UUID.randomUUID().toString();
  }

  @AfterEach
  void invariantsHold() {
    assertThat(Invariants.broken(sql)).isEmpty();
  }

  @Test
  void answersComeInTheOrderOfTheInputWhateverTheOrderOfTheLocks() {
    List<String> partitions = IntStream.range(0, 12).mapToObj(i -> "p" + i).toList();
    for (int i = 0; i < partitions.size(); i++) {
      // Partition i holds i messages already.
      for (int m = 0; m < i; m++) {
        new TestPush(sql).push(queue, partitions.get(i), "old" + m);
      }
    }
    JsonNode answer = push(sql, queue, partitions, "new");
    assertThat(answer).hasSize(12);
    for (int i = 0; i < partitions.size(); i++) {
      assertThat(answer.get(i).get("status").asText()).isEqualTo("queued");
      assertThat(answer.get(i).get("baseOffset").asInt()).isEqualTo(i);
    }
  }

  @Test
  void aDuplicateStaysOutAndTheOthersAreQueued() {
    new TestPush(sql).push(queue, "b", "x");
    JsonNode answer = push(sql, queue, List.of("a", "b", "c"), "x");
    assertThat(answer)
        .extracting(a -> a.get("status").asText())
        .containsExactly("queued", "duplicate", "queued");
    assertThat(answer.get(1).toString())
        .isEqualTo("{\"dups\":[{\"i\":0,\"off\":0}],\"status\":\"duplicate\"}");
    assertThat(List.of("a", "b", "c"))
        .allSatisfy(p -> assertThat(log.segments(log.partition(queue, p))).hasSize(1));
  }

  @Test
  void thePartitionsOfOneCallAreDistinct() {
    refused(
        "22023", () -> push(sql, queue, List.of("a", "b", "a"), "x"), "p_partitions", "distinct");
    refused(
        "22023",
        () -> multi("array[?::text, ?::text]", "array[null, 'Default']", 2, queue, queue),
        "distinct");
    assertThat(sql.rows("select 1 from queen.queues where name = ?", queue)).isEmpty();
  }

  @Test
  void theArraysHaveOneLength() {
    for (String shorter :
        List.of("p_queues", "p_partitions", "p_msg_counts", "p_hashes", "p_verified", "p_blobs")) {
      for (String bad : List.of("null", "'{}'")) {
        refused("22023", () -> sql.json(call(shorter, bad)), "same length");
      }
    }
    refused(
        "22023",
        () -> sql.json("select queen.log_push_multi_v1('{}', '{}', '{}', '{}', '{}', '{}')"),
        "at least 1");
  }

  private static String call(String changed, String value) {
    StringBuilder call = new StringBuilder("select queen.log_push_multi_v1(");
    String[][] arguments = {
      {"p_queues", "'{length}'"},
      {"p_partitions", "'{p}'"},
      {"p_msg_counts", "'{1}'"},
      {"p_hashes", "array[decode(repeat('00', 16), 'hex')]"},
      {"p_verified", "'{null}'"},
      {"p_blobs", "'{b}'"}
    };
    for (String[] argument : arguments) {
      call.append(call.charAt(call.length() - 1) == '(' ? "" : ", ")
          .append(argument[0])
          .append(" => ")
          .append(argument[0].equals(changed) ? value : argument[1]);
    }
    return call.append(")").toString();
  }

  @Test
  void anArrayOfOtherBoundsIsReadInOrder() {
    JsonNode answer =
        sql.json(
            "select queen.log_push_multi_v1(array[?::text, ?::text], '{a,b}', '[5:6]={1,2}',"
                + " array[decode(repeat('00', 16), 'hex'), decode(repeat('00', 16) || repeat('01', 16), 'hex')],"
                + " '[0:1]={null,null}', '[7:8]={x,y}')",
            queue,
            queue);
    assertThat(answer).allMatch(a -> a.get("status").asText().equals("queued"));
    assertThat(blob("a")).isEqualTo("x");
    assertThat(blob("b")).isEqualTo("y");
  }

  private String blob(String partition) {
    return sql.value(
        "select convert_from(blob, 'UTF8') from queen.log_segments where partition_id = ?",
        log.partition(queue, partition));
  }

  @Test
  void oneBadSegmentLeavesNothingOfTheOthers() {
    log.partition(queue, "a");
    refused(
        "22023",
        () ->
            sql.json(
                "select queen.log_push_multi_v1(array[?::text, ?::text], '{a,b}', '{1,1}',"
                    + " array[decode(repeat('00', 16), 'hex'), 'short'], '{null,null}', '{x,y}')",
                queue,
                queue),
        "p_hashes");
    assertThat(log.segments(log.partition(queue, "a"))).isEmpty();
    assertThat(
            sql.rows(
                "select p.name from queen.log_partitions p join queen.queues q on q.id ="
                    + " p.queue_id where q.name = ?",
                queue))
        .extracting(r -> r.get("name"))
        .containsExactly("a");
  }

  @Test
  void twoPushersInOppositeOrdersNeverDeadlock() {
    List<String> up = List.of("a", "b", "c", "d");
    List<String> down = List.of("d", "c", "b", "a");
    List<Waiting.Elsewhere<Integer>> pushers = new ArrayList<>();
    for (List<String> order : List.of(up, down)) {
      Sql session = database.connect();
      pushers.add(
          Waiting.elsewhere(
              () -> {
                int queued = 0;
                for (int i = 0; i < 200; i++) {
                  // Every tenth round is a first contact for both.
                  String name = queue + i / 10;
                  queued += push(session, name, order, order.get(0) + i).size();
                }
                return queued;
              }));
    }
    assertThat(pushers).extracting(Waiting.Elsewhere::get).containsExactly(800, 800);
    assertThat(
            sql.number(
                "select count(*) from queen.log_segments s join queen.log_partitions p on p.id ="
                    + " s.partition_id join queen.queues q on q.id = p.queue_id where"
                    + " starts_with(q.name, ?)",
                queue))
        .isEqualTo(1600);
  }

  /** One message, the same word, into each of the partitions. */
  private static JsonNode push(Sql session, String queue, List<String> partitions, String word) {
    int n = partitions.size();
    return session.json(
        "select queen.log_push_multi_v1(p_queues => array_fill(?::text, array[?::int]), p_partitions"
            + " => string_to_array(?, ','), p_msg_counts => array_fill(1, array[?::int]), p_hashes"
            + " => array_fill(?::bytea, array[?::int]), p_verified => array_fill(null::bigint,"
            + " array[?::int]), p_blobs => array_fill(?::bytea, array[?::int]))",
        queue,
        n,
        String.join(",", partitions),
        n,
        TestPush.hashes(word),
        n,
        n,
        TestPush.blob(word),
        n);
  }

  private static JsonNode multi(String queues, String partitions, int n, String... names) {
    return sql.json(
        "select queen.log_push_multi_v1(p_queues => "
            + queues
            + ", p_partitions => "
            + partitions
            + ", p_msg_counts => array_fill(1, array["
            + n
            + "]), p_hashes => array_fill(decode(repeat('00', 16), 'hex'), array["
            + n
            + "]), p_verified => array_fill(null::bigint, array["
            + n
            + "]), p_blobs => array_fill('b'::bytea, array["
            + n
            + "]))",
        (Object[]) names);
  }
}

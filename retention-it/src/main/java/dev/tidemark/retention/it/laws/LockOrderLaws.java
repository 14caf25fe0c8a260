package dev.tidemark.retention.it.laws;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestPush;
import dev.tidemark.retention.it.support.Waiting;
import java.util.List;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Callers that lock several rows, named in opposite orders. A gate on the middle row stops both
 * half-way: locked as named, each would hold what the other one wants next.
 */
public class LockOrderLaws {
  private static final List<String> UP = List.of("low", "mid", "high");
  private static final List<String> DOWN = List.of("high", "mid", "low");

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private Sql gate;
  private Sql first;
  private Sql second;
  private String queue;

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

  /** Stored from high to low, so that neither the heap nor the input of the second is ascending. */
  @BeforeEach
  void threePartitions() {
    gate = database.connect();
    first = database.connect();
    second = database.connect();
    queue = "lock-order-" + UUID.randomUUID();
    log.configure(queue, "{}");
    String random = UUID.randomUUID().toString().substring(1);
    String digits = "f70";
    for (int i = 0; i < 3; i++) {
      sql.run(
          "insert into queen.log_partitions (id, queue_id, name) select ?, id, ? from queen.queues"
              + " where name = ?",
          UUID.fromString(digits.charAt(i) + random),
          DOWN.get(i),
          queue);
      new TestPush(sql).push(queue, DOWN.get(i), "old");
      sql.rows("select 1 from queen.log_pop_v1(?, ?, 'g', 'w', 1, 60)", queue, DOWN.get(i));
    }
  }

  @AfterEach
  void invariantsHold() {
    gate.close();
    first.close();
    second.close();
    assertThat(Invariants.broken(sql)).isEmpty();
  }

  @Test
  void twoPushesOfSeveralPartitions() {
    assertNoDeadlock("log_partitions", "id", this::multi);
    assertThat(UP).allSatisfy(p -> assertThat(log.segments(log.partition(queue, p))).hasSize(3));
  }

  @Test
  void twoTransactionsThatPush() {
    assertNoDeadlock(
        "log_partitions",
        "id",
        (session, order) ->
            wire(session, "pushes", order.stream().map(p -> wirePush(p, order.get(0))).toList()));
    assertThat(UP).allSatisfy(p -> assertThat(log.segments(log.partition(queue, p))).hasSize(3));
  }

  @Test
  void twoTransactionsThatAck() {
    // The one that comes second finds the leases ended by the first: what it waits for is the
    // point.
    assertNoDeadlock(
        "log_consumers",
        "partition_id",
        (session, order) -> wire(session, "acks", order.stream().map(this::wireAck).toList()));
    assertThat(
            sql.number(
                "select count(*) from queen.log_consumers c join queen.log_partitions p on p.id ="
                    + " c.partition_id join queen.queues q on q.id = p.queue_id where q.name = ?"
                    + " and c.committed = 0",
                queue))
        .isEqualTo(3);
  }

  private void assertNoDeadlock(
      String table, String key, BiFunction<Sql, List<String>, JsonNode> call) {
    long deadlocks = deadlocks();
    int one = first.backend();
    int two = second.backend();
    gate.begin();
    gate.row("select 1 from queen." + table + " where " + key + " = ? for update", id("mid"));

    Waiting.Elsewhere<JsonNode> up = Waiting.blocked(sql, first, s -> call.apply(s, UP));
    assertThat(blockers(one)).isEqualTo(List.of(gate.backend()).toString());
    Waiting.Elsewhere<JsonNode> down = Waiting.blocked(sql, second, s -> call.apply(s, DOWN));
    assertThat(blockers(two))
        .as("at the lowest, behind the first")
        .isEqualTo(List.of(one).toString());
    assertThat(free(table, key, "low")).as("the first holds it").isFalse();
    assertThat(free(table, key, "high")).as("nobody has come so far").isTrue();

    gate.commit();
    assertThat(up.get().toString())
        .contains(table.equals("log_partitions") ? "queued" : "committed");
    assertThat(down.get().toString())
        .contains(table.equals("log_partitions") ? "queued" : "refused");
    // Counters are flushed by their own session, at most once a second unless asked.
    for (Sql session : List.of(first, second)) {
      session.run("select pg_stat_force_next_flush()");
    }
    assertThat(deadlocks()).isEqualTo(deadlocks);
  }

  private static String blockers(int backend) {
    return sql.<Object>value("select pg_blocking_pids(?)::text", backend)
        .toString()
        .replace('{', '[')
        .replace('}', ']');
  }

  private static long deadlocks() {
    return sql.number("select deadlocks from pg_stat_database where datname = current_database()");
  }

  private boolean free(String table, String key, String partition) {
    return !sql.rows(
            "select 1 from queen." + table + " where " + key + " = ? for update skip locked",
            id(partition))
        .isEmpty();
  }

  private UUID id(String partition) {
    return log.partition(queue, partition);
  }

  /** One message into each: the first name makes it another one than the opposite order's. */
  private JsonNode multi(Sql session, List<String> order) {
    return session.json(
        "select queen.log_push_multi_v1(array_fill(?::text, array[3]), string_to_array(?, ','),"
            + " '{1,1,1}', array_fill(?::bytea, array[3]), '{null,null,null}', '{x,y,z}')",
        queue,
        String.join(",", order),
        TestPush.hashes(order.get(0)));
  }

  private static JsonNode wire(Sql session, String list, List<String> elements) {
    return session.json(
        "select queen.log_transaction_wire_v1(?::jsonb)",
        elements.stream().collect(Collectors.joining(",", "{\"" + list + "\":[", "]}")));
  }

  private String wirePush(String partition, String word) {
    return "{\"queue\":\"%s\",\"partition\":\"%s\",\"msgCount\":1,\"hashes\":\"%s\",\"blob\":\"\"}"
        .formatted(queue, partition, TestPush.base64(TestPush.hashes(word)));
  }

  private String wireAck(String partition) {
    return "{\"partitionId\":\"%s\",\"group\":\"g\",\"worker\":\"w\",\"offset\":0}"
        .formatted(id(partition));
  }
}

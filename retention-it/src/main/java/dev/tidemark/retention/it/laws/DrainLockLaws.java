package dev.tidemark.retention.it.laws;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.step.DueQueue;
import dev.tidemark.retention.it.step.ServerDrain.Answer;
import dev.tidemark.retention.it.step.StepKind;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Gate;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestPush;
import dev.tidemark.retention.it.support.Waiting;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a drain on the server holds in the middle of its second partition, and who waits for it. */
public class DrainLockLaws {
  private static TestDatabase database;
  private static Sql sql;
  private Sql drainer;
  private Sql other;
  private int draining;
  private int beside;
  private DueQueue queue;
  private List<UUID> partitions;

  @BeforeAll
  static void open() {
    database = Target.open();
    sql = database.connect();
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void threePartitions() {
    drainer = database.connect();
    other = database.connect();
    draining = drainer.backend();
    beside = other.backend();
    queue = DueQueue.of(sql);
    partitions = queue.partitions(3, 1);
  }

  @AfterEach
  void invariantsHold() {
    drainer.close();
    other.close();
    assertThat(Invariants.broken(sql)).isEmpty();
    queue.delete();
  }

  @ParameterizedTest
  @EnumSource
  void aDrainHoldsThePartitionItIsAtAndNothingElse(StepKind kind) {
    try (Gate gate = Gate.after(database, kind.deletesIn(partitions.get(1)))) {
      Waiting.Elsewhere<Answer> drain = atTheSecond(kind);
      assertThat(held("log_partitions", "update")).containsExactly(partitions.get(1));
      assertThat(held("log_partitions", "key share")).containsExactly(partitions.get(1));
      assertThat(held("queues", "update")).isEmpty();
      assertThat(sql.rows("select 1 from queen.log_consumers for update skip locked"))
          .as("an ack does not wait")
          .hasSize(3);
      assertThat(kind.left(sql, partitions.get(0))).as("committed").isZero();
      gate.open();
      assertThat(drain.get().each("deleted")).containsExactly(1, 1, 1);
    }
    assertThat(held("log_partitions", "update")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aPushWaitsForTheStepOnItsPartitionAndForNoOther(StepKind kind) {
    try (Gate gate = Gate.after(database, kind.deletesIn(partitions.get(1)))) {
      Waiting.Elsewhere<Answer> drain = atTheSecond(kind);
      other.run("set lock_timeout = '1ms'");
      assertThat(push(other, 0).get("baseOffset").asInt()).as("to one that was served").isOne();
      assertThat(push(other, 2).get("baseOffset").asInt()).as("to one that comes").isOne();
      other.run("reset lock_timeout");
      Waiting.Elsewhere<JsonNode> push = Waiting.blocked(sql, other, s -> push(s, 1));
      assertThat(Waiting.blockers(sql, beside)).containsExactly(draining);
      gate.open();
      assertThat(push.get().get("baseOffset").asInt()).isOne();
      drain.get();
    }
  }

  /** What it waited for is no reason to take less the next time. */
  @ParameterizedTest
  @EnumSource
  void aBatchIsMeasuredFromTheGrantOfItsLock(StepKind kind) {
    other.begin();
    other.row("select 1 from queen.log_partitions where id = ? for key share", partitions.get(0));
    Waiting.Elsewhere<Answer> drain =
        Waiting.blocked(
            sql,
            drainer,
            s -> queue.drain(kind, partitions, 10).with("p_lock_timeout_ms", 60_000).run(s));
    Instant since = sql.value("select clock_timestamp()");
    Waiting.untilTrue(sql, "select clock_timestamp() > ?::timestamptz + interval '1 s'", since);
    other.rollback();
    JsonNode first = drain.get().steps().get(0);
    assertThat(first.get("deleted").asInt()).isOne();
    assertThat(first.get("held_ms").asDouble()).isPositive().isLessThan(1_000);
  }

  private Waiting.Elsewhere<Answer> atTheSecond(StepKind kind) {
    return Waiting.blocked(sql, drainer, s -> queue.drain(kind, partitions, 10).run(s));
  }

  private JsonNode push(Sql session, int partition) {
    String name =
        sql.value("select name from queen.log_partitions where id = ?", partitions.get(partition));
    return new TestPush(session).push(queue.name(), name, UUID.randomUUID().toString());
  }

  private static List<Object> held(String table, String lock) {
    return sql.column(
        "select id from queen.%1$s where id not in (select f.id from queen.%1$s f for %2$s skip locked)"
            .formatted(table, lock));
  }
}

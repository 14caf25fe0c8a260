package dev.tidemark.retention.it.laws;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.it.step.StepKind;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Gate;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestPush;
import dev.tidemark.retention.it.support.Waiting;
import dev.tidemark.retention.runner.RetentionService;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a step holds while it runs, and who waits for it. Each is stopped in the middle by a gate.
 */
public class LockLaws {
  private static final String HISTORY = "insert on queen.retention_history for each row when ";
  private static final Duration OLD = Duration.ofDays(10);

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private Sql stepper;
  private Sql other;
  private int stepping;
  private int beside;
  private String queue;
  private UUID partition;
  private UUID neighbour;

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
  void twoPartitionsOfThreeOldSegments() {
    stepper = database.connect();
    other = database.connect();
    stepping = stepper.backend();
    beside = other.backend();
    queue = "locks-" + UUID.randomUUID();
    partition = filled("p", 3);
    neighbour = filled("neighbour", 3);
  }

  @AfterEach
  void invariantsHold() {
    stepper.close();
    other.close();
    assertThat(Invariants.broken(sql)).isEmpty();
    sql.json("select queen.delete_queue_v1(p_name => ?)", queue);
  }

  @ParameterizedTest
  @EnumSource
  void aStepHoldsItsPartitionForUpdateAndNothingElse(StepKind kind) {
    try (Gate gate = Gate.after(database, kind.deletes())) {
      Waiting.Elsewhere<JsonNode> step = stopped(kind, 10, gate);
      assertThat(held("log_partitions", "update")).containsExactly(partition);
      assertThat(held("log_partitions", "key share"))
          .as("the weakest lock there is has to wait as well")
          .containsExactly(partition);
      assertThat(held("queues", "update")).isEmpty();
      assertThat(
              sql.rows(
                  "select 1 from queen.log_consumers where partition_id = ? for update skip locked",
                  partition))
          .as("an ack does not wait")
          .hasSize(1);
      gate.open();
      assertThat(step.get().get("deleted").asInt()).isEqualTo(3);
    }
    assertThat(held("log_partitions", "update")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aPushWaitsForOneStepAndNotForTheDrain(StepKind kind) {
    try (Gate gate = Gate.after(database, kind.deletes())) {
      Waiting.Elsewhere<JsonNode> step = stopped(kind, 1, gate);
      Waiting.Elsewhere<JsonNode> push = Waiting.blocked(sql, other, s -> push(s, "p"));
      assertThat(Waiting.blockers(sql, beside)).containsExactly(stepping);
      gate.open();
      assertThat(push.get().get("status").asText()).isEqualTo("queued");
      assertThat(step.get().get("done").asBoolean()).as("more batches to go").isFalse();
      assertThat(kind.left(sql, partition)).isEqualTo(3);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPushToAnotherPartitionDoesNotWait(StepKind kind) {
    try (Gate gate = Gate.after(database, kind.deletes())) {
      Waiting.Elsewhere<JsonNode> step = stopped(kind, 1, gate);
      other.run("set lock_timeout = '1ms'");
      assertThat(push(other, "neighbour").get("status").asText()).isEqualTo("queued");
      assertThat(push(other, "new").get("baseOffset").asInt()).as("nor a new one").isZero();
      gate.open();
      step.get();
    }
  }

  @ParameterizedTest
  @EnumSource
  void twoStepsOnOnePartitionTakeTurnsAndDeleteEachRowOnce(StepKind kind) {
    try (Gate gate = Gate.after(database, kind.deletes())) {
      Waiting.Elsewhere<JsonNode> step = stopped(kind, 2, gate);
      Waiting.Elsewhere<JsonNode> second =
          Waiting.blocked(sql, other, s -> kind.run(s, partition, cutoff(), 2));
      assertThat(Waiting.blockers(sql, beside))
          .as("at the lock, not further on")
          .containsExactly(stepping);
      gate.open();
      assertThat(step.get().get("deleted").asInt()).isEqualTo(2);
      assertThat(second.get().get("deleted").asInt()).isEqualTo(1);
      assertThat(second.get().get("done").asBoolean()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void theFirstPopOfAGroupWaitsForTheStep(StepKind kind) {
    try (Gate gate = Gate.after(database, kind.deletes())) {
      Waiting.Elsewhere<JsonNode> step = stopped(kind, 1, gate);
      Waiting.Elsewhere<List<Object>> pop = Waiting.blocked(sql, other, this::firstPop);
      assertThat(Waiting.blockers(sql, beside)).containsExactly(stepping);
      gate.open();
      step.get();
      assertThat(pop.get())
          .as("what is live now, and stays so")
          .isEqualTo(log.segments(partition).stream().<Object>map(s -> s.base()).toList());
      log.retentionStep(partition, null, cutoff(), 10);
      assertThat(log.segments(partition)).hasSameSizeAs(pop.get());
    }
  }

  @Test
  void aCycleOfFourWorkersHoldsFourPartitions() {
    policy();
    List<UUID> due = new ArrayList<>(List.of(partition, neighbour));
    for (int i = 0; i < 4; i++) {
      due.add(filled("more" + i, 1));
    }
    try (RetentionService service = service();
        Gate gate = Gate.after(database, StepKind.BY_AGE.deletes())) {
      Waiting.Elsewhere<Object> cycle = Waiting.elsewhere(service::runOnce);
      Waiting.until("four stand", Duration.ofSeconds(30), () -> gate.waiting(sql) == 4);
      assertThat(held("log_partitions", "update")).hasSize(4).isSubsetOf(due);
      gate.open();
      cycle.get();
    }
    assertThat(due).allSatisfy(id -> assertThat(log.segments(id)).isEmpty());
  }

  /** Segments of 11, 12, 13 ... messages, one a step, so that the history row names the batch. */
  @Test
  void aPushGetsThroughWhileTheDrainOfACycleGoesOn() {
    policy();
    UUID backlog = log.partition(queue, "backlog");
    for (int messages = 11; messages <= 70; messages++) {
      log.append(backlog, log.ago(OLD), messages);
    }
    try (RetentionService service = service();
        Gate first = Gate.after(database, batchOf(11));
        Gate last = Gate.after(database, batchOf(70))) {
      Waiting.Elsewhere<Object> cycle = Waiting.elsewhere(service::runOnce);
      Waiting.until("the first batch", Duration.ofSeconds(30), () -> first.waiting(sql) == 1);
      Waiting.Elsewhere<JsonNode> push = Waiting.blocked(sql, other, s -> push(s, "backlog"));
      first.open();
      assertThat(push.get().get("status").asText()).isEqualTo("queued");
      assertThat(log.segments(backlog)).as("the drain is held at its last batch").isNotEmpty();
      last.open();
      cycle.get();
      assertThat(log.segments(backlog)).as("the pushed one").hasSize(1);
    }
  }

  private static String batchOf(int messages) {
    return HISTORY + "(new.messages_deleted = " + messages + ")";
  }

  private void policy() {
    log.configure(queue, "{\"retentionEnabled\": true, \"retentionSeconds\": 86400}");
  }

  private static RetentionService service() {
    return RetentionService.on(database.pool())
        .knob(Knob.PARALLELISM, "4")
        .knob(Knob.BATCH_SIZE, "1")
        .knob(Knob.LOCK_TIMEOUT_MS, "60000")
        .build();
  }

  /** With a group that is through with it, so that rule 2 may take it. */
  private UUID filled(String name, int segments) {
    UUID id = log.partition(queue, name);
    for (int i = 0; i < segments; i++) {
      log.append(id, log.ago(OLD), 1);
    }
    log.commit(id, "through", segments - 1L);
    return id;
  }

  private static Instant cutoff() {
    return log.ago(Duration.ofDays(1));
  }

  private Waiting.Elsewhere<JsonNode> stopped(StepKind kind, int maxRows, Gate gate) {
    Waiting.Elsewhere<JsonNode> step =
        Waiting.blocked(sql, stepper, s -> kind.run(s, partition, cutoff(), maxRows));
    assertThat(Waiting.blockers(sql, stepping)).as("at the gate").containsExactly(gate.backend());
    return step;
  }

  private JsonNode push(Sql session, String name) {
    return new TestPush(session).push(queue, name, UUID.randomUUID().toString());
  }

  private List<Object> firstPop(Sql session) {
    return session.column(
        "select from_offset from queen.log_pop_v1(?, 'p', 'joining', 'w', 10, 60)", queue);
  }

  /** The rows that are not to be had with such a lock, since somebody else has one. */
  private static List<Object> held(String table, String lock) {
    return sql.column(
        "select id from queen.%1$s where id not in (select f.id from queen.%1$s f for %2$s skip locked)"
            .formatted(table, lock));
  }
}

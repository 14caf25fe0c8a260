package dev.tidemark.retention.it.laws;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.retention.it.step.DueQueue;
import dev.tidemark.retention.it.step.ServerDrain.Answer;
import dev.tidemark.retention.it.step.StepKind;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Reaction;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Which steps a drain on the server takes, how large, and what it says of them. */
public class DrainCallLaws {
  private static final int FOREVER_MS = 3_600_000;

  private static TestDatabase database;
  private static Sql sql;
  private DueQueue queue;

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
  void aQueue() {
    queue = DueQueue.of(sql);
  }

  @AfterEach
  void invariantsHold() {
    assertThat(Invariants.broken(sql)).isEmpty();
    assertThat(sql.rows("select * from queen.log_invariants_v1()")).isEmpty();
    queue.delete();
  }

  @ParameterizedTest
  @EnumSource
  void eachStepIsATransactionOfItsOwnInTheOrderAskedFor(StepKind kind) {
    List<UUID> partitions = queue.partitions(64, 1);
    try (Reaction steps =
        Reaction.to(
            database,
            kind.deletesEach(),
            "partition uuid, transaction text default pg_catalog.pg_current_xact_id()::text, nr int generated always as identity",
            "insert into %s.seen values (old.partition_id)")) {
      Answer answer = queue.drain(kind, partitions, 10).run(sql);
      assertThat(answer.stopped()).isNull();
      assertThat(answer.partitions()).isEqualTo(partitions);
      assertThat(answer.each("deleted")).containsOnly(1);
      assertThat(sql.column("select partition from " + steps.seen() + " order by nr"))
          .isEqualTo(partitions);
      assertThat(sql.column("select distinct transaction from " + steps.seen())).hasSize(64);
    }
    assertThat(partitions).allSatisfy(id -> assertThat(kind.left(sql, id)).isZero());
  }

  @ParameterizedTest
  @EnumSource
  void aStepAnswersWhatItWouldHaveAnsweredAlone(StepKind kind) {
    UUID partition = queue.partition(5);
    UUID twin = queue.partition(5);
    Answer answer = queue.drain(kind, List.of(partition), 2).with("p_rows", rows(2)).run(sql);
    assertThat(answer.steps()).hasSize(3);
    for (JsonNode step : answer.steps()) {
      JsonNode alone = kind.run(sql, twin, queue.cutoff(), 2);
      assertThat(step.get("held_ms").isNumber()).isTrue();
      ObjectNode told = step.deepCopy();
      told.remove(List.of("partition_id", "next_rows", "held_ms"));
      assertThat(told).isEqualTo(((ObjectNode) alone).without("held_ms"));
    }
    assertThat(answer.each("next_rows")).containsExactly(2, 2, null);
  }

  @ParameterizedTest
  @EnumSource
  void nothingToDoIsOneStepAndAPartitionThatIsGoneAsWell(StepKind kind) {
    UUID empty = queue.partition(0);
    Answer answer = queue.drain(kind, List.of(empty, UUID.randomUUID()), 10).run(sql);
    assertThat(answer.stopped()).isNull();
    assertThat(answer.each("deleted")).containsExactly(0, 0);
    assertThat(answer.each("done")).containsExactly("true", "true");
    assertThat(answer.each("next_rows")).containsExactly(null, null);
  }

  @ParameterizedTest
  @EnumSource
  void noPartitionIsNoStep(StepKind kind) {
    Answer answer = queue.drain(kind, List.of(), 10).run(sql);
    assertThat(answer.stopped()).isNull();
    assertThat(answer.steps()).isEmpty();
  }

  /** A cursor by itself, and the age by itself: each rule gets its own cutoff. */
  @Test
  void bothRulesGoIn() {
    UUID partition = queue.partition(4);
    sql.json("select queen.log_seek_v1(?, 'slow', 2)", partition);
    Answer answer =
        queue
            .drain(StepKind.BY_CONSUMPTION, List.of(partition), 10)
            .with("p_all_cutoff", queue.cutoff().minusSeconds(30 * 86400))
            .with("p_rows", rows(10))
            .run(sql);
    assertThat(answer.each("retention_type")).containsExactly("completed_retention");
    assertThat(answer.each("new_log_start")).containsExactly(2);
  }

  @Test
  void theFirstBatchIsATenthAndAQuickOneIsFollowedByTwiceAsMany() {
    UUID partition = queue.partition(25);
    Answer answer =
        queue.drain(StepKind.BY_AGE, List.of(partition), 20).with("p_hold_ms", FOREVER_MS).run(sql);
    assertThat(answer.each("deleted")).containsExactly(2, 4, 8, 11);
    assertThat(answer.each("next_rows")).containsExactly(4, 8, 16, null);
  }

  @Test
  void theFirstBatchIsNeverEmpty() {
    UUID partition = queue.partition(3);
    Answer answer =
        queue.drain(StepKind.BY_AGE, List.of(partition), 9).with("p_hold_ms", FOREVER_MS).run(sql);
    assertThat(answer.each("deleted")).containsExactly(1, 2);
  }

  @Test
  void aPartitionBeginsWithItsOwnRowsButWithNoMoreThanTheMost() {
    List<UUID> partitions = queue.partitions(4, 7);
    Answer answer =
        queue
            .drain(StepKind.SIDECAR, partitions, 5)
            .with("p_rows", rows(3, 1000, null, 1))
            .with("p_batches", 1)
            .with("p_hold_ms", FOREVER_MS)
            .run(sql);
    assertThat(answer.each("deleted")).containsExactly(3, 5, 1, 1);
    assertThat(answer.each("next_rows")).as("and never more later").containsExactly(5, 5, 2, 2);
  }

  @ParameterizedTest
  @EnumSource
  void aPartitionGetsSoManyFullBatchesAndThenTheNextOneIsServed(StepKind kind) {
    List<UUID> partitions = queue.partitions(3, 5);
    Answer answer = queue.drain(kind, partitions, 1).with("p_batches", 2).run(sql);
    assertThat(answer.stopped()).isNull();
    assertThat(answer.partitions())
        .isEqualTo(partitions.stream().flatMap(id -> Collections.nCopies(2, id).stream()).toList());
    assertThat(answer.each("next_rows")).as("there is more").containsOnly(1);
    assertThat(partitions).allSatisfy(id -> assertThat(kind.left(sql, id)).isEqualTo(3));
  }

  @ParameterizedTest
  @EnumSource
  void aBatchThatHeldTooLongIsFollowedByASmallerOne(StepKind kind) {
    UUID partition = queue.partition(20);
    try (Reaction slow =
        Reaction.to(database, kind.deletes(), "perform pg_catalog.pg_sleep(0.2)")) {
      Answer answer =
          queue
              .drain(kind, List.of(partition), 10)
              .with("p_rows", rows(10))
              .with("p_hold_ms", 100)
              .with("p_batches", 2)
              .run(sql);
      BigDecimal held = answer.steps().get(0).get("held_ms").decimalValue();
      assertThat(held).isGreaterThanOrEqualTo(new BigDecimal(200));
      int next = answer.steps().get(0).get("next_rows").intValue();
      assertThat(next)
          .isEqualTo(sql.number("select queen.log_next_batch_v1(10, ?, 100, 10)", held))
          .isBetween(1, 5);
      assertThat(answer.each("deleted")).containsExactly(10, next);
    }
  }

  /** Rows and how long they held their partition, the target, the most; and what comes next. */
  @ParameterizedTest
  @CsvSource({
    "100, 50, 50, 1000, 100",
    "100, 100, 50, 1000, 50",
    "100, 33, 50, 1000, 152",
    "100, 25, 50, 1000, 200",
    "100, 1, 50, 1000, 200",
    "100, 0, 50, 1000, 200",
    "100, 1, 50, 150, 150",
    "100, 5000, 50, 1000, 1",
    "100, 5001, 50, 1000, 1",
    "100, 1000000, 50, 1000, 1",
    "1, 1000000, 1, 1, 1",
    "1, 0, 1, 1000, 2",
    "1000, 50, 50, 1, 1",
    "2147483647, 0, 50, 2147483647, 2147483647",
    "2147483647, 50, 50, 2147483647, 2147483647",
    "2147483647, 100, 50, 2147483647, 1073741824",
    "2147483647, 2147483647, 2147483647, 2147483647, 2147483647",
    "1073741824, 0.001, 50, 2147483647, 2147483647",
    "50000000, 100, 50, 100000000, 25000000"
  })
  void theNextBatchIsWhatWouldHaveMetTheTarget(
      int rows, BigDecimal held, int hold, int most, int next) {
    assertThat(
            sql.number(
                "select queen.log_next_batch_v1(p_rows => ?, p_held_ms => ?, p_hold_ms => ?, p_max_rows => ?)",
                rows,
                held,
                hold,
                most))
        .isEqualTo(next);
  }

  private static Integer[] rows(Integer... rows) {
    return Arrays.copyOf(rows, rows.length);
  }
}

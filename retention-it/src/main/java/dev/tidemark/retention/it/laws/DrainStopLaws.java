package dev.tidemark.retention.it.laws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.step.DueQueue;
import dev.tidemark.retention.it.step.ServerDrain;
import dev.tidemark.retention.it.step.ServerDrain.Answer;
import dev.tidemark.retention.it.step.StepKind;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Reaction;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What ends a drain on the server between two steps. It comes about in the transaction of the first
 * one, so that it is there before the second and not before the first.
 */
public class DrainStopLaws {
  private static final String TASK = "drain-stop-laws";
  private static final String HOLDER = "holder";

  private static TestDatabase database;
  private static Sql sql;
  private DueQueue queue;
  private List<UUID> partitions;
  private long fence;

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
  void aClaimAndThreePartitions() {
    queue = DueQueue.of(sql);
    partitions = queue.partitions(3, 1);
    sql.rows("select * from queen.lease_register_v1(?, 60000)", TASK);
    fence = sql.number("select fence from queen.lease_claim_v1(?, ?, 60000)", TASK, HOLDER);
  }

  @AfterEach
  void invariantsHold() {
    assertThat(Invariants.broken(sql)).isEmpty();
    sql.run("select queen.delete_queue_v1(?)", queue.name());
    sql.run("delete from queen.maintenance_leases where task = ?", TASK);
  }

  static Stream<Arguments> endsOfAClaim() {
    return Stream.of(
        Arguments.of("fence = fence + 1", "lost"),
        Arguments.of("holder = 'another'", "lost"),
        Arguments.of("holder = null, lease_until = null", "lost"),
        Arguments.of("task = 'renamed'", "lost"),
        Arguments.of("enabled = false", "paused"),
        Arguments.of("enabled = false, fence = fence + 1", "lost"));
  }

  @ParameterizedTest
  @MethodSource("endsOfAClaim")
  void noStepBeginsOnceItsClaimIsGone(String end, String stopped) {
    for (StepKind kind : StepKind.values()) {
      String change = "update queen.maintenance_leases set " + end + " where task = '" + TASK + "'";
      try (Reaction meddler = afterTheFirst(kind, change)) {
        stopsAfterTheFirst(kind, claimed(kind), stopped);
      }
      renew();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aClaimThatIsHeldServesAll(StepKind kind) {
    Answer answer = claimed(kind).run(sql);
    assertThat(answer.stopped()).isNull();
    assertThat(answer.partitions()).isEqualTo(partitions);
  }

  /** Who was too late does nothing at all. */
  @ParameterizedTest
  @CsvSource({"BY_AGE, -1", "MAX_WAIT, 1", "SIDECAR, -1"})
  void aClaimOfAnotherFenceIsNone(StepKind kind, long later) {
    Answer answer = claimed(kind).with("p_fence", fence + later).run(sql);
    assertThat(answer.stopped()).isEqualTo("lost");
    assertThat(answer.steps()).isEmpty();
    assertThat(partitions).allSatisfy(id -> assertThat(kind.left(sql, id)).isOne());
  }

  @ParameterizedTest
  @EnumSource
  void besideTheScheduleNoClaimMatters(StepKind kind) {
    String change =
        "update queen.maintenance_leases set enabled = false, fence = fence + 1 where task = '"
            + TASK
            + "'";
    try (Reaction meddler = afterTheFirst(kind, change)) {
      Answer answer = queue.drain(kind, partitions, 10).run(sql);
      assertThat(answer.stopped()).isNull();
      assertThat(answer.partitions()).isEqualTo(partitions);
    }
  }

  /** A window that grew covers less, and one of 0 nothing; shut off is another word for it. */
  @ParameterizedTest
  @CsvSource({
    "BY_AGE, retention_seconds = 864000",
    "BY_AGE, retention_seconds = 0",
    "BY_AGE, retention_enabled = false",
    "BY_CONSUMPTION, completed_retention_seconds = 864000",
    "BY_CONSUMPTION, completed_retention_seconds = 0",
    "BY_CONSUMPTION, retention_enabled = false",
    "MAX_WAIT, max_wait_time_seconds = 864000",
    "MAX_WAIT, max_wait_time_seconds = 0",
    "SIDECAR, dedup_window_seconds = 864000",
    "SIDECAR, completed_retention_seconds = 864000"
  })
  void noStepBeginsOnceItsRuleKeepsMore(StepKind kind, String narrower) {
    try (Reaction meddler = afterTheFirst(kind, edit(narrower))) {
      stopsAfterTheFirst(kind, claimed(kind), "rule");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "BY_AGE, completed_retention_seconds = 0",
    "BY_AGE, retention_seconds = 3600",
    "BY_CONSUMPTION, retention_seconds = 0",
    "BY_CONSUMPTION, max_wait_time_seconds = 0",
    "MAX_WAIT, retention_enabled = false",
    "SIDECAR, retention_enabled = false"
  })
  void whatAnotherRuleKeepsDoesNotMatter(StepKind kind, String edit) {
    try (Reaction meddler = afterTheFirst(kind, edit(edit))) {
      Answer answer = claimed(kind).run(sql);
      assertThat(answer.stopped()).isNull();
      assertThat(answer.partitions()).isEqualTo(partitions);
    }
  }

  @ParameterizedTest
  @EnumSource
  void noStepBeginsOnceItsQueueIsGone(StepKind kind) {
    try (Reaction meddler =
        afterTheFirst(kind, "perform queen.delete_queue_v1('" + queue.name() + "')")) {
      Answer answer = claimed(kind).run(sql);
      assertThat(answer.stopped()).isEqualTo("rule");
      assertThat(answer.partitions()).containsExactly(partitions.get(0));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aQueueThatNeverWasDrainsNothing(StepKind kind) {
    List<UUID> gone = List.of(UUID.randomUUID());
    Answer answer = ServerDrain.of(kind, UUID.randomUUID(), gone, queue.cutoff(), 10).run(sql);
    assertThat(answer.stopped()).isEqualTo("rule");
    assertThat(answer.steps()).isEmpty();
  }

  /** At least one step: whoever calls again and again gets somewhere. */
  @ParameterizedTest
  @EnumSource
  void noStepBeginsOnceTheTimeIsOver(StepKind kind) {
    try (Reaction slow = afterTheFirst(kind, "perform pg_catalog.pg_sleep(0.05)")) {
      stopsAfterTheFirst(kind, claimed(kind).with("p_time_ms", 1), "time");
    }
  }

  @Test
  void theLastStepMayEndAfterTheTimeAndAllAreServed() {
    try (Reaction slow = afterTheFirst(StepKind.BY_AGE, "perform pg_catalog.pg_sleep(0.05)")) {
      Answer answer =
          queue.drain(StepKind.BY_AGE, partitions.subList(0, 1), 10).with("p_time_ms", 1).run(sql);
      assertThat(answer.stopped()).isNull();
    }
  }

  /** The timeout is of the whole call: a step that ran into it would be lost, and its answer. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.INCLUDE, names = "BY_AGE")
  void noStepBeginsOnceMostOfTheStatementTimeoutIsOver(StepKind kind) {
    try (Sql session = database.connect();
        Reaction slow = afterTheFirst(kind, "perform pg_catalog.pg_sleep(1.5)")) {
      session.run("set statement_timeout = '2s'");
      Answer answer = claimed(kind).run(session);
      assertThat(answer.stopped()).isEqualTo("time");
      assertThat(answer.partitions()).containsExactly(partitions.get(0));
    }
  }

  private void stopsAfterTheFirst(StepKind kind, ServerDrain drain, String stopped) {
    Answer answer = drain.run(sql);
    assertThat(answer.stopped()).as("%s", kind).isEqualTo(stopped);
    assertThat(answer.partitions()).as("%s", kind).containsExactly(partitions.get(0));
    assertThat(kind.left(sql, partitions.get(0))).isZero();
    assertThat(partitions.subList(1, 3)).allSatisfy(id -> assertThat(kind.left(sql, id)).isOne());
  }

  private ServerDrain claimed(StepKind kind) {
    return queue
        .drain(kind, partitions, 10)
        .with("p_task", TASK)
        .with("p_holder", HOLDER)
        .with("p_fence", fence);
  }

  /** As it was, with other partitions. */
  private void renew() {
    sql.run("delete from queen.maintenance_leases where task in (?, 'renamed')", TASK);
    queue.delete();
    aClaimAndThreePartitions();
  }

  private Reaction afterTheFirst(StepKind kind, String statements) {
    return Reaction.to(database, kind.deletesIn(partitions.get(0)), statements);
  }

  private String edit(String setting) {
    return "update queen.queues set " + setting + " where id = '" + queue.id() + "'";
  }
}

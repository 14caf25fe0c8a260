package dev.tidemark.retention.it.laws;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.step.DueQueue;
import dev.tidemark.retention.it.step.ServerDrain.Answer;
import dev.tidemark.retention.it.step.StepKind;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Contents;
import dev.tidemark.retention.it.support.Gate;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Locks;
import dev.tidemark.retention.it.support.Reaction;
import dev.tidemark.retention.it.support.SessionSettings;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.Waiting;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A step of a drain on the server that fails: what is the partition's is told and leaves the others
 * to be served, what is the session's ends the call.
 */
public class DrainFailureLaws {
  private static TestDatabase database;
  private static Sql sql;
  private Sql session;
  private DueQueue queue;
  private List<UUID> partitions;
  private UUID failing;

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
    session = database.connect();
    queue = DueQueue.of(sql);
    partitions = queue.partitions(3, 2);
    failing = partitions.get(1);
  }

  @AfterEach
  void nothingIsLeftBehind() {
    session.close();
    assertThat(Invariants.broken(sql)).isEmpty();
    assertThat(Locks.held(sql)).isEmpty();
    queue.delete();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "P0001", "22023", "22P02", "23505", "40001", "40P01", "42501", "42P01", "53100", "53200",
        "55000", "55P03", "XX000", "P0004", "TM003", "2D000"
      })
  void aPartitionThatFailsIsToldAndTheOthersAreServed(String state) {
    for (StepKind kind : StepKind.values()) {
      List<UUID> three = queue.partitions(3, 2);
      try (Reaction fault = raising(kind, three.get(1), state)) {
        Answer answer = queue.drain(kind, three, 10).with("p_rows", rows()).run(sql);
        assertThat(answer.stopped()).isNull();
        assertThat(answer.partitions()).isEqualTo(three);
        assertThat(answer.each("sqlstate")).containsExactly(null, state, null);
        assertThat(answer.each("error")).containsExactly(null, "it is full", null);
        assertThat(answer.each("deleted")).containsExactly(2, null, 2);
        assertThat(answer.each("next_rows")).containsExactly(null, null, null);
      }
      assertThat(three.stream().map(id -> kind.left(sql, id)).toList())
          .as("%s", kind)
          .containsExactly(0L, 2L, 0L);
    }
  }

  /** At the commit nothing could catch it any more. */
  @Test
  void whatIsDeferredFailsWithItsPartition() {
    sql.run(
        "create function public.deferred_fault() returns trigger language plpgsql as $$ begin"
            + " raise 'not now' using errcode = '23503'; end $$");
    try {
      sql.run(
          "create constraint trigger deferred_fault after delete on queen.log_segments deferrable initially deferred"
              + " for each row when (old.partition_id = '"
              + failing
              + "') execute function public.deferred_fault()");
      Answer answer = queue.drain(StepKind.BY_AGE, partitions, 10).with("p_rows", rows()).run(sql);
      assertThat(answer.partitions()).isEqualTo(partitions);
      assertThat(answer.each("sqlstate")).containsExactly(null, "23503", null);
    } finally {
      sql.run("drop function public.deferred_fault() cascade");
    }
  }

  /** It ends its own turn, not that of who has batches to come. */
  @ParameterizedTest
  @EnumSource
  void aPartitionThatFailsIsNotTriedAgainInItsCall(StepKind kind) {
    try (Reaction fault = raising(kind, failing, "53100")) {
      Answer answer = queue.drain(kind, partitions, 1).with("p_batches", 5).run(sql);
      assertThat(answer.partitions())
          .containsExactly(
              partitions.get(0), partitions.get(0), failing, partitions.get(2), partitions.get(2));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPartitionThatFailedIsNotHeldWhileTheNextOneIsServed(StepKind kind) {
    try (Reaction fault = raising(kind, failing, "53100");
        Gate gate = Gate.after(database, kind.deletesIn(partitions.get(2)))) {
      Waiting.Elsewhere<Answer> drain =
          Waiting.blocked(sql, session, s -> queue.drain(kind, partitions, 10).run(s));
      assertThat(heldPartitions()).containsExactly(partitions.get(2));
      gate.open();
      assertThat(drain.get().each("sqlstate")).contains("53100");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPartitionThatSomebodyElseHoldsIsToldAfterTheLockTimeout(StepKind kind) {
    try (Sql holder = database.connect()) {
      holder.begin();
      holder.row("select 1 from queen.log_partitions where id = ? for key share", failing);
      // It waits no longer than it was told to: without a bound it would wait for ever.
      session.run("set statement_timeout = '20s'");
      Answer answer =
          queue
              .drain(kind, partitions, 10)
              .with("p_rows", rows())
              .with("p_lock_timeout_ms", 20)
              .run(session);
      assertThat(answer.stopped()).isNull();
      assertThat(answer.each("sqlstate")).containsExactly(null, "55P03", null);
      assertThat(answer.each("deleted")).containsExactly(2, null, 2);
      holder.rollback();
    }
  }

  /** What committed stays, but is not told. */
  @ParameterizedTest
  @EnumSource
  void aDrainThatIsCancelledEndsAndKeepsWhatItCommitted(StepKind kind) {
    Map<String, String> settings = SessionSettings.of(session);
    try (Gate gate = Gate.after(database, kind.deletesIn(failing))) {
      Waiting.Elsewhere<Answer> drain =
          Waiting.blocked(
              sql, session, s -> queue.drain(kind, partitions, 10).with("p_rows", rows()).run(s));
      sql.rows("select pg_cancel_backend(?)", gate.visitor(sql));
      refused(kind.toString(), "57014", drain::get);
    }
    assertThat(partitions.stream().map(id -> kind.left(sql, id)).toList())
        .containsExactly(0L, 2L, 2L);
    assertThat(Locks.held(sql)).isEmpty();
    assertThat(SessionSettings.of(session)).isEqualTo(settings);
  }

  @ParameterizedTest
  @EnumSource
  void aSessionThatMayNotWriteIsTold(StepKind kind) {
    session.run("set default_transaction_read_only = on");
    endsAtOnce(kind, "25006");
  }

  @ParameterizedTest
  @EnumSource
  void aSessionWithoutForeignKeysIsTold(StepKind kind) {
    session.run("set session_replication_role = replica");
    endsAtOnce(kind, "TM002");
  }

  /** Such as that of a trigger which calls a step: nothing that the engine refuses is passed by. */
  @ParameterizedTest
  @ValueSource(strings = {"TM001", "TM002", "25006", "57014"})
  void whatIsTheSessionsEndsTheCall(String state) {
    for (StepKind kind : StepKind.values()) {
      List<UUID> three = queue.partitions(3, 2);
      try (Reaction fault = raising(kind, three.get(1), state)) {
        refused(
            kind.toString(),
            state,
            () -> queue.drain(kind, three, 10).with("p_rows", rows()).run(session),
            "it is full");
      }
      assertThat(three.stream().map(id -> kind.left(sql, id)).toList())
          .as("%s", kind)
          .containsExactly(0L, 2L, 2L);
    }
  }

  private void endsAtOnce(StepKind kind, String state) {
    Contents before = Contents.of(sql);
    refused(kind.toString(), state, () -> queue.drain(kind, partitions, 10).run(session));
    assertThat(Contents.of(sql)).isEqualTo(before);
  }

  private static Reaction raising(StepKind kind, UUID partition, String state) {
    return Reaction.to(
        database,
        kind.deletesIn(partition),
        "raise exception 'it is full' using errcode = '" + state + "'");
  }

  private static Integer[] rows() {
    return new Integer[] {10, 10, 10};
  }

  private static List<Object> heldPartitions() {
    return sql.column(
        "select id from queen.log_partitions"
            + " where id not in (select f.id from queen.log_partitions f for update skip locked)");
  }
}

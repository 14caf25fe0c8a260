package dev.tidemark.retention.it.laws;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static dev.tidemark.retention.it.support.Waiting.elsewhere;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.step.EngineTransaction;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Gate;
import dev.tidemark.retention.it.support.Gate.Where;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Locks;
import dev.tidemark.retention.it.support.SessionSettings;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestLog.History;
import dev.tidemark.retention.it.support.TestLog.Segment;
import dev.tidemark.retention.it.support.Waiting;
import dev.tidemark.retention.it.support.Waiting.Elsewhere;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A session that dies or is cancelled in the middle of a transaction of the engine: nothing of the
 * transaction is left, nothing stays locked, and whoever does it again gets it whole.
 */
public class FaultLaws {
  private static final String QUEUE = "faults";
  private static final int MESSAGES = 3;
  private static final int CONSUMED = 2;
  private static final int SEGMENTS = 4;

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;

  @BeforeAll
  static void open() {
    database = Target.open();
    sql = database.connect();
    log = new TestLog(sql);
    log.configure(QUEUE, "{\"retentionEnabled\": true, \"completedRetentionSeconds\": 3600}");
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @AfterEach
  void nothingIsLeftBehind() {
    assertThat(Invariants.broken(sql)).isEmpty();
    assertThat(Locks.held(sql)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "RETENTION, log_segments",
    "RETENTION, log_partitions",
    "RETENTION, retention_history",
    "EVICTION, log_segments",
    "PURGE, log_txns",
    "CLEANUP, log_consumers",
    "CLEANUP, log_partitions",
    "WALK, log_partitions",
    "PUSH, log_partitions",
    "PUSH, log_segments"
  })
  void aTransactionWhoseBackendIsTerminatedLeavesNothingAndIsDoneAgain(
      EngineTransaction transaction, String table) {
    for (Where where : Where.values()) {
      UUID partition = partitionFor(transaction);
      Map<String, Object> before = everything(partition);
      try (Sql victim = database.connect();
          Gate gate = Gate.atWrite(database, table, where)) {
        Elsewhere<JsonNode> work = started(victim, transaction, partition);
        int backend = gate.visitor(sql);
        sql.rows("select pg_terminate_backend(?)", backend);
        refused(where + " of " + table, "57P01", work::get);
        Waiting.untilTrue(
            sql, "select not exists (select from pg_stat_activity where pid = ?)", backend);
        assertThat(Locks.held(sql)).as("%s of %s", where, table).isEmpty();
      }
      assertThat(everything(partition)).as("%s of %s", where, table).isEqualTo(before);
      isDoneAgain(transaction, partition);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "RETENTION, retention_history",
    "PURGE, log_partitions",
    "CLEANUP, log_partitions",
    "PUSH, log_segments"
  })
  void aTransactionThatIsCancelledLeavesNothingAndItsSessionAsItWas(
      EngineTransaction transaction, String table) {
    for (Where where : Where.values()) {
      UUID partition = partitionFor(transaction);
      Map<String, Object> before = everything(partition);
      try (Sql session = database.connect()) {
        Map<String, String> settings = SessionSettings.of(session);
        try (Gate gate = Gate.atWrite(database, table, where)) {
          Elsewhere<JsonNode> work = started(session, transaction, partition);
          sql.rows("select pg_cancel_backend(?)", gate.visitor(sql));
          refused(where + " of " + table, "57014", work::get);
        }
        session.rollback();
        assertThat(Locks.held(sql)).as("%s of %s", where, table).isEmpty();
        assertThat(SessionSettings.of(session)).isEqualTo(settings);
      }
      assertThat(everything(partition)).as("%s of %s", where, table).isEqualTo(before);
      isDoneAgain(transaction, partition);
    }
  }

  /** So two may sweep at once for a moment. The row of the partition keeps them apart. */
  @Test
  void aHolderWhoseBackendIsTerminatedFreesTheSweepAndTheStepInFlightIsNotDoneTwice() {
    UUID partition = partitionFor(EngineTransaction.RETENTION);
    try (Sql holder = database.connect();
        Sql worker = database.connect();
        Sql next = database.connect();
        Gate gate = Gate.atWrite(database, "log_segments", Where.AT_THE_ROW)) {
      holder.begin();
      assertThat(takesTheSweep(holder)).isTrue();
      Elsewhere<JsonNode> first = started(worker, EngineTransaction.RETENTION, partition);
      gate.visitor(sql);
      next.begin();
      assertThat(takesTheSweep(next)).isFalse();

      int backend = holder.backend();
      sql.rows("select pg_terminate_backend(?)", backend);
      Waiting.untilTrue(
          sql, "select not exists (select from pg_stat_activity where pid = ?)", backend);
      assertThat(takesTheSweep(next)).isTrue();
      next.commit();

      int second = next.backend();
      Elsewhere<JsonNode> again = elsewhere(() -> EngineTransaction.RETENTION.on(next, partition));
      Waiting.untilBlocked(sql, second);
      gate.open();
      assertThat(first.get().get("deleted").asInt()).isEqualTo(CONSUMED);
      assertThat(again.get().get("deleted").asInt()).isZero();
    }
    assertThat(log.history(partition))
        .containsExactly(new History(CONSUMED, (long) CONSUMED * MESSAGES, "completed_retention"));
  }

  private static boolean takesTheSweep(Sql session) {
    return session.<Boolean>value("select pg_try_advisory_xact_lock(737001)");
  }

  /** As the runner does it: what it deleted is known before the commit. */
  private static Elsewhere<JsonNode> started(
      Sql session, EngineTransaction transaction, UUID partition) {
    return elsewhere(
        () -> {
          session.begin();
          JsonNode answer = transaction.on(session, partition);
          session.commit();
          return answer;
        });
  }

  private static void isDoneAgain(EngineTransaction transaction, UUID partition) {
    Map<String, Object> before = everything(partition);
    List<Segment> live = log.segments(partition);
    JsonNode answer = transaction.on(sql, partition);
    assertThat(everything(partition)).as("after %s", answer).isNotEqualTo(before);
    if (transaction == EngineTransaction.RETENTION) {
      assertThat(log.segments(partition))
          .as("what is not consumed")
          .isEqualTo(live.subList(CONSUMED, SEGMENTS));
    }
  }

  private static UUID partitionFor(EngineTransaction transaction) {
    UUID partition = log.partition(QUEUE, UUID.randomUUID().toString());
    if (transaction == EngineTransaction.CLEANUP) {
      log.commit(partition, "g", -1);
      sql.run(
          "update queen.log_partitions set created_at = '2020-01-01Z', last_write_at = '2020-01-01Z' where id = ?",
          partition);
      sql.run(
          "update queen.log_consumers set created_at = '2020-01-01Z' where partition_id = ?",
          partition);
      return partition;
    }
    for (int s = 0; s < SEGMENTS; s++) {
      log.append(partition, log.ago(Duration.ofHours(2)), MESSAGES);
    }
    log.commit(partition, "g", CONSUMED * MESSAGES - 1);
    if (transaction == EngineTransaction.WALK) {
      sql.run("update queen.log_partitions set oldest_live_at = null where id = ?", partition);
    }
    return partition;
  }

  private static Map<String, Object> everything(UUID partition) {
    return sql.row(
        """
        select (select to_jsonb(p)::text from queen.log_partitions p where id = x.id) as partition,
               (select jsonb_agg(s order by base_offset)::text from queen.log_segments s where partition_id = x.id) as segments,
               (select jsonb_agg(t order by base_offset)::text from queen.log_txns t where partition_id = x.id) as txns,
               (select jsonb_agg(c)::text from queen.log_consumers c where partition_id = x.id) as consumers,
               (select jsonb_agg(h order by h.id)::text from queen.retention_history h where partition_id = x.id) as history
          from (select ?::uuid as id) x
        """,
        partition);
  }
}

package dev.tidemark.retention.it.laws;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.step.DueQueue;
import dev.tidemark.retention.it.step.ServerDrain.Answer;
import dev.tidemark.retention.it.step.StepKind;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Contents;
import dev.tidemark.retention.it.support.HostileSession;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Reaction;
import dev.tidemark.retention.it.support.SessionSettings;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a session brings along changes nothing in a drain on the server, and a drain nothing in the
 * session.
 */
public class DrainSessionLaws {
  private static final String SETTINGS =
      "lock_timeout text default pg_catalog.current_setting('lock_timeout'),"
          + " synchronous_commit text default pg_catalog.current_setting('synchronous_commit'),"
          + " transaction_isolation text default pg_catalog.current_setting('transaction_isolation')";

  private static TestDatabase database;
  private static Sql sql;
  private Sql session;
  private DueQueue queue;
  private List<UUID> partitions;

  @BeforeAll
  static void open() {
    database = Target.open();
    sql = database.connect();
    sql.run(HostileSession.LIES);
  }

  @AfterAll
  static void close() {
    sql.run("drop schema evil cascade");
    database.close();
  }

  @BeforeEach
  void threePartitions() {
    session = database.connect();
    queue = DueQueue.of(sql);
    partitions = queue.partitions(3, 2);
  }

  @AfterEach
  void invariantsHold() {
    session.close();
    assertThat(Invariants.broken(sql)).isEmpty();
    queue.delete();
  }

  @ParameterizedTest
  @CsvSource({
    "BY_AGE, serializable",
    "BY_AGE, repeatable read",
    "BY_CONSUMPTION, serializable",
    "MAX_WAIT, serializable",
    "SIDECAR, repeatable read"
  })
  void everyStepReadsCommittedWhateverTheSessionsDefault(StepKind kind, String level) {
    session.run("set default_transaction_isolation = '" + level + "'");
    session.run("set default_transaction_deferrable = on");
    servesAll(kind, queue.drain(kind, partitions, 1).run(session));
  }

  /** The lies stand before the truth, also for the procedure itself, which pins no path. */
  @ParameterizedTest
  @EnumSource
  void aHostileSessionGetsTheAnswersOfAPlainOne(StepKind kind) {
    HostileSession.SETTINGS.forEach(setting -> session.run("set " + setting));
    session.run("set statement_timeout = '600s'");
    sql.rows("select * from queen.lease_register_v1('drain-session-laws', 60000)");
    long fence =
        sql.number("select fence from queen.lease_claim_v1('drain-session-laws', 'h', 60000)");
    servesAll(
        kind,
        queue
            .drain(kind, partitions, 1)
            .with("p_task", "drain-session-laws")
            .with("p_holder", "h")
            .with("p_fence", fence)
            .run(session));
    assertThat(
            queue
                .drain(kind, partitions, 1)
                .with("p_task", "drain-session-laws")
                .with("p_holder", "h")
                .with("p_fence", fence - 1)
                .run(session)
                .stopped())
        .isEqualTo("lost");
    sql.run("delete from queen.maintenance_leases where task = 'drain-session-laws'");
  }

  /** A step pins its own path: what a drain pinned shows where nothing does. */
  @Test
  void tablesOfTheSameNameInTheSessionAreNotTheLog() {
    for (String table : List.of("queues", "log_partitions", "log_segments", "maintenance_leases")) {
      session.run("create temporary table %1$s (like queen.%1$s)".formatted(table));
    }
    session.run("set search_path = pg_temp, evil, queen");
    servesAll(StepKind.BY_AGE, queue.drain(StepKind.BY_AGE, partitions, 1).run(session));
  }

  @ParameterizedTest
  @EnumSource
  void theRetentionRoleIsEnough(StepKind kind) {
    session.run("set role queen_retention");
    servesAll(kind, queue.drain(kind, partitions, 1).run(session));
  }

  @ParameterizedTest
  @EnumSource
  void insideATransactionNothingIsDone(StepKind kind) {
    Contents before = Contents.of(sql);
    session.begin();
    refused(kind.toString(), "2D000", () -> queue.drain(kind, partitions, 10).run(session));
    session.rollback();
    assertThat(Contents.of(sql)).isEqualTo(before);
  }

  @ParameterizedTest
  @EnumSource
  void insideEachStepTheSettingsAreAsAskedFor(StepKind kind) {
    session.run("set synchronous_commit = remote_write");
    session.run("set lock_timeout = '7s'");
    try (Reaction settings =
        Reaction.to(database, kind.deletesEach(), SETTINGS, "insert into %s.seen default values")) {
      queue
          .drain(kind, partitions, 1)
          .with("p_lock_timeout_ms", 4321)
          .with("p_synchronous_commit", "local")
          .run(session);
      seen(settings, 6, "4321ms", "local");
      queue.drain(kind, queue.partitions(1, 2), 1).run(session);
      seen(settings, 2, "1s", "off");
    }
  }

  @Test
  void aProcedureThatCallsItGoesOnWithItsOwnSettings() {
    session.run("create temporary table after_call (path text, flush text)");
    session.run(
        """
        do $$
        declare
            v_stopped text;
            v_steps   jsonb;
        begin
            call queen.log_retention_drain_v1(
                p_queue_id => null, p_pids => '{}', p_all_cutoff => null, p_completed_cutoff => null, p_max_rows => 1,
                p_stopped => v_stopped, p_steps => v_steps);
            insert into after_call values (current_setting('search_path'), current_setting('synchronous_commit'));
        end $$
        """);
    assertThat(session.rows("select * from after_call").get(0).values())
        .containsExactly(
            session.value("show search_path"), session.value("show synchronous_commit"));
  }

  private static void seen(Reaction settings, int times, String lockTimeout, String flush) {
    assertThat(sql.rows("select * from " + settings.seen()))
        .hasSize(times)
        .allSatisfy(
            row ->
                assertThat(row)
                    .isEqualTo(
                        Map.of(
                            "lock_timeout", lockTimeout,
                            "synchronous_commit", flush,
                            "transaction_isolation", "read committed")));
    sql.run("delete from " + settings.seen());
  }

  @ParameterizedTest
  @EnumSource
  void afterTheCallTheSessionIsAsItWas(StepKind kind) {
    HostileSession.SETTINGS.forEach(setting -> session.run("set " + setting));
    session.run("set default_transaction_isolation = 'serializable'");
    session.run("set lock_timeout = '7s'");
    session.run("set synchronous_commit = remote_write");
    Map<String, String> before = settings();
    queue.drain(kind, partitions, 1).run(session);
    assertThat(settings()).isEqualTo(before);
    session.run("set default_transaction_read_only = on");
    before = settings();
    refused(kind.toString(), "25006", () -> queue.drain(kind, partitions, 1).run(session));
    assertThat(settings()).isEqualTo(before);
    session.run("set default_transaction_read_only = off");
    refused(
        kind.toString(),
        "22023",
        () -> queue.drain(kind, partitions, 0).run(session),
        "p_max_rows");
    assertThat(session.<String>value("select pg_catalog.current_setting('lock_timeout')"))
        .isEqualTo("7s");
  }

  private Map<String, String> settings() {
    return SessionSettings.of(session);
  }

  private void servesAll(StepKind kind, Answer answer) {
    assertThat(answer.stopped()).isNull();
    assertThat(answer.partitions())
        .isEqualTo(partitions.stream().flatMap(id -> Collections.nCopies(2, id).stream()).toList());
    assertThat(answer.each("deleted")).containsOnly(1);
    assertThat(partitions).allSatisfy(id -> assertThat(kind.left(sql, id)).isZero());
  }
}

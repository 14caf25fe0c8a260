package dev.tidemark.retention.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.sql.AuditGateway;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the bench loads is a log or a table, and its baselines delete what retention would. */
class BenchSqlTest {
  private static final LogShape SOME_DUE = new LogShape(3, 40, 7, 4, 100, true);

  private static BenchServer server;
  private static BenchDatabase database;
  private static Bench bench;

  @BeforeAll
  static void start() throws SQLException {
    server = MigratedServer.start();
    database = server.database("bench_sql");
    bench = new Bench(server, 1, text -> {}, true);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @ParameterizedTest
  @CsvSource({
    "1,1,1,50,200,false",
    "1,20,20,1,1000,false",
    "3,40,7,4,100,true",
    "40,40,1,1,0,true",
    "10,40,0,2,10,true"
  })
  void aLoadKeepsEveryInvariantAndHasWhatItsShapeSays(
      int queues, int partitions, int due, int segments, int blobBytes, boolean sidecar)
      throws SQLException {
    LogShape shape = new LogShape(queues, partitions, due, segments, blobBytes, sidecar);

    bench.load(database, shape);

    assertThat(List.of(count("queen.queues"), count("queen.log_partitions")))
        .containsExactly((long) queues, (long) partitions);
    assertThat(count("queen.log_segments")).isEqualTo((long) partitions * segments);
    assertThat(count("queen.log_segments where length(blob) <> " + blobBytes)).isZero();
    assertThat(count("queen.log_txns"))
        .isEqualTo(sidecar ? (long) (partitions - due) * segments : 0);
    assertThat(database.column("select bench.due_partitions()")).hasSize(due);
    assertThat(BareDelete.seconds(database, shape.deletable())).isPositive();
  }

  @Test
  void theRunnerFindsTheDeletablePartDueAndNothingElse() throws SQLException {
    bench.load(database, SOME_DUE);

    Cycles.secondsToDelete(database, Knobs.defaults(), SOME_DUE.deletable());

    database.requireInvariants();
    assertThat(count("queen.log_segments"))
        .isEqualTo(SOME_DUE.deletable() / 7 * 33)
        .isEqualTo(count("queen.log_txns"));
  }

  @Test
  void whatACycleTookIsDueAgainOnceRestored() throws SQLException {
    bench.load(database, SOME_DUE);
    Cycles.secondsToDelete(database, Knobs.defaults(), SOME_DUE.deletable());

    for (int round = 1; round <= 3; round++) {
      assertThat(database.number("select bench.restore_due()")).isEqualTo(SOME_DUE.due());
      database.requireInvariants();
      Cycles.secondsToDelete(database, Knobs.defaults(), SOME_DUE.due());
      database.requireInvariants();
    }
    assertThat(database.number("select bench.restore_due()")).isEqualTo(SOME_DUE.due());
  }

  @Test
  void theStepAsItFirstLandedLeavesWhatTheRunnerLeaves() throws SQLException {
    bench.load(database, SOME_DUE);

    WideRow.callEach(database, "on");

    database.requireInvariants();
    assertThat(count("queen.retention_history")).isEqualTo(SOME_DUE.due());
    assertThat(database.column("select bench.due_partitions()")).isEmpty();
  }

  /** All but invariant 8: many partitions in one transaction is what is wrong with it. */
  @Test
  void theSweepLeavesWhatTheRunnerLeavesButInOneTransaction() throws SQLException {
    bench.load(database, SOME_DUE);

    assertThat(database.number("select bench.sweep(now() - interval '1 day')"))
        .isEqualTo(SOME_DUE.deletable());

    assertThat(new AuditGateway(database.dataSource()).brokenInvariants())
        .isNotEmpty()
        .allMatch(broken -> broken.invariant() == 8);
  }

  @Test
  void theSoakBeginsWithASidecarThatIsDueRowByRow() throws SQLException {
    database.number(
        "select bench.load_soak(p_partitions => 5, p_keep_seconds => 1, p_pushes_a_second => 10)");

    database.requireInvariants();
    assertThat(count("queen.log_txns")).isEqualTo(9000);
    assertThat(count("queen.log_txns where created_at > now() - interval '450 seconds'"))
        .isBetween(4400L, 4510L);
    assertThat(database.column("select name from bench.table_sizes() where bytes > 0"))
        .contains("log_txns", "log_segments", "log_partitions");
  }

  @Test
  void eventsAreAsManyAsAskedForOldOrYoungAndTheirPolicyIsTheDefault() throws SQLException {
    new EventTable(database, 500, 40).load(60);

    assertThat(count("bench.events")).isEqualTo(540);
    assertThat(count("bench.events where created_at < now() - interval '1 day'")).isEqualTo(500);
    assertThat(count("bench.events where created_at > now() - interval '1 minute'")).isEqualTo(40);
    assertThat(database.number("select min(pg_column_size(e.*)) from bench.events e"))
        .isGreaterThanOrEqualTo(200);
    assertThat(
            database.column(
                "select format('%s %s %s', p.name, p.batch, p.keep) from queen.table_policies p"))
        .containsExactly("events " + EventTable.BATCH + " 00:01:00");
  }

  @Test
  void stepsAndLoopsRidTheTableOfTheSameRowsHoweverOften() throws Exception {
    EventTable table = new EventTable(database, 2500, 40);
    for (int round = 1; round <= 2; round++) {
      EventTable.Emptied steps = table.side("steps", table::bySteps).measurement().measure();
      assertThat(steps.seconds()).isPositive();
      assertThat(steps.batches()).startsWith(EventTable.BATCH / 10).hasSizeBetween(2, 3);
      assertThat(count("queen.table_history")).isBetween(2L, 3L);
      for (String loop : List.of("hand_loop", "hand_loop_asked", "form_loop")) {
        table.side(loop, () -> table.byLoop(loop, "on")).measurement().measure();
        assertThat(count("queen.table_history")).isZero();
      }
    }
  }

  @Test
  void aSideThatLeavesRowsOrTakesOthersIsNotMeasured() {
    EventTable table = new EventTable(database, 30, 40);

    assertThatThrownBy(() -> table.side("nothing", () -> 1).measurement().measure())
        .hasMessage("70 rows are left, 30 of them old, where 40 should be, none of them old");
    assertThatThrownBy(
            () ->
                table
                    .side("all", () -> database.run("delete from bench.events"))
                    .measurement()
                    .measure())
        .hasMessageStartingWith("0 rows are left, 0 of them old");
  }

  @Test
  void aStepThatDidNothingIsNotMeasured() throws SQLException {
    EventTable table = new EventTable(database, 30, 40);
    table.load(86_400);
    database.column("select queen.table_policy_enable_v1(p_name => 'events', p_enabled => false)");

    assertThatThrownBy(table::bySteps).hasMessageContaining("disturbed", "disabled");
  }

  private static long count(String from) throws SQLException {
    return database.number("select count(*) from " + from);
  }
}

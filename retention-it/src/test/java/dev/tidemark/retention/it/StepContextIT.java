package dev.tidemark.retention.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.SqlFailure;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Duration;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every step refuses before it looks at a row, and that the retention role is enough for it.
 * In each statement {@code %1$s} is the partition, {@code %2$s} the batch bound.
 */
class StepContextIT {
  private static final String RETENTION =
      "queen.log_retention_step_v1(p_pid => %1$s, p_all_cutoff => now(), p_completed_cutoff => now(), p_max_rows => %2$s)";
  private static final String EVICT =
      "queen.log_evict_max_wait_step_v1(p_pid => %1$s, p_cutoff => now(), p_max_rows => %2$s)";
  private static final String PURGE =
      "queen.log_txns_purge_step_v1(p_pid => %1$s, p_cutoff => now(), p_max_rows => %2$s)";
  private static final String CLEANUP =
      "queen.log_partition_cleanup_step_v1(p_cutoff => now(), p_max_rows => %2$s)";
  private static final String WALK =
      "queen.log_watermark_walk_step_v1(p_after => null, p_max_rows => %2$s)";
  private static final String METRICS =
      "queen.cleanup_worker_metrics_v1(p_cutoff => now(), p_max_rows => %2$s)";
  private static final String ROLL_UP =
      "queen.log_history_roll_up_step_v1(p_from => null, p_cutoff => '2000-01-02', p_max_rows => %2$s)";

  private static TestDatabase database;
  private static Sql sql;
  private Sql session;
  private String partition;

  static Stream<String> steps() {
    return Stream.of(RETENTION, EVICT, PURGE, CLEANUP, WALK, METRICS, ROLL_UP);
  }

  static Stream<String> partitionSteps() {
    return Stream.of(RETENTION, EVICT, PURGE);
  }

  static Stream<Arguments> stepsAndBadBounds() {
    return steps()
        .flatMap(
            step ->
                Stream.of("null", "0", "-1", "-2147483648")
                    .map(bound -> Arguments.of(step, bound)));
  }

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void anOldPartitionAndAnEmptyOne() {
    TestLog log = new TestLog(sql);
    session = database.connect();
    UUID full = log.partition("context", UUID.randomUUID().toString());
    log.append(full, log.ago(Duration.ofDays(100)), 2);
    partition = "'" + full + "'";
    UUID empty = log.partition("context", UUID.randomUUID().toString());
    sql.run(
        "update queen.log_partitions set created_at = '2000-01-01', last_write_at = '2000-01-01' where id = ?",
        empty);
    sql.run("insert into queen.system_metrics (sampled_at) values ('2000-01-01')");
    sql.run(
        "insert into queen.retention_history (partition_id, messages_deleted, segments_deleted,"
            + " retention_type, executed_at) values (gen_random_uuid(), 1, 1, 'retention', '2000-01-01')");
  }

  @AfterEach
  void invariantsHold() {
    session.close();
    assertThat(Invariants.broken(sql)).isEmpty();
    sql.run("delete from queen.queues");
    sql.run("delete from queen.log_txns");
  }

  @ParameterizedTest
  @MethodSource("steps")
  void repeatableReadIsRefused(String step) {
    session.run("set default_transaction_isolation = 'repeatable read'");
    assertRefusedAndUntouched("TM001", call(step, "10"));
  }

  @ParameterizedTest
  @MethodSource("steps")
  void serializableIsRefused(String step) {
    session.run("set default_transaction_isolation = 'serializable'");
    assertRefusedAndUntouched("TM001", call(step, "10"));
  }

  @ParameterizedTest
  @MethodSource("steps")
  void aSessionWithoutForeignKeysIsRefused(String step) {
    session.run("set session_replication_role = replica");
    assertRefusedAndUntouched("TM002", call(step, "10"));
  }

  @ParameterizedTest
  @MethodSource("stepsAndBadBounds")
  void aBatchBoundThatIsNotPositiveIsRefusedAndNeverMeansAll(String step, String bound) {
    assertRefusedAndUntouched("22023", call(step, bound));
  }

  @ParameterizedTest
  @MethodSource("partitionSteps")
  void aNullPartitionIsRefused(String step) {
    assertRefusedAndUntouched("22023", "select " + step.formatted("null", "10"));
  }

  @ParameterizedTest
  @MethodSource("steps")
  void theRetentionRoleIsEnough(String step) {
    session.run("set role queen_retention");
    assertThat(touched(session.json(call(step, "10")))).isPositive();
  }

  @ParameterizedTest
  @ValueSource(strings = {"queen_reader", "queen_broker"})
  void noOtherRoleMayStep(String role) {
    session.run("set role " + role);
    steps().forEach(step -> assertRefusedAndUntouched("42501", call(step, "10")));
  }

  @ParameterizedTest
  @MethodSource("steps")
  void aHostileSearchPathChangesNothing(String step) {
    session.run("create temporary table log_segments (partition_id uuid, base_offset bigint)");
    session.run("create temporary table log_partitions (id uuid)");
    session.run("set search_path = pg_temp, public");
    assertThat(touched(session.json(call(step, "10")))).isPositive();
  }

  /** How many rows a step says it deleted, rolled up or looked at. */
  private static long touched(JsonNode answer) {
    return answer.path("deleted").asLong()
        + answer.path("rolled").asLong()
        + answer.path("scanned").asLong();
  }

  private String call(String step, String bound) {
    return "select " + step.formatted(partition, bound);
  }

  private void assertRefusedAndUntouched(String state, String call) {
    long before = rows();
    assertThatExceptionOfType(SqlFailure.class)
        .as(call)
        .isThrownBy(() -> session.json(call))
        .extracting(SqlFailure::state)
        .isEqualTo(state);
    assertThat(rows()).isEqualTo(before);
  }

  private static long rows() {
    return sql.number(
        "select (select count(*) from queen.log_segments) + (select count(*) from queen.log_txns)"
            + " + (select count(*) from queen.log_partitions) + (select count(*) from queen.retention_history)");
  }
}

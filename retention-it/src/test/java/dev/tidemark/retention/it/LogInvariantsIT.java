package dev.tidemark.retention.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code log_invariants_v1}, beside the tests' own check, which shares no line with it. */
class LogInvariantsIT {
  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private UUID partition;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    log = new TestLog(sql);
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void aPartitionOfFourSegmentsOfWhichOneIsDeleted() {
    partition = log.partition("audited", UUID.randomUUID().toString());
    for (int hours = 4; hours >= 1; hours--) {
      log.append(partition, log.ago(Duration.ofHours(hours)), 2);
    }
    log.retentionStep(partition, log.ago(Duration.ofMinutes(210)), null, 10);
  }

  @Test
  void soundTablesAreSoundToBoth() {
    UUID empty = log.partition("audited", UUID.randomUUID().toString());
    log.append(empty, log.ago(Duration.ofHours(1)), 1);
    log.retentionStep(empty, log.ago(Duration.ZERO), null, 10);
    log.purgeStep(empty, log.ago(Duration.ZERO), 10);
    log.partition("audited", UUID.randomUUID().toString());

    assertThat(sql.rows("select * from queen.log_invariants_v1()")).isEmpty();
    assertThat(Invariants.broken(sql)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1|delete from queen.log_segments where base_offset = 2 and partition_id = ?",
        "1|delete from queen.log_segments where partition_id = ?",
        "1|update queen.log_partitions set log_start = 4 where id = ?",
        "1|delete from queen.log_txns where base_offset = 0 and partition_id = ?",
        "1|update queen.log_partitions set txns_start = 1 where id = ?",
        "3|delete from queen.log_segments where base_offset = 6 and partition_id = ?",
        "3|delete from queen.log_segments where base_offset = 4 and partition_id = ?",
        "3|delete from queen.log_txns where base_offset = 6 and partition_id = ?",
        "3|delete from queen.log_txns where base_offset = 4 and partition_id = ?",
        "3|update queen.log_segments set end_offset = 4 where base_offset = 2 and partition_id = ?",
        "4|update queen.log_segments set created_at = now() where base_offset = 4 and partition_id = ?",
        "6|update queen.log_partitions set oldest_live_at = oldest_live_at + interval '1 us' where id = ?",
        "6|update queen.log_partitions set oldest_live_at = null where id = ?",
        "6|update queen.log_partitions set oldest_txn_at = null where id = ?"
      })
  void whatIsBrokenOnPurposeIsSeenByBothUnderTheSameNumbers(int invariant, String statement) {
    sql.begin();
    sql.run(statement, partition);
    Set<String> function =
        sql.rows("select partition_id, invariant from queen.log_invariants_v1()").stream()
            .map(row -> row.get("partition_id") + " " + row.get("invariant"))
            .collect(Collectors.toSet());
    Set<String> fixture =
        Invariants.broken(sql).stream()
            .map(row -> row.get("partition") + " " + String.valueOf(row.get("broken")).charAt(0))
            .collect(Collectors.toSet());
    sql.rollback();

    assertThat(function).contains(partition + " " + invariant).isEqualTo(fixture);
  }

  @Test
  void aHistoryThatCountsMoreThanWentBreaksSevenAndOneThatWasPurgedDoesNot() {
    assertBroken(
        "update queen.retention_history set messages_deleted = 3 where partition_id = ?",
        7,
        "the history counts 3 messages deleted, but log_start is 2");
    sql.begin();
    sql.run("delete from queen.retention_history where partition_id = ?", partition);
    assertThat(sql.rows("select * from queen.log_invariants_v1()")).isEmpty();
    sql.rollback();
  }

  @Test
  void aCursorPastTheEndBreaksFive() {
    log.commit(partition, "ahead", 7);
    assertThat(sql.rows("select * from queen.log_invariants_v1()")).as("at the end").isEmpty();
    assertBroken(
        "update queen.log_consumers set committed = 8 where partition_id = ?",
        5,
        "the cursor of group ahead is at 8, past last_offset 7");
  }

  @Test
  void aLastStampBeforeTheNewestSegmentBreaksFour() {
    sql.begin();
    sql.run("update queen.log_partitions set last_created_at = null where id = ?", partition);
    assertThat(sql.rows("select * from queen.log_invariants_v1()"))
        .extracting(row -> List.of(row.get("partition_id"), row.get("invariant")))
        .containsExactly(List.of(partition, 4));
    sql.rollback();
  }

  @Test
  void aSidecarThatOutlivedItsPartitionBreaksThree() {
    sql.begin();
    UUID gone = UUID.randomUUID();
    sql.run("update queen.log_txns set partition_id = ? where partition_id = ?", gone, partition);
    assertThat(sql.rows("select * from queen.log_invariants_v1() where partition_id = ?", gone))
        .extracting(row -> List.of(row.get("invariant"), row.get("broken")))
        .containsExactly(List.of(3, "sidecar rows without their partition"));
    sql.rollback();
  }

  @Test
  void twoStepsInOneTransactionBreakEightEvenOnOnePartition() {
    sql.begin();
    log.retentionStep(partition, log.ago(Duration.ZERO), null, 1);
    assertThat(sql.rows("select * from queen.log_invariants_v1()")).as("one step").isEmpty();
    log.retentionStep(partition, log.ago(Duration.ZERO), null, 1);
    assertThat(sql.rows("select * from queen.log_invariants_v1()"))
        .extracting(row -> List.of(row.get("partition_id"), row.get("invariant")))
        .containsExactly(List.of(partition, 8));
    sql.rollback();
  }

  @Test
  void aRestoredHistoryIsNoWiderTransaction() {
    sql.begin();
    log.retentionStep(partition, log.ago(Duration.ZERO), null, 1);
    sql.run("create temporary table saved on commit drop as select * from queen.retention_history");
    sql.run("update saved set executed_at = executed_at + id * interval '1 us'");
    sql.run("delete from queen.retention_history");
    sql.run(
        "insert into queen.retention_history overriding system value select * from pg_temp.saved");
    assertThat(sql.rows("select * from queen.log_invariants_v1()")).isEmpty();
    sql.rollback();
  }

  private void assertBroken(String statement, int invariant, String says) {
    sql.begin();
    sql.run(statement, partition);
    assertThat(sql.rows("select * from queen.log_invariants_v1()"))
        .extracting(row -> List.copyOf(row.values()))
        .containsExactly(List.of(partition, invariant, says));
    sql.rollback();
  }
}

package dev.tidemark.retention.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The fixtures themselves: a check of invariants that could not fail would prove nothing. */
class FixtureIT {
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
  void aPartitionOfThreeSegments() {
    partition = log.partition("fixture", UUID.randomUUID().toString());
    for (int hours = 3; hours >= 1; hours--) {
      log.append(partition, log.ago(Duration.ofHours(hours)), 2);
    }
  }

  @Test
  void invariantsHoldAfterAnImport() {
    assertThat(Invariants.broken(sql)).isEmpty();
  }

  @Test
  void everyBrokenInvariantIsSeen() {
    brokenBy(
        "delete from queen.log_segments where base_offset = 0 and partition_id = ?",
        "1: log_start");
    brokenBy(
        "delete from queen.log_txns where base_offset = 0 and partition_id = ?", "1: txns_start");
    brokenBy(
        "delete from queen.log_segments where base_offset = 4 and partition_id = ?",
        "3: the live segments");
    brokenBy(
        "delete from queen.log_txns where base_offset = 4 and partition_id = ?", "3: the sidecar");
    brokenBy(
        "delete from queen.log_segments where base_offset = 2 and partition_id = ?",
        "3: live segments");
    brokenBy(
        "delete from queen.log_txns where base_offset = 2 and partition_id = ?", "3: sidecar rows");
    brokenBy(
        "update queen.log_segments set created_at = now() where base_offset = 0 and partition_id = ?",
        "4: created_at");
    brokenBy(
        "update queen.log_partitions set oldest_live_at = now() where id = ?", "6: oldest_live_at");
    brokenBy(
        "update queen.log_partitions set oldest_txn_at = null where id = ?", "6: oldest_txn_at");
  }

  private void brokenBy(String statement, String invariant) {
    sql.begin();
    sql.run(statement, partition);
    assertThat(Invariants.broken(sql))
        .extracting(row -> String.valueOf(row.get("broken")))
        .as(statement)
        .anyMatch(broken -> broken.startsWith(invariant));
    sql.rollback();
  }
}

package dev.tidemark.retention.it.laws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code log_invariants_v1} sees what is broken. Whoever calls a database sound by it has to know
 * that it is not blind.
 */
public class CheckerLaws {
  private static TestDatabase database;
  private static Sql sql;
  private static String queue;
  private static UUID partition;

  @BeforeAll
  static void aPartitionOfFourSegmentsOfWhichOneIsDeleted() {
    database = Target.open();
    sql = database.connect();
    TestLog log = new TestLog(sql);
    queue = "checked-" + UUID.randomUUID();
    partition = log.partition(queue, "p");
    for (int hours = 4; hours >= 1; hours--) {
      log.append(partition, log.ago(Duration.ofHours(hours)), 2);
    }
    log.retentionStep(partition, log.ago(Duration.ofMinutes(210)), null, 10);
    log.commit(partition, "g", 7);
  }

  @AfterAll
  static void close() {
    sql.json("select queen.delete_queue_v1(p_name => ?)", queue);
    database.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1|log_start is|update queen.log_partitions set log_start = 1 where id = ?",
        "1|txns_start is|update queen.log_partitions set txns_start = 1 where id = ?",
        "3|live segments end at|delete from queen.log_segments where base_offset = 6 and partition_id = ?",
        "3|sidecar rows end at|delete from queen.log_txns where base_offset = 6 and partition_id = ?",
        "3|the segment after|delete from queen.log_segments where base_offset = 4 and partition_id = ?",
        "3|the sidecar row after|delete from queen.log_txns where base_offset = 4 and partition_id = ?",
        "3|sidecar rows without|update queen.log_txns set partition_id = '00000000-0000-0000-0000-000000000000' where partition_id = ?",
        "4|created_at goes back|update queen.log_segments set created_at = now() where base_offset = 4 and partition_id = ?",
        "4|last_created_at is|update queen.log_partitions set last_created_at = null where id = ?",
        "5|the cursor of group|update queen.log_consumers set committed = 8 where partition_id = ?",
        "6|oldest_live_at is|update queen.log_partitions set oldest_live_at = null where id = ?",
        "6|oldest_txn_at is|update queen.log_partitions set oldest_txn_at = null where id = ?",
        "7|the history counts|update queen.retention_history set messages_deleted = 3 where partition_id = ?",
        "8|a step shared its|select queen.log_retention_step_v1(?, 'infinity', null, 1) from generate_series(1, 2)"
      })
  void whatIsBrokenIsReportedByItsNumber(int invariant, String says, String statement) {
    assertThat(reported(invariant, says)).as("before").isEmpty();
    sql.begin();
    try {
      sql.run(statement, partition);
      assertThat(reported(invariant, says)).isNotEmpty();
    } finally {
      sql.rollback();
    }
  }

  private static List<Object> reported(int invariant, String says) {
    return sql.column(
        "select broken from queen.log_invariants_v1() where invariant = ? and starts_with(broken, ?)",
        invariant,
        says);
  }
}

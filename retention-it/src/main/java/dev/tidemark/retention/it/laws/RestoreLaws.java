package dev.tidemark.retention.it.laws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.retention.it.step.StepKind;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Contents;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestPush;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A database that came from somewhere else: another server's clock, watermarks that say nothing.
 */
public class RestoreLaws {
  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;

  @BeforeAll
  static void open() {
    database = Target.open();
    sql = database.connect();
    log = new TestLog(sql);
  }

  @AfterAll
  static void close() {
    database.close();
  }

  /** Invariant 4, on a server whose clock is behind the newest stamp. */
  @Test
  void aPushNeverGoesBehindTheNewestStamp() {
    TestPush push = new TestPush(sql);
    push.push("restore-clock", "p", "before");
    UUID partition = log.partition("restore-clock", "p");
    Instant ahead = log.ago(Duration.ofHours(-1));
    sql.run("update queen.log_partitions set last_created_at = ? where id = ?", ahead, partition);

    push.push("restore-clock", "p", "after");

    assertThat(log.lastCreatedAt(partition)).isEqualTo(ahead);
    assertThat(log.segments(partition))
        .last()
        .satisfies(segment -> assertThat(segment.createdAt()).isEqualTo(ahead));
    assertThat(Invariants.broken(sql)).isEmpty();
  }

  /** A watermark that is missing makes nothing look empty. */
  @Test
  void aPartitionWithDataIsNotCleanedUpBecauseItsWatermarkIsMissing() {
    UUID partition = log.partition("restore-watermark", "p");
    log.append(partition, log.ago(Duration.ofDays(90)), 3);
    sql.run(
        "update queen.log_partitions set oldest_live_at = null, oldest_txn_at = null,"
            + " created_at = now() - interval '90 days', last_write_at = now() - interval '90 days' where id = ?",
        partition);

    sql.rows("select queen.log_partition_cleanup_step_v1(now() - interval '30 days', 100)");

    assertThat(log.segments(partition)).hasSize(1);
    sql.rows("select queen.log_watermark_walk_step_v1(null, 5000)");
    assertThat(Invariants.broken(sql)).isEmpty();
  }

  /** No push makes one. What is fresh stays, whatever comes after it. */
  @ParameterizedTest
  @EnumSource
  void aBatchOutOfOrderIsRefusedWhole(StepKind kind) {
    UUID partition = log.partition("restore-order-" + kind, "p");
    for (int hours : new int[] {3, 3, 2}) {
      log.append(partition, log.ago(Duration.ofHours(hours)), 1);
    }
    log.commit(partition, "g", 2);
    for (String table : new String[] {"log_segments", "log_txns"}) {
      sql.run(
          "update queen."
              + table
              + " set created_at = now() where partition_id = ? and base_offset = 1",
          partition);
    }
    Contents before = Contents.of(sql);

    assertThatThrownBy(() -> kind.run(sql, partition, log.ago(Duration.ofHours(1)), 3))
        .hasMessageContaining("is out of order");

    assertThat(Contents.of(sql)).isEqualTo(before);
    assertThat(kind.run(sql, partition, log.ago(Duration.ofHours(1)), 4).get("deleted").asLong())
        .as("a walk ends at the first that stays")
        .isOne();
    sql.run("delete from queen.queues where name = ?", "restore-order-" + kind);
    sql.run("delete from queen.log_txns where partition_id = ?", partition);
  }
}

package dev.tidemark.retention.it.laws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.suite.Target;
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
}

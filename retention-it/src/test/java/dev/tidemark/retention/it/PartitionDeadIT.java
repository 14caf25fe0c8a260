package dev.tidemark.retention.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * {@code log_partition_dead_v1}: each veto alone keeps a partition that is dead without it, and
 * what is no veto keeps nothing.
 */
class PartitionDeadIT {
  private static final Duration MICROSECOND = Duration.ofNanos(1000);

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private UUID partition;
  private Instant cutoff;

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
  void aPartitionSilentSinceBeforeTheCutoff() {
    partition = log.partition("dead", UUID.randomUUID().toString());
    cutoff = log.ago(Duration.ofDays(30));
    touched(cutoff.minus(MICROSECOND), cutoff.minus(MICROSECOND));
    assertThat(dead()).isTrue();
  }

  @Test
  void aPartitionCreatedAtTheCutoffLives() {
    touched(cutoff, cutoff.minus(MICROSECOND));
    assertThat(dead()).isFalse();
  }

  @Test
  void aPartitionWrittenAtTheCutoffLives() {
    touched(cutoff.minus(MICROSECOND), cutoff);
    assertThat(dead()).isFalse();
  }

  @Test
  void aSegmentKeepsItsPartition() {
    log.append(partition, cutoff.minus(Duration.ofDays(9)), 1);
    touched(cutoff.minus(MICROSECOND), cutoff.minus(MICROSECOND));
    assertThat(dead()).isFalse();
  }

  @Test
  void aSegmentKeepsItsPartitionEvenWhereTheWatermarkDriftedToNull() {
    log.append(partition, cutoff.minus(Duration.ofDays(9)), 1);
    touched(cutoff.minus(MICROSECOND), cutoff.minus(MICROSECOND));
    sql.run("update queen.log_partitions set oldest_live_at = null where id = ?", partition);
    assertThat(dead()).isFalse();
  }

  @Test
  void aPartitionThatRetentionEmptiedIsDeadAgain() {
    log.append(partition, cutoff.minus(Duration.ofDays(9)), 1);
    touched(cutoff.minus(MICROSECOND), cutoff.minus(MICROSECOND));
    log.retentionStep(partition, cutoff, null, 10);
    assertThat(dead()).isTrue();
  }

  @Test
  void aDeadLetterKeepsItsPartition() {
    sql.run("insert into queen.log_dlq (partition_id, transaction_id) values (?, 't')", partition);
    assertThat(dead()).isFalse();
  }

  @Test
  void streamsStateKeepsItsPartition() {
    sql.run("insert into queen_streams.state (partition_id, key) values (?, 'k')", partition);
    assertThat(dead()).isFalse();
  }

  @Test
  void aLeasedBatchWithoutAnExpiryKeepsItsPartition() {
    cursor("batch_end = 5");
    assertThat(dead()).isFalse();
  }

  @Test
  void aLiveLeaseKeepsItsPartition() {
    cursor("batch_end = 5, lease_expires_at = now() + interval '1 minute'");
    assertThat(dead()).isFalse();
  }

  @Test
  void aLeaseThatEndedAtTheCutoffKeepsItsPartition() {
    cursor("batch_end = 5, lease_expires_at = ?", cutoff);
    assertThat(dead()).isFalse();
  }

  @Test
  void aLeaseTakenAtTheCutoffKeepsItsPartition() {
    cursor("lease_acquired_at = ?", cutoff);
    assertThat(dead()).isFalse();
  }

  @Test
  void aGroupThatJoinedAtTheCutoffKeepsItsPartition() {
    cursor("created_at = ?", cutoff);
    assertThat(dead()).isFalse();
  }

  @Test
  void aLeaseThatExpiredBeforeTheCutoffKeepsNothing() {
    Instant before = cutoff.minus(MICROSECOND);
    cursor("batch_end = 5, lease_expires_at = ?, lease_acquired_at = ?", before, before);
    assertThat(dead()).isTrue();
  }

  @Test
  void anOldCursorThatIsNotThroughKeepsNothing() {
    cursor("committed = -1");
    assertThat(dead()).isTrue();
  }

  @Test
  void oneVetoAmongManyOldCursorsIsEnough() {
    cursor("committed = 0");
    cursor("committed = 0");
    cursor("lease_acquired_at = ?", cutoff);
    assertThat(dead()).isFalse();
  }

  @Test
  void aTraceKeepsNothing() {
    sql.run(
        "insert into queen.message_traces (partition_id, transaction_id, event) values (?, 't', 'e')",
        partition);
    assertThat(dead()).isTrue();
  }

  @Test
  void aSidecarRowKeepsNothing() {
    sql.run(
        "insert into queen.log_txns (partition_id, base_offset, end_offset, created_at, hashes) values (?, 0, 0, now(), '')",
        partition);
    assertThat(dead()).isTrue();
  }

  @Test
  void aVetoOfAnotherPartitionKeepsNothing() {
    UUID other = log.partition("dead", UUID.randomUUID().toString());
    sql.run("insert into queen.log_dlq (partition_id, transaction_id) values (?, 't')", other);
    assertThat(dead()).isTrue();
  }

  @Test
  void whatIsNotKnownToBeDeadIsKept() {
    assertThat(dead(partition, null)).isFalse();
    assertThat(dead(null, cutoff)).isFalse();
    assertThat(dead(UUID.randomUUID(), cutoff)).isFalse();
  }

  private void touched(Instant createdAt, Instant lastWriteAt) {
    sql.run(
        "update queen.log_partitions set created_at = ?, last_write_at = ? where id = ?",
        createdAt,
        lastWriteAt,
        partition);
  }

  /** A cursor that joined before the cutoff, and then this. */
  private void cursor(String set, Object... arguments) {
    String group = UUID.randomUUID().toString();
    sql.run(
        "insert into queen.log_consumers (partition_id, consumer_group, created_at) values (?, ?, ?)",
        partition,
        group,
        cutoff.minus(MICROSECOND));
    Object[] all = new Object[arguments.length + 1];
    System.arraycopy(arguments, 0, all, 0, arguments.length);
    all[arguments.length] = group;
    sql.run("update queen.log_consumers set " + set + " where consumer_group = ?", all);
  }

  private boolean dead() {
    return dead(partition, cutoff);
  }

  private static boolean dead(@Nullable UUID partition, @Nullable Instant cutoff) {
    return sql.value(
        "select queen.log_partition_dead_v1(p_pid => ?, p_cutoff => ?::timestamptz)",
        partition,
        cutoff);
  }
}

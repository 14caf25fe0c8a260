package dev.tidemark.retention.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Reads;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.SqlFailure;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestLog.History;
import dev.tidemark.retention.it.support.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code log_partition_cleanup_step_v1}: what goes with a dead partition, and what saves one. */
class PartitionCleanupStepIT {
  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private Instant cutoff;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    // What should be skipped and is waited for instead then fails, where it would hang.
    sql.run("set lock_timeout = '10s'");
    log = new TestLog(sql);
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void aCutoffThirtyDaysAgo() {
    cutoff = log.ago(Duration.ofDays(30));
  }

  @AfterEach
  void invariantsHold() {
    assertThat(Invariants.broken(sql)).isEmpty();
    sql.run("delete from queen.queues");
  }

  @Test
  void aDeadPartitionGoesWithItsCursorsAndItsSidecar() {
    UUID partition = dead(1);
    sql.run(
        "update queen.log_partitions set last_offset = 1, log_start = 2, oldest_txn_at = ? where id = ?",
        cutoff,
        partition);
    sql.run(
        "insert into queen.log_txns (partition_id, base_offset, end_offset, created_at, hashes) values (?, 0, 1, ?, '')",
        partition,
        cutoff);
    sql.run(
        "insert into queen.log_consumers (partition_id, consumer_group, created_at) values (?, 'g', '2000-01-01')",
        partition);
    sql.run(
        "insert into queen.message_traces (partition_id, transaction_id, event) values (?, 't', 'e')",
        partition);

    assertStep(cleanup(10), 1, true);

    assertThat(exists(partition)).isFalse();
    assertThat(count("log_txns", partition)).isZero();
    assertThat(count("log_consumers", partition)).isZero();
    assertThat(count("message_traces", partition)).as("a trace outlives it").isEqualTo(1);
  }

  @Test
  void everyDeletedPartitionLeavesOneHistoryRowThatCountsNoMessage() {
    UUID first = dead(1);
    UUID second = dead(2);
    UUID queue = sql.value("select queue_id from queen.log_partitions where id = ?", first);
    cleanup(10);
    for (UUID partition : List.of(first, second)) {
      assertThat(log.history(partition))
          .containsExactly(new History(0, 0, "__partition_deleted__"));
      assertThat(
              sql.<UUID>value(
                  "select queue_id from queen.retention_history where partition_id = ?", partition))
          .isEqualTo(queue);
    }
  }

  @Test
  void theQueueItselfStays() {
    dead(1);
    cleanup(10);
    assertThat(sql.number("select count(*) from queen.queues")).isEqualTo(1);
  }

  @Test
  void aPartitionSilentSinceExactlyTheCutoffStaysAndOneMicrosecondLongerGoes() {
    UUID at = silentSince(cutoff);
    UUID before = silentSince(cutoff.minus(Duration.ofNanos(1000)));
    assertStep(cleanup(10), 1, true);
    assertThat(exists(at)).isTrue();
    assertThat(exists(before)).isFalse();
  }

  @Test
  void aPartitionWithDataStaysHoweverOldItIs() {
    UUID partition = dead(1);
    log.append(partition, cutoff.minus(Duration.ofDays(9)), 1);
    sql.run("update queen.log_partitions set last_write_at = '2000-01-01' where id = ?", partition);
    assertStep(cleanup(10), 0, true);
    assertThat(log.segments(partition)).hasSize(1);
  }

  @Test
  void aPartitionThatAStepJustEmptiedGoesInTheSameCycle() {
    UUID partition = dead(1);
    log.append(partition, cutoff.minus(Duration.ofDays(9)), 1);
    sql.run("update queen.log_partitions set last_write_at = '2000-01-01' where id = ?", partition);
    log.retentionStep(partition, cutoff, null, 10);
    assertStep(cleanup(10), 1, true);
    assertThat(count("log_txns", partition)).isZero();
  }

  @Test
  void aBatchTakesTheLongestSilentAndIsNotDone() {
    UUID youngest = dead(1);
    UUID oldest = dead(3);
    UUID middle = dead(2);
    assertStep(cleanup(2), 2, false);
    assertThat(exists(youngest)).isTrue();
    assertThat(exists(middle)).isFalse();
    assertThat(exists(oldest)).isFalse();
    assertStep(cleanup(2), 1, true);
    assertStep(cleanup(2), 0, true);
  }

  @Test
  void aFullBatchThatLeavesNothingBehindIsDoneOnlyAtTheNextLook() {
    dead(1);
    dead(2);
    assertStep(cleanup(2), 2, false);
    assertStep(cleanup(2), 0, true);
  }

  @Test
  void aNullCutoffDeletesNothing() {
    UUID partition = dead(1);
    JsonNode step = cleanup(sql, null, 10);
    assertStep(step, 0, true);
    assertThat(exists(partition)).isTrue();
  }

  @Test
  void aPartitionThatSomeoneHoldsIsSkippedAndNotWaitedFor() {
    UUID held = dead(2);
    UUID free = dead(1);
    try (Sql pusher = database.connect()) {
      pusher.begin();
      pusher.run("select 1 from queen.log_partitions where id = ? for update", held);
      assertStep(cleanup(10), 1, true);
      pusher.rollback();
    }
    assertThat(exists(held)).isTrue();
    assertThat(exists(free)).isFalse();
    assertStep(cleanup(10), 1, true);
  }

  @Test
  void aPartitionOneOfWhoseCursorsSomeoneHoldsIsSkippedSoThatALeaseInTheMakingSurvives() {
    UUID leased = dead(2);
    UUID free = dead(1);
    for (UUID partition : new UUID[] {leased, free}) {
      sql.run(
          "insert into queen.log_consumers (partition_id, consumer_group, created_at) values (?, 'g', ?), (?, 'h', ?)",
          partition,
          cutoff.minusSeconds(1),
          partition,
          cutoff.minusSeconds(1));
    }
    try (Sql popper = database.connect()) {
      popper.begin();
      popper.run(
          "update queen.log_consumers set batch_end = 5, lease_acquired_at = now(),"
              + " lease_expires_at = now() + interval '5 min' where partition_id = ? and consumer_group = 'h'",
          leased);
      assertStep(cleanup(10), 1, true);
      popper.commit();
    }
    assertThat(exists(free)).isFalse();
    assertStep(cleanup(10), 0, true);
    assertThat(exists(leased)).as("a live lease is a veto").isTrue();
  }

  @Test
  void aHeadThatIsWhollyHeldDoesNotStandBeforeTheNextBatch() {
    UUID first = dead(4);
    UUID second = dead(3);
    UUID third = dead(2);
    UUID fourth = dead(1);
    try (Sql holder = database.connect()) {
      holder.begin();
      holder.run("select 1 from queen.log_partitions where id in (?, ?) for update", first, second);
      assertStep(cleanup(2), 2, false);
      holder.rollback();
    }
    assertThat(exists(third)).isFalse();
    assertThat(exists(fourth)).isFalse();
    assertThat(exists(first)).isTrue();
    assertStep(cleanup(2), 2, false);
  }

  @Test
  void aPartitionThatAGroupIsJoiningIsSkipped() {
    UUID joined = dead(1);
    try (Sql group = database.connect()) {
      group.begin();
      group.run(
          "insert into queen.log_consumers (partition_id, consumer_group) values (?, 'g')", joined);
      assertStep(cleanup(10), 0, true);
      group.commit();
    }
    assertStep(cleanup(10), 0, true);
    assertThat(exists(joined)).isTrue();
  }

  @Test
  void aVetoThatCommitsBetweenTheScanAndTheLockSavesThePartition() {
    UUID saved = dead(2);
    UUID lost = dead(1);
    try (Sql cleaner = database.connect();
        Sql gate = database.connect()) {
      closeGateInTheScan();
      gate.run("select pg_advisory_lock(42)");
      cleaner.run("set role queen_retention");
      Waiting.Elsewhere<JsonNode> step =
          Waiting.blocked(sql, cleaner, session -> cleanup(session, cutoff, 10));
      // The scan has its snapshot and does not see this any more.
      sql.run("insert into queen.log_dlq (partition_id, transaction_id) values (?, 't')", saved);
      gate.run("select pg_advisory_unlock(42)");
      assertStep(step.get(), 1, true);
    } finally {
      openGate();
    }
    assertThat(exists(saved)).isTrue();
    assertThat(exists(lost)).isFalse();
    sql.run("delete from queen.log_dlq");
  }

  @Test
  void aPushThatCommitsBetweenTheScanAndTheLockSavesThePartition() {
    UUID saved = dead(1);
    try (Sql cleaner = database.connect();
        Sql gate = database.connect()) {
      closeGateInTheScan();
      gate.run("select pg_advisory_lock(42)");
      cleaner.run("set role queen_retention");
      Waiting.Elsewhere<JsonNode> step =
          Waiting.blocked(sql, cleaner, session -> cleanup(session, cutoff, 10));
      log.append(saved, log.ago(Duration.ZERO), 1);
      gate.run("select pg_advisory_unlock(42)");
      assertStep(step.get(), 0, true);
    } finally {
      openGate();
    }
    assertThat(log.segments(saved)).hasSize(1);
  }

  @Test
  void aPushIntoAPartitionThatWasJustDeletedFailsLoudly() {
    UUID partition = dead(1);
    try (Sql cleaner = database.connect();
        Sql pusher = database.connect()) {
      cleaner.begin();
      assertStep(cleanup(cleaner, cutoff, 10), 1, true);
      Waiting.Elsewhere<Long> push =
          Waiting.blocked(
              sql, pusher, session -> new TestLog(session).append(partition, cutoff, 1));
      cleaner.commit();
      assertThatExceptionOfType(SqlFailure.class)
          .isThrownBy(push::get)
          .extracting(SqlFailure::state)
          .isEqualTo("TM004");
    }
    assertThat(count("log_txns", partition)).isZero();
  }

  @Test
  void aRollbackTakesEverythingBackTogether() {
    UUID partition = dead(1);
    sql.begin();
    assertStep(cleanup(10), 1, true);
    sql.rollback();
    assertThat(exists(partition)).isTrue();
    assertThat(log.history(partition)).isEmpty();
  }

  @Test
  void theScanReadsItsBatchAndNotTheTablesThatCanVeto() {
    log.configure("cleanup", "{}");
    sql.run(
        "insert into queen.log_partitions (queue_id, name, last_offset, log_start, txns_start, oldest_live_at, created_at, last_write_at)"
            + " select q.id, 'p' || i, 0, case when i % 10 = 0 then 1 else 0 end, 1, case when i % 10 <> 0 then now() end,"
            + "        '2000-01-01', '2000-01-01'"
            + "   from queen.queues q, generate_series(1, 20000) i");
    sql.run(
        "insert into queen.log_segments (partition_id, base_offset, end_offset, created_at, blob)"
            + " select p.id, 0, 0, p.oldest_live_at, '' from queen.log_partitions p where p.oldest_live_at is not null");
    sql.run(
        "insert into queen.log_dlq (partition_id, transaction_id) select p.id, 't' from queen.log_partitions p where p.oldest_live_at is not null");
    sql.run(
        "insert into queen.log_consumers (partition_id, consumer_group, created_at) select p.id, 'g', '2000-01-01' from queen.log_partitions p");
    sql.run("analyze");

    List<String> tables = List.of("log_segments", "log_dlq", "log_consumers", "log_partitions");
    for (int call = 1; call <= 8; call++) {
      for (String table : tables) {
        Reads.Read read = new Reads(sql, table).during(() -> assertStep(cleanup(10), 10, false));
        assertThat(read.sequentialScans()).as(table + ", call " + call).isZero();
        assertThat(read.indexEntries()).as(table + ", call " + call).isLessThan(400);
      }
    }
    sql.run("delete from queen.log_dlq");
  }

  /** Row security is the one hook inside a scan: the retention role's first row waits for 42. */
  private static void closeGateInTheScan() {
    sql.run(
        "create function public.gate() returns boolean language plpgsql volatile as"
            + " $$begin perform pg_advisory_xact_lock_shared(42); return true; end$$");
    sql.run("create policy gate on queen.log_partitions to queen_retention using (public.gate())");
    sql.run("alter table queen.log_partitions enable row level security");
  }

  private static void openGate() {
    sql.run("alter table queen.log_partitions disable row level security");
    sql.run("drop policy gate on queen.log_partitions");
    sql.run("drop function public.gate()");
  }

  private UUID dead(int daysBeforeTheCutoff) {
    return silentSince(cutoff.minus(Duration.ofDays(daysBeforeTheCutoff)));
  }

  private static UUID silentSince(Instant at) {
    UUID partition = log.partition("cleanup", UUID.randomUUID().toString());
    sql.run(
        "update queen.log_partitions set created_at = ?, last_write_at = ? where id = ?",
        at,
        at,
        partition);
    return partition;
  }

  private JsonNode cleanup(int maxRows) {
    return cleanup(sql, cutoff, maxRows);
  }

  private static JsonNode cleanup(Sql session, @Nullable Instant cutoff, int maxRows) {
    return session.json(
        "select queen.log_partition_cleanup_step_v1(p_cutoff => ?::timestamptz, p_max_rows => ?)",
        cutoff,
        maxRows);
  }

  private static boolean exists(UUID partition) {
    return sql.number("select count(*) from queen.log_partitions where id = ?", partition) == 1;
  }

  private static long count(String table, UUID partition) {
    return sql.number("select count(*) from queen." + table + " where partition_id = ?", partition);
  }

  private static void assertStep(JsonNode step, long deleted, boolean done) {
    assertThat(step.get("deleted").asLong() + " deleted, done " + step.get("done").asBoolean())
        .isEqualTo(deleted + " deleted, done " + done);
  }
}

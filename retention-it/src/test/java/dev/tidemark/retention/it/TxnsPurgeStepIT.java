package dev.tidemark.retention.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code log_txns_purge_step_v1}: the hash sidecar, on a clock of its own. */
class TxnsPurgeStepIT {
  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private UUID partition;
  private Instant start;

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
  void fiveRowsAnHourApart() {
    partition = log.partition("purge", UUID.randomUUID().toString());
    start = log.ago(Duration.ofDays(10));
    for (int i = 0; i < 5; i++) {
      log.append(partition, hour(i), 2);
    }
  }

  @AfterEach
  void invariantsHold() {
    assertThat(Invariants.broken(sql)).isEmpty();
  }

  @Test
  void rowsOlderThanTheCutoffGoAndTheMarkMovesWithThem() {
    assertStep(log.purgeStep(partition, hour(2), 100), 2, 4, true);
    assertThat(log.row(partition).txnsStart()).isEqualTo(4);
    assertThat(log.row(partition).oldestTxnAt()).isEqualTo(hour(2));
  }

  @Test
  void aRowExactlyAsOldAsTheCutoffSurvivesAndAMicrosecondOlderGoes() {
    assertStep(log.purgeStep(partition, hour(0), 100), 0, 0, true);
    assertStep(log.purgeStep(partition, hour(0).plus(Duration.ofNanos(1000)), 100), 1, 2, true);
  }

  @Test
  void aClippedBatchIsFullAndNotDone() {
    assertStep(log.purgeStep(partition, hour(9), 2), 2, 4, false);
    assertStep(log.purgeStep(partition, hour(9), 2), 2, 8, false);
    assertStep(log.purgeStep(partition, hour(9), 2), 1, 10, true);
    assertThat(log.row(partition).oldestTxnAt()).isNull();
    assertThat(log.row(partition).txnsStart()).isEqualTo(10);
    assertStep(log.purgeStep(partition, hour(9), 2), 0, 10, true);
  }

  @Test
  void exactlyOneBatchLeftIsDone() {
    assertStep(log.purgeStep(partition, hour(9), 5), 5, 10, true);
  }

  @Test
  void aFreshRowRightAtTheHorizonIsTheNextCallsQuestion() {
    assertStep(log.purgeStep(partition, hour(2), 2), 2, 4, false);
    assertStep(log.purgeStep(partition, hour(2), 2), 0, 4, true);
  }

  @Test
  void aNullCutoffPurgesNothing() {
    assertStep(log.purgeStep(partition, null, 100), 0, 0, true);
  }

  @Test
  void anEmptySidecarIsDone() {
    UUID empty = log.partition("purge", UUID.randomUUID().toString());
    assertStep(log.purgeStep(empty, hour(9), 100), 0, 0, true);
  }

  @Test
  void aVanishedPartitionIsDone() {
    JsonNode step = log.purgeStep(UUID.randomUUID(), hour(9), 100);
    assertThat(step.get("deleted").asLong()).isZero();
    assertThat(step.get("new_txns_start").isNull()).isTrue();
    assertThat(step.get("done").asBoolean()).isTrue();
  }

  @Test
  void theSegmentsAndTheHistoryAreNotTouched() {
    log.purgeStep(partition, hour(9), 100);
    assertThat(log.segments(partition)).hasSize(5);
    assertThat(log.row(partition).logStart()).isZero();
    assertThat(log.row(partition).oldestLiveAt()).isEqualTo(hour(0));
    assertThat(log.history(partition)).isEmpty();
  }

  @Test
  void theSidecarIsPurgedFarBelowTheLogAndFarAboveIt() {
    log.retentionStep(partition, hour(4), null, 100);
    assertThat(log.row(partition).logStart()).isEqualTo(8);
    assertStep(log.purgeStep(partition, hour(2), 100), 2, 4, true);
    assertStep(log.purgeStep(partition, hour(9), 100), 3, 10, true);
  }

  @Test
  void aPurgedSidecarRefills() {
    log.purgeStep(partition, hour(9), 100);
    log.append(partition, hour(9), 1);
    assertThat(log.row(partition).oldestTxnAt()).isEqualTo(hour(9));
    assertStep(log.purgeStep(partition, hour(10), 100), 1, 11, true);
  }

  @Test
  void thePurgeWaitsForAPusherAndSeesWhatItCommitted() {
    try (Sql pusher = database.connect();
        Sql stepper = database.connect()) {
      pusher.begin();
      new TestLog(pusher).append(partition, hour(5), 2);
      Waiting.Elsewhere<JsonNode> step =
          Waiting.blocked(
              sql, stepper, session -> new TestLog(session).purgeStep(partition, hour(9), 100));
      pusher.commit();
      assertStep(step.get(), 6, 12, true);
    }
  }

  @Test
  void aRollbackTakesRowsAndMarkBackTogether() {
    TestLog.Row before = log.row(partition);
    sql.begin();
    log.purgeStep(partition, hour(9), 100);
    sql.rollback();
    assertThat(log.row(partition)).isEqualTo(before);
    assertThat(rows()).isEqualTo(5);
  }

  private long rows() {
    return sql.number("select count(*) from queen.log_txns where partition_id = ?", partition);
  }

  private Instant hour(int hour) {
    return start.plus(Duration.ofHours(hour));
  }

  private static void assertStep(JsonNode step, long deleted, long txnsStart, boolean done) {
    assertThat(
            step.get("deleted").asLong()
                + " deleted, txns_start "
                + step.get("new_txns_start").asLong()
                + ", done "
                + step.get("done").asBoolean())
        .isEqualTo(deleted + " deleted, txns_start " + txnsStart + ", done " + done);
  }
}

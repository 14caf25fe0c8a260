package dev.tidemark.retention.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestLog.History;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code log_evict_max_wait_step_v1}: data loss by design, whoever still wanted the data. */
class EvictMaxWaitStepIT {
  private static final String TYPE = "max_wait_time_eviction";

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
    log.configure("evict", "{\"retentionEnabled\": false}");
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void threeSegmentsAnHourApart() {
    partition = log.partition("evict", UUID.randomUUID().toString());
    start = log.ago(Duration.ofDays(10));
    for (int i = 0; i < 3; i++) {
      log.append(partition, hour(i), 2);
    }
  }

  @AfterEach
  void invariantsHold() {
    assertThat(Invariants.broken(sql)).isEmpty();
  }

  @Test
  void unconsumedDataGoesWithRetentionDisabledAndIsNotDeadLettered() {
    log.commit(partition, "slow", -1);
    JsonNode step = log.evictStep(partition, hour(2), 100);
    assertThat(step.get("deleted").asLong()).isEqualTo(2);
    assertThat(step.get("new_log_start").asLong()).isEqualTo(4);
    assertThat(step.get("done").asBoolean()).isTrue();
    assertThat(log.history(partition)).containsExactly(new History(2, 4, TYPE));
    assertThat(sql.number("select count(*) from queen.log_dlq")).isZero();
  }

  @Test
  void leasedDataGoesAndTheLeaseItselfStays() {
    sql.run(
        "insert into queen.log_consumers (partition_id, consumer_group, committed, batch_end, worker_id, lease_expires_at, lease_acquired_at)"
            + " values (?, 'busy', 0, 3, 'w', now() + interval '5 minutes', now())",
        partition);
    log.evictStep(partition, hour(9), 100);
    assertThat(log.segments(partition)).isEmpty();
    JsonNode ack =
        sql.json(
            "select queen.log_ack_v1(p_partition_id => ?, p_group => 'busy', p_worker => 'w', p_offset => 3)",
            partition);
    assertThat(ack.get("acked").asBoolean()).as("harmless after the eviction").isTrue();
  }

  @Test
  void whatEveryGroupConsumedIsEvictedUnderTheSameName() {
    log.commit(partition, "all", 5);
    log.evictStep(partition, hour(9), 100);
    assertThat(log.history(partition)).containsExactly(new History(3, 6, TYPE));
  }

  @Test
  void aSegmentExactlyAsOldAsTheCutoffSurvivesAndAMicrosecondOlderGoes() {
    assertThat(log.evictStep(partition, hour(0), 100).get("deleted").asLong()).isZero();
    assertThat(
            log.evictStep(partition, hour(0).plus(Duration.ofNanos(1000)), 100)
                .get("deleted")
                .asLong())
        .isEqualTo(1);
  }

  @Test
  void theBatchBoundHolds() {
    JsonNode step = log.evictStep(partition, hour(9), 1);
    assertThat(step.get("deleted").asLong()).isEqualTo(1);
    assertThat(step.get("done").asBoolean()).isFalse();
    assertThat(log.row(partition).oldestLiveAt()).isEqualTo(hour(1));
  }

  @Test
  void aNullCutoffEvictsNothing() {
    log.commit(partition, "all", 5);
    assertThat(log.evictStep(partition, null, 100).get("deleted").asLong()).isZero();
    assertThat(log.history(partition)).isEmpty();
  }

  @Test
  void aVanishedPartitionIsDone() {
    JsonNode step = log.evictStep(UUID.randomUUID(), hour(9), 100);
    assertThat(step.get("deleted").asLong()).isZero();
    assertThat(step.get("done").asBoolean()).isTrue();
  }

  private Instant hour(int hour) {
    return start.plus(Duration.ofHours(hour));
  }
}

package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.SqlFailure;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestLog.History;
import dev.tidemark.retention.it.support.TestLog.Segment;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code log_retention_step_v1}: which segments one call deletes, and what it leaves behind. */
class RetentionStepIT {
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
  void anEmptyPartition() {
    partition = log.partition("steps", UUID.randomUUID().toString());
    start = log.ago(Duration.ofDays(10));
  }

  @AfterEach
  void invariantsHold() {
    assertThat(Invariants.broken(sql)).isEmpty();
  }

  // Rule 1: age.

  @Test
  void ageDeletesFromTheHeadAndStopsAtTheFirstFreshSegment() {
    segments(3, 2, 4, 1);
    JsonNode step = log.retentionStep(partition, hour(2), null, 100);
    assertStep(step, 2, 5, true);
    assertThat(log.segments(partition)).extracting(Segment::base).containsExactly(5L, 9L);
    assertThat(log.row(partition).logStart()).isEqualTo(5);
    assertThat(log.row(partition).oldestLiveAt()).isEqualTo(hour(2));
  }

  @Test
  void ageDeletesWhatNobodyConsumed() {
    segments(2, 2);
    log.commit(partition, "slow", -1);
    assertStep(log.retentionStep(partition, hour(9), null, 100), 2, 4, true);
  }

  @Test
  void aSegmentExactlyAsOldAsTheCutoffSurvives() {
    segments(1, 1);
    assertStep(log.retentionStep(partition, hour(0), null, 100), 0, 0, true);
    assertStep(log.retentionStep(partition, hour(1), null, 100), 1, 1, true);
    assertThat(log.segments(partition)).extracting(Segment::base).containsExactly(1L);
  }

  @Test
  void aSegmentOneMicrosecondOlderThanTheCutoffGoes() {
    segments(1, 1);
    assertStep(
        log.retentionStep(partition, hour(1).plus(Duration.ofNanos(1000)), null, 100), 2, 2, true);
  }

  @Test
  void segmentsOfOneInstantStayOrGoTogether() {
    for (int i = 0; i < 3; i++) {
      log.append(partition, start, 1);
    }
    assertStep(log.retentionStep(partition, start, null, 100), 0, 0, true);
    assertStep(
        log.retentionStep(partition, start.plus(Duration.ofNanos(1000)), null, 100), 3, 3, true);
  }

  @Test
  void anAllStaleLogEmptiesToTheOffsetAfterTheLast() {
    segments(3, 3, 3);
    assertStep(log.retentionStep(partition, hour(9), null, 100), 3, 9, true);
    assertThat(log.segments(partition)).isEmpty();
    assertThat(log.row(partition).logStart()).isEqualTo(9);
    assertThat(log.row(partition).oldestLiveAt()).isNull();
  }

  @Test
  void anEmptyPartitionGivesNothing() {
    assertStep(log.retentionStep(partition, hour(9), hour(9), 100), 0, 0, true);
    assertThat(log.history(partition)).isEmpty();
  }

  @Test
  void anEmptiedPartitionRefills() {
    segments(2);
    log.retentionStep(partition, hour(9), null, 100);
    long base = log.append(partition, hour(10), 3);
    assertThat(base).isEqualTo(2);
    assertThat(log.row(partition).oldestLiveAt()).isEqualTo(hour(10));
    assertStep(log.retentionStep(partition, hour(11), null, 100), 1, 5, true);
  }

  // The batch.

  @Test
  void aBatchClippedAtTheHorizonIsFullAndNotDone() {
    segments(2, 2, 2, 2, 2);
    assertStep(log.retentionStep(partition, hour(9), null, 2), 2, 4, false);
    assertThat(log.row(partition).oldestLiveAt()).isEqualTo(hour(2));
    assertStep(log.retentionStep(partition, hour(9), null, 2), 2, 8, false);
    assertStep(log.retentionStep(partition, hour(9), null, 2), 1, 10, true);
    assertStep(log.retentionStep(partition, hour(9), null, 2), 0, 10, true);
  }

  @Test
  void exactlyOneBatchLeftGoesInOneStepThatIsDone() {
    segments(1, 1, 1);
    assertStep(log.retentionStep(partition, hour(9), null, 3), 3, 3, true);
  }

  @Test
  void aFreshSegmentRightAtTheHorizonIsTheNextCallsQuestion() {
    segments(1, 1, 1);
    assertStep(log.retentionStep(partition, hour(2), null, 2), 2, 2, false);
    assertStep(log.retentionStep(partition, hour(2), null, 2), 0, 2, true);
  }

  @Test
  void theBatchCountsSegmentsAndHistoryCountsMessages() {
    segments(7, 11, 13);
    assertStep(log.retentionStep(partition, hour(9), null, 2), 2, 18, false);
    assertThat(log.history(partition)).containsExactly(new History(2, 18, "retention"));
  }

  @Test
  void theLargestBatchIsNoOverflow() {
    segments(1, 1);
    assertStep(log.retentionStep(partition, hour(9), null, Integer.MAX_VALUE), 2, 2, true);
  }

  // Rule 2: age and consumption.

  @Test
  void consumedSegmentsGoUpToTheSlowestGroup() {
    segments(2, 2, 2, 2);
    log.commit(partition, "fast", 7);
    log.commit(partition, "slow", 3);
    log.commit(partition, "middle", 5);
    assertStep(log.retentionStep(partition, null, hour(9), 100), 2, 4, true);
    assertThat(log.history(partition)).containsExactly(new History(2, 4, "completed_retention"));
  }

  @Test
  void nothingIsConsumedWhereThereIsNoCursor() {
    segments(2, 2);
    assertStep(log.retentionStep(partition, null, hour(9), 100), 0, 0, true);
  }

  @Test
  void aGroupThatHasCommittedNothingKeepsEverything() {
    segments(2, 2);
    log.commit(partition, "fast", 3);
    log.commit(partition, "new", -1);
    assertStep(log.retentionStep(partition, null, hour(9), 100), 0, 0, true);
  }

  @Test
  void consumedButYoungSegmentsStay() {
    segments(2, 2, 2);
    log.commit(partition, "all", 5);
    assertStep(log.retentionStep(partition, null, hour(1), 100), 1, 2, true);
  }

  @Test
  void aCapInsideASegmentKeepsTheCoveringSegment() {
    segments(4, 4, 4);
    log.commit(partition, "inside", 5);
    assertStep(log.retentionStep(partition, null, hour(9), 100), 1, 4, true);
    assertThat(log.row(partition).logStart()).as("not the cap").isEqualTo(4);
    assertThat(log.row(partition).oldestLiveAt()).isEqualTo(hour(1));
  }

  @Test
  void aCapInsideTheHeadSegmentDeletesNothing() {
    segments(4, 4);
    log.commit(partition, "inside", 2);
    assertStep(log.retentionStep(partition, null, hour(9), 100), 0, 0, true);
    assertThat(log.history(partition)).isEmpty();
  }

  @Test
  void aCapAtASegmentsEndTakesThatSegment() {
    segments(4, 4, 4);
    log.commit(partition, "through", 7);
    assertStep(log.retentionStep(partition, null, hour(9), 100), 2, 8, true);
  }

  @Test
  void aCapOneShortOfASegmentsEndKeepsThatSegment() {
    segments(4, 4, 4);
    log.commit(partition, "nearly", 6);
    assertStep(log.retentionStep(partition, null, hour(9), 100), 1, 4, true);
  }

  @Test
  void ruleTwoIsClippedAtTheHorizonToo() {
    segments(2, 2, 2, 2);
    log.commit(partition, "all", 7);
    assertStep(log.retentionStep(partition, null, hour(9), 3), 3, 6, false);
    assertStep(log.retentionStep(partition, null, hour(9), 3), 1, 8, true);
  }

  @Test
  void aCapBelowTheHorizonIsDone() {
    segments(2, 2, 2, 2);
    log.commit(partition, "some", 3);
    assertStep(log.retentionStep(partition, null, hour(9), 3), 2, 4, true);
  }

  @Test
  void aCursorBelowLogStartHoldsBackEverythingFromRuleTwo() {
    segments(2, 2, 2);
    log.commit(partition, "old", 0);
    log.retentionStep(partition, hour(2), null, 100);
    assertStep(log.retentionStep(partition, null, hour(9), 100), 0, 4, true);
    assertThat(log.row(partition).logStart()).isEqualTo(4);
  }

  @Test
  void aCursorCannotBeMovedPastTheEnd() {
    segments(2, 2);
    assertRefused("22023", () -> log.commit(partition, "eager", 4));
    log.commit(partition, "eager", 3);
    assertStep(log.retentionStep(partition, null, hour(9), 100), 2, 4, true);
  }

  @Test
  void aCursorThatIsPastTheEndAllTheSameDoesNotMoveLogStartThere() {
    segments(2, 2);
    sql.run(
        "insert into queen.log_consumers (partition_id, consumer_group, committed) values (?, 'wild', 1000)",
        partition);
    assertStep(log.retentionStep(partition, null, hour(9), 100), 2, 4, true);
    assertThat(log.row(partition).logStart()).isEqualTo(4);
  }

  // Both rules.

  @Test
  void theHigherRuleDecidesAndIsNamed() {
    segments(1, 1, 1, 1);
    log.commit(partition, "all", 3);
    JsonNode step = log.retentionStep(partition, hour(1), hour(3), 100);
    assertStep(step, 3, 3, true);
    assertThat(step.get("retention_type").asText()).isEqualTo("completed_retention");
    assertThat(log.history(partition)).containsExactly(new History(3, 3, "completed_retention"));
  }

  @Test
  void theFirstRuleIsNamedWhenItReachesHigher() {
    segments(1, 1, 1, 1);
    log.commit(partition, "one", 0);
    assertStep(log.retentionStep(partition, hour(3), hour(9), 100), 3, 3, true);
    assertThat(log.history(partition)).containsExactly(new History(3, 3, "retention"));
  }

  @Test
  void theFirstRuleIsNamedWhenBothReachEquallyHigh() {
    segments(1, 1, 1, 1);
    log.commit(partition, "all", 3);
    log.retentionStep(partition, hour(2), hour(2), 100);
    assertThat(log.history(partition)).containsExactly(new History(2, 2, "retention"));
  }

  @Test
  void theGivenHistoryTypeIsWritten() {
    segments(1, 1);
    special("special");
    assertThat(log.history(partition)).containsExactly(new History(1, 1, "special"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Special", "_mine", "__x__", "1st", "two words", "a-b", "\u00e4"})
  void aHistoryTypeThatIsNoLowerCaseWordIsRefused(String type) {
    segments(1, 1);
    refused("22023", () -> special(type), "p_history_type", "not " + type);
    refused("22023", () -> special("a".repeat(64)), "p_history_type");
    assertThat(log.history(partition)).isEmpty();
    special("a".repeat(63));
    assertThat(log.history(partition)).containsExactly(new History(1, 1, "a".repeat(63)));
  }

  @Test
  void aNullCutoffTurnsItsRuleOff() {
    segments(1, 1, 1);
    log.commit(partition, "all", 2);
    assertStep(log.retentionStep(partition, null, null, 100), 0, 0, true);
    assertStep(log.retentionStep(partition, null, hour(1), 100), 1, 1, true);
    assertStep(log.retentionStep(partition, hour(2), null, 100), 1, 2, true);
    assertThat(log.history(partition))
        .containsExactly(new History(1, 1, "completed_retention"), new History(1, 1, "retention"));
  }

  // What it records.

  @Test
  void everyDeletingStepWritesOneHistoryRowAndAnIdleOneWritesNone() {
    segments(2, 3, 4);
    log.retentionStep(partition, hour(9), null, 1);
    log.retentionStep(partition, hour(9), null, 1);
    log.retentionStep(partition, hour(9), null, 1);
    log.retentionStep(partition, hour(9), null, 1);
    assertThat(log.history(partition))
        .containsExactly(
            new History(1, 2, "retention"),
            new History(1, 3, "retention"),
            new History(1, 4, "retention"));
    assertThat(
            sql.number(
                "select count(*) from queen.retention_history h join queen.queues q on q.id = h.queue_id"
                    + " where h.partition_id = ? and q.name = 'steps'",
                partition))
        .isEqualTo(3);
  }

  @Test
  void theSidecarAndTheCursorsStayAsTheyWere() {
    segments(2, 2);
    log.commit(partition, "all", 3);
    log.retentionStep(partition, hour(9), hour(9), 100);
    assertThat(sql.number("select count(*) from queen.log_txns where partition_id = ?", partition))
        .isEqualTo(2);
    assertThat(log.row(partition).txnsStart()).isZero();
    assertThat(log.row(partition).oldestTxnAt()).isEqualTo(hour(0));
    assertThat(
            sql.number(
                "select committed from queen.log_consumers where partition_id = ?", partition))
        .isEqualTo(3);
  }

  @Test
  void anotherPartitionOfTheQueueIsNotTouched() {
    segments(2, 2);
    UUID other = log.partition("steps", UUID.randomUUID().toString());
    log.append(other, hour(0), 5);
    log.retentionStep(partition, hour(9), null, 100);
    assertThat(log.segments(other)).hasSize(1);
    assertThat(log.history(other)).isEmpty();
  }

  @Test
  void aVanishedPartitionIsDone() {
    JsonNode step = log.retentionStep(UUID.randomUUID(), hour(9), hour(9), 100);
    assertThat(step.get("deleted").asLong()).isZero();
    assertThat(step.get("new_log_start").isNull()).isTrue();
    assertThat(step.get("done").asBoolean()).isTrue();
  }

  @Test
  void aNullPartitionIsRefused() {
    assertRefused("22023", () -> log.retentionStep(null, hour(9), null, 100));
  }

  // Odd logs.

  @Test
  void aDeadHeadBelowTheFirstLiveSegmentIsNoObstacle() {
    sql.run(
        "update queen.log_partitions set last_offset = 999999, txns_start = 1000000 where id = ?",
        partition);
    insertSegment(999_990, 999_994, hour(0));
    insertSegment(999_995, 999_999, hour(1));
    assertStep(log.retentionStep(partition, hour(1), null, 1), 1, 999_995, false);
    assertThat(log.row(partition).oldestLiveAt()).isEqualTo(hour(1));
    assertStep(log.retentionStep(partition, hour(1), null, 1), 0, 999_995, true);
  }

  @Test
  void offsetsReachTheEndOfBigint() {
    long last = Long.MAX_VALUE - 1;
    sql.run(
        "update queen.log_partitions set last_offset = ?, log_start = ?, txns_start = ? + 1, oldest_live_at = ? where id = ?",
        last,
        last - 9,
        last,
        hour(0),
        partition);
    insertSegment(last - 9, last - 5, hour(0));
    insertSegment(last - 4, last - 1, hour(1));
    insertSegment(last, last, hour(2));
    log.commit(partition, "inside", last - 3);
    assertStep(log.retentionStep(partition, null, hour(9), 100), 1, last - 4, true);
    log.commit(partition, "inside", last);
    assertStep(log.retentionStep(partition, null, hour(9), 1), 1, last, false);
    assertStep(log.retentionStep(partition, hour(9), hour(9), 1), 1, Long.MAX_VALUE, true);
    assertThat(log.row(partition).logStart()).isEqualTo(Long.MAX_VALUE);
    assertStep(log.retentionStep(partition, hour(9), hour(9), 1), 0, Long.MAX_VALUE, true);
  }

  @Test
  void oneSegmentOfTwoBillionMessagesIsOneSegment() {
    long messages = 2_500_000_000L;
    sql.run(
        "update queen.log_partitions set last_offset = ? - 1, txns_start = ?, oldest_live_at = ? where id = ?",
        messages,
        messages,
        hour(0),
        partition);
    insertSegment(0, messages - 1, hour(0));
    assertStep(log.retentionStep(partition, hour(1), null, 1), 1, messages, true);
    assertThat(log.history(partition)).containsExactly(new History(1, messages, "retention"));
  }

  private void special(String type) {
    sql.json(
        "select queen.log_retention_step_v1(p_pid => ?, p_all_cutoff => ?, p_completed_cutoff => null, p_max_rows => 1, p_history_type => ?)",
        partition,
        hour(9),
        type);
  }

  private void segments(int... messages) {
    for (int i = 0; i < messages.length; i++) {
      log.append(partition, hour(i), messages[i]);
    }
  }

  private Instant hour(int hour) {
    return start.plus(Duration.ofHours(hour));
  }

  private void insertSegment(long base, long end, Instant createdAt) {
    sql.run(
        "insert into queen.log_segments (partition_id, base_offset, end_offset, created_at, blob) values (?, ?, ?, ?, '')",
        partition,
        base,
        end,
        createdAt);
  }

  private static void assertStep(JsonNode step, long deleted, long logStart, boolean done) {
    assertThat(
            step.get("deleted").asLong()
                + " deleted, log_start "
                + step.get("new_log_start").asLong()
                + ", done "
                + step.get("done").asBoolean())
        .isEqualTo(deleted + " deleted, log_start " + logStart + ", done " + done);
  }

  private static void assertRefused(String state, Runnable call) {
    assertThatExceptionOfType(SqlFailure.class)
        .isThrownBy(call::run)
        .extracting(SqlFailure::state)
        .isEqualTo(state);
  }
}

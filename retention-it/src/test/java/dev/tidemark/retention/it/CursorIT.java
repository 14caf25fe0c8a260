package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code log_seek_v1}, {@code log_ack_v1} and {@code log_group_delete_v1}. */
class CursorIT {
  private static final String CURSOR =
      "select committed, batch_end, worker_id, lease_expires_at is not null as leased,"
          + " lease_acquired_at is not null as acquired, batch_retry_count, total_consumed"
          + " from queen.log_consumers where partition_id = ? and consumer_group = ?";

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private String queue;
  private UUID partition;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    log = new TestLog(sql);
  }

  @AfterAll
  static void close() {
    assertThat(Invariants.broken(sql)).isEmpty();
    database.close();
  }

  /** Three segments: 0..3, 4..7, 8..11. */
  @BeforeEach
  void aPartitionOfTwelveMessages() {
    queue = UUID.randomUUID().toString();
    partition = log.partition(queue, "p");
    for (int hours = 3; hours >= 1; hours--) {
      log.append(partition, log.ago(Duration.ofHours(hours)), 4);
    }
  }

  @Test
  void aSeekJoinsAGroupThatHadNoCursor() {
    assertThat(seek(partition, "g", 5).get("committed").asLong()).isEqualTo(4);
    assertThat(cursor("g")).containsEntry("committed", 4L).containsEntry("total_consumed", 0L);
  }

  @Test
  void aSeekMovesTheCursorEitherWayAndConsumesNothing() {
    seek(partition, "g", 12);
    assertThat(cursor("g")).containsEntry("committed", 11L);
    seek(partition, "g", 0);
    assertThat(cursor("g")).containsEntry("committed", -1L).containsEntry("total_consumed", 0L);
    seek(partition, "other", 7);
    assertThat(cursor("g")).containsEntry("committed", -1L);
  }

  @Test
  void aSeekBelowTheFirstLiveSegmentIsAllowed() {
    log.retentionStep(partition, log.ago(Duration.ofMinutes(90)), null, 10);
    assertThat(log.row(partition).logStart()).isEqualTo(8);
    seek(partition, "g", 2);
    assertThat(cursor("g")).containsEntry("committed", 1L);
  }

  @Test
  void aSeekStaysWithinTheLog() {
    refused("22023", () -> seek(partition, "g", 13), "p_offset", "from 0 to 12", "not 13");
    refused("22023", () -> seek(partition, "g", Long.MAX_VALUE), "p_offset");
    refused("22023", () -> seek(partition, "g", -1), "p_offset", "not -1");
    refused("22023", () -> seek(partition, "g", Long.MIN_VALUE), "p_offset");
    refused("22023", () -> seek(partition, "g", null), "p_offset", "null");
    assertThat(sql.rows(CURSOR, partition, "g")).isEmpty();
  }

  @Test
  void aSeekNeedsAPartitionAndAGroup() {
    UUID unknown = UUID.randomUUID();
    refused("TM004", () -> seek(unknown, "g", 0), unknown.toString());
    refused("22023", () -> seek(null, "g", 0), "p_partition_id");
    refused("22023", () -> seek(partition, null, 0), "p_group");
    refused("22023", () -> seek(partition, "", 0), "p_group");
  }

  @Test
  void aSeekNeedsReadCommitted() {
    sql.begin();
    sql.run("set transaction isolation level serializable");
    refused("TM001", () -> seek(partition, "g", 0), "log_seek_v1");
    sql.rollback();
  }

  @Test
  void aSeekEndsTheLeaseSoItsWorkerNoLongerAcks() {
    lease("g", -1, 7, "w");
    sql.run(
        "update queen.log_consumers set batch_retry_count = 2 where partition_id = ?", partition);
    seek(partition, "g", 4);
    assertThat(cursor("g"))
        .containsEntry("batch_end", null)
        .containsEntry("worker_id", null)
        .containsEntry("leased", false)
        .containsEntry("acquired", false)
        .containsEntry("batch_retry_count", 0);
    assertThat(ack(partition, "g", "w", 7L).toString())
        .isEqualTo("{\"acked\":false,\"committed\":3}");
  }

  @Test
  void aSeekWaitsForTheStepThatHoldsThePartition() {
    seek(partition, "g", 12);
    try (Sql stepping = database.connect();
        Sql seeking = database.connect()) {
      stepping.begin();
      TestLog other = new TestLog(stepping);
      assertThat(
              other
                  .retentionStep(partition, null, log.ago(Duration.ZERO), 1)
                  .get("deleted")
                  .asInt())
          .isOne();
      Waiting.Elsewhere<JsonNode> later =
          Waiting.blocked(sql, seeking, s -> seek(s, partition, "g", 0));
      // Decided on the cursor as it was: the seek comes after.
      assertThat(
              other
                  .retentionStep(partition, null, log.ago(Duration.ZERO), 1)
                  .get("deleted")
                  .asInt())
          .isOne();
      stepping.commit();
      assertThat(later.get().get("committed").asLong()).isEqualTo(-1);
    }
    assertThat(log.row(partition).logStart()).isEqualTo(8);
  }

  @Test
  void aStepThatWaitedForASeekBackDeletesNothing() {
    seek(partition, "g", 12);
    Instant cutoff = log.ago(Duration.ZERO);
    try (Sql seeking = database.connect();
        Sql stepping = database.connect()) {
      seeking.begin();
      seek(seeking, partition, "g", 0);
      Waiting.Elsewhere<JsonNode> step =
          Waiting.blocked(
              sql, stepping, s -> new TestLog(s).retentionStep(partition, null, cutoff, 10));
      seeking.commit();
      assertThat(step.get().get("deleted").asInt()).isZero();
    }
    assertThat(log.segments(partition)).hasSize(3);
  }

  /** The pop has inserted the cursor when its foreign key asks for the partition. */
  @Test
  void aFirstPopAndASeekOfTheSameGroupThatWaitForOneStepDoNotDeadlock() {
    try (Sql stepping = database.connect();
        Sql seeking = database.connect();
        Sql popping = database.connect()) {
      stepping.begin();
      new TestLog(stepping).retentionStep(partition, log.ago(Duration.ofHours(2)), null, 1);
      Waiting.Elsewhere<JsonNode> seek =
          Waiting.blocked(sql, seeking, s -> seek(s, partition, "g", 8));
      Waiting.Elsewhere<Integer> pop =
          Waiting.blocked(
              sql,
              popping,
              s -> s.rows("select 1 from queen.log_pop_v1(?, 'p', 'g', 'w', 2, 60)", queue).size());
      stepping.commit();
      assertThat(seek.get().get("committed").asLong()).isEqualTo(7);
      assertThat(pop.get()).isOne();
    }
    assertThat(cursor("g")).as("whoever was last").containsEntry("committed", 7L);
  }

  @Test
  void norWithASecondStepBehindTheSeek() {
    try (Sql stepping = database.connect();
        Sql seeking = database.connect();
        Sql waiting = database.connect();
        Sql popping = database.connect()) {
      Instant cutoff = log.ago(Duration.ofHours(2));
      stepping.begin();
      new TestLog(stepping).retentionStep(partition, cutoff, null, 1);
      Waiting.Elsewhere<JsonNode> seek =
          Waiting.blocked(sql, seeking, s -> seek(s, partition, "g", 8));
      Waiting.Elsewhere<JsonNode> step =
          Waiting.blocked(
              sql, waiting, s -> new TestLog(s).retentionStep(partition, cutoff, null, 1));
      Waiting.Elsewhere<Integer> pop =
          Waiting.blocked(
              sql,
              popping,
              s -> s.rows("select 1 from queen.log_pop_v1(?, 'p', 'g', 'w', 2, 60)", queue).size());
      stepping.commit();
      assertThat(seek.get().get("committed").asLong()).isEqualTo(7);
      assertThat(step.get().get("deleted").asLong()).isEqualTo(1);
      assertThat(pop.get()).isOne();
    }
    assertThat(cursor("g")).as("whoever was last").containsEntry("committed", 7L);
  }

  @Test
  void anAckMayLandInTheMiddleOfASegmentAndKeepsTheLease() {
    lease("g", -1, 7, "w");
    assertThat(ack(partition, "g", "w", 5L).toString())
        .isEqualTo("{\"acked\":true,\"committed\":5}");
    assertThat(cursor("g"))
        .containsEntry("committed", 5L)
        .containsEntry("batch_end", 7L)
        .containsEntry("worker_id", "w")
        .containsEntry("leased", true)
        .containsEntry("acquired", true)
        .containsEntry("total_consumed", 6L);
    log.retentionStep(partition, null, log.ago(Duration.ZERO), 10);
    assertThat(log.row(partition).logStart()).as("4..7 is half consumed").isEqualTo(4);
  }

  @Test
  void theAckOfABatchsEndEndsTheLease() {
    lease("g", -1, 7, "w");
    ack(partition, "g", "w", 3L);
    assertThat(ack(partition, "g", "w", 7L).get("acked").asBoolean()).isTrue();
    assertThat(cursor("g"))
        .containsEntry("committed", 7L)
        .containsEntry("batch_end", null)
        .containsEntry("worker_id", null)
        .containsEntry("leased", false)
        .containsEntry("acquired", false)
        .containsEntry("total_consumed", 8L);
  }

  @Test
  void anotherWorkerDoesNotAck() {
    lease("g", -1, 7, "w");
    Map<String, Object> before = cursor("g");
    assertThat(ack(partition, "g", "v", 3L).toString())
        .isEqualTo("{\"acked\":false,\"committed\":-1}");
    assertThat(ack(partition, "g", "", 3L).get("acked").asBoolean()).isFalse();
    assertThat(cursor("g")).isEqualTo(before);
  }

  @Test
  void anAckPastTheBatchChangesNothing() {
    lease("g", -1, 7, "w");
    Map<String, Object> before = cursor("g");
    assertThat(ack(partition, "g", "w", 8L).toString())
        .isEqualTo("{\"acked\":false,\"committed\":-1}");
    assertThat(ack(partition, "g", "w", Long.MAX_VALUE).get("acked").asBoolean()).isFalse();
    assertThat(cursor("g")).isEqualTo(before);
  }

  @Test
  void theRetryOfAnAckWhoseAnswerWasLostIsAckedAgain() {
    lease("g", -1, 7, "w");
    ack(partition, "g", "w", 7L);
    Map<String, Object> before = cursor("g");
    assertThat(ack(partition, "g", "w", 7L).toString())
        .isEqualTo("{\"acked\":true,\"committed\":7}");
    assertThat(cursor("g")).isEqualTo(before);
  }

  @Test
  void anAckAtOrBelowCommittedIsAckedAndChangesNothing() {
    lease("g", 4, 7, "w");
    Map<String, Object> before = cursor("g");
    for (long offset : new long[] {4, 0, -1, Long.MIN_VALUE}) {
      assertThat(ack(partition, "g", "w", offset).toString())
          .isEqualTo("{\"acked\":true,\"committed\":4}");
    }
    assertThat(cursor("g")).isEqualTo(before);
  }

  @Test
  void anUnknownGroupOrPartitionIsNotAcked() {
    assertThat(ack(partition, "nobody", "w", 0L).toString())
        .isEqualTo("{\"acked\":false,\"committed\":null}");
    assertThat(ack(UUID.randomUUID(), "g", "w", 0L).get("acked").asBoolean()).isFalse();
    assertThat(sql.rows(CURSOR, partition, "nobody")).isEmpty();
  }

  @Test
  void anAckAfterTheDataBelowWasEvictedIsHarmless() {
    lease("g", -1, 7, "w");
    log.evictStep(partition, log.ago(Duration.ofMinutes(90)), 10);
    assertThat(log.row(partition).logStart()).isEqualTo(8);
    TestLog.Row before = log.row(partition);
    assertThat(ack(partition, "g", "w", 2L).get("acked").asBoolean()).isTrue();
    assertThat(ack(partition, "g", "w", 7L).get("acked").asBoolean()).isTrue();
    assertThat(cursor("g")).containsEntry("committed", 7L).containsEntry("batch_end", null);
    assertThat(log.row(partition)).isEqualTo(before);
    assertThat(Invariants.broken(sql)).isEmpty();
  }

  @Test
  void anAckNamesTheArgumentThatIsNull() {
    refused("22023", () -> ack(null, "g", "w", 0L), "p_partition_id");
    refused("22023", () -> ack(partition, null, "w", 0L), "p_group");
    refused("22023", () -> ack(partition, "g", null, 0L), "p_worker");
    refused("22023", () -> ack(partition, "g", "w", null), "p_offset");
  }

  @Test
  void anAckDoesNotWaitForAStepOnItsPartition() {
    lease("g", -1, 7, "w");
    try (Sql stepping = database.connect()) {
      stepping.begin();
      new TestLog(stepping).retentionStep(partition, log.ago(Duration.ofHours(2)), null, 1);
      sql.run("set lock_timeout = '5s'");
      assertThat(ack(partition, "g", "w", 7L).get("acked").asBoolean()).isTrue();
      sql.run("reset lock_timeout");
      stepping.commit();
    }
  }

  @Test
  void aDeletedGroupNoLongerPinsAnything() {
    UUID second = log.partition(queue, "q");
    log.append(second, log.ago(Duration.ofHours(1)), 1);
    seek(partition, "slow", 0);
    seek(second, "slow", 0);
    seek(partition, "fast", 12);
    Instant now = log.ago(Duration.ZERO);
    assertThat(log.retentionStep(partition, null, now, 10).get("deleted").asInt()).isZero();

    assertThat(groupDelete(queue, "slow").get("deleted").asInt()).isEqualTo(2);

    assertThat(log.retentionStep(partition, null, now, 10).get("deleted").asInt()).isEqualTo(3);
    assertThat(log.retentionStep(second, null, now, 10).get("deleted").asInt())
        .as("no cursor is left, so nothing counts as consumed")
        .isZero();
  }

  @Test
  void aGroupThatLeavesDuringAStepDoesNotWaitForItAndPinnedWhatTheStepKept() {
    seek(partition, "slow", 4);
    seek(partition, "fast", 12);
    try (Sql stepping = database.connect();
        Sql leaving = database.connect()) {
      stepping.begin();
      assertThat(consumed(stepping)).isOne();
      leaving.run("set lock_timeout = '10s'");
      assertThat(groupDelete(leaving, queue, "slow").get("deleted").asInt()).isOne();
      stepping.commit();
    }
    assertThat(log.row(partition).logStart()).isEqualTo(4);
    assertThat(Invariants.broken(sql)).isEmpty();
    assertThat(consumed(sql)).as("the fast group alone is left").isEqualTo(2);
  }

  @Test
  void aStepDoesNotWaitForAGroupThatIsLeavingAndRespectsItUntilItHasLeft() {
    seek(partition, "slow", 4);
    seek(partition, "fast", 12);
    try (Sql stepping = database.connect();
        Sql leaving = database.connect()) {
      stepping.run("set lock_timeout = '10s'");
      leaving.begin();
      assertThat(groupDelete(leaving, queue, "slow").get("deleted").asInt()).isOne();
      assertThat(consumed(stepping)).isOne();
      leaving.rollback();
      assertThat(consumed(stepping)).as("it stayed after all").isZero();
      leaving.begin();
      groupDelete(leaving, queue, "slow");
      assertThat(consumed(stepping)).isZero();
      leaving.commit();
      assertThat(Invariants.broken(sql)).isEmpty();
      assertThat(consumed(stepping)).isEqualTo(2);
    }
  }

  @Test
  void aGroupThatLeavesAndComesBackDuringAStepPinsAgain() {
    seek(partition, "g", 12);
    try (Sql stepping = database.connect();
        Sql leaving = database.connect()) {
      stepping.begin();
      assertThat(
              new TestLog(stepping)
                  .retentionStep(partition, null, log.ago(Duration.ZERO), 1)
                  .get("deleted")
                  .asInt())
          .isOne();
      leaving.run("set lock_timeout = '10s'");
      groupDelete(leaving, queue, "g");
      leaving.run("reset lock_timeout");
      Waiting.Elsewhere<JsonNode> back =
          Waiting.blocked(sql, leaving, s -> seek(s, partition, "g", 8));
      assertThat(consumed(stepping)).as("nobody is left to have consumed").isZero();
      stepping.commit();
      back.get();
      assertThat(consumed(stepping)).isOne();
    }
    assertThat(log.row(partition).logStart()).isEqualTo(8);
  }

  /** What a step of rule 2 takes, age aside. */
  private int consumed(Sql session) {
    return new TestLog(session)
        .retentionStep(partition, null, log.ago(Duration.ZERO), 10)
        .get("deleted")
        .asInt();
  }

  @Test
  void aDeletedGroupLosesItsSubscriptionAndPositionAndNoOtherDoes() {
    String elsewhere = UUID.randomUUID().toString();
    UUID foreign = log.partition(elsewhere, "p");
    for (String group : new String[] {"g", "h"}) {
      for (String each : new String[] {queue, elsewhere}) {
        sql.run(
            "insert into queen.consumer_groups_metadata (queue_id, consumer_group) select id, ?"
                + " from queen.queues where name = ?",
            group,
            each);
        sql.run(
            "insert into queen.consumer_watermarks (queue_id, consumer_group) select id, ? from"
                + " queen.queues where name = ?",
            group,
            each);
      }
      seek(partition, group, 0);
      seek(foreign, group, 0);
    }

    assertThat(groupDelete(queue, "g").get("deleted").asInt()).isOne();

    for (String table : new String[] {"consumer_groups_metadata", "consumer_watermarks"}) {
      assertThat(
              sql.rows(
                  "select q.name, t.consumer_group from queen."
                      + table
                      + " t join queen.queues q on q.id = t.queue_id where q.name in (?, ?)",
                  queue,
                  elsewhere))
          .extracting(r -> r.get("name") + " " + r.get("consumer_group"))
          .containsExactlyInAnyOrder(queue + " h", elsewhere + " g", elsewhere + " h");
    }
    assertThat(sql.rows(CURSOR, partition, "g")).isEmpty();
    assertThat(cursor("h")).containsEntry("committed", -1L);
    assertThat(sql.rows(CURSOR, foreign, "g")).hasSize(1);
    assertThat(groupDelete(queue, "g").get("deleted").asInt()).isZero();
  }

  @Test
  void aGroupDeleteNeedsAQueueThatExistsAndAGroup() {
    refused("TM003", () -> groupDelete("no such queue", "g"), "no such queue");
    refused("22023", () -> groupDelete(null, "g"), "p_queue");
    refused("22023", () -> groupDelete("", "g"), "p_queue");
    refused("22023", () -> groupDelete(queue, null), "p_group");
    refused("22023", () -> groupDelete(queue, ""), "p_group");
  }

  @Test
  void aGroupDeleteAndAQueueDeleteNeverDeadlock() {
    seek(partition, "a", 0);
    seek(partition, "b", 0);
    sql.run(
        "insert into queen.consumer_groups_metadata (queue_id, consumer_group) select id, 'b' from"
            + " queen.queues where name = ?",
        queue);
    try (Sql busy = database.connect();
        Sql deleting = database.connect();
        Sql leaving = database.connect()) {
      // The cascade has taken the subscription and stands before the cursor of another group ...
      busy.begin();
      busy.row(
          "select 1 from queen.log_consumers where partition_id = ? and consumer_group = 'a' for"
              + " update",
          partition);
      Waiting.Elsewhere<JsonNode> queueDelete =
          Waiting.blocked(
              sql, deleting, s -> s.json("select queen.delete_queue_v1(p_name => ?)", queue));
      // ... when a group that has a cursor and a subscription leaves.
      Waiting.Elsewhere<JsonNode> leave =
          Waiting.blocked(
              sql,
              leaving,
              s -> s.json("select queen.log_group_delete_v1(p_queue => ?, p_group => 'b')", queue));
      busy.commit();
      assertThat(queueDelete.get().get("deleted").asBoolean()).isTrue();
      refused("TM003", leave::get, queue);
    }
  }

  private void lease(String group, long committed, long batchEnd, String worker) {
    seek(partition, group, committed + 1);
    sql.run(
        "update queen.log_consumers set batch_end = ?, worker_id = ?, lease_acquired_at = now(),"
            + " lease_expires_at = now() + interval '1 minute' where partition_id = ? and"
            + " consumer_group = ?",
        batchEnd,
        worker,
        partition,
        group);
  }

  private Map<String, Object> cursor(String group) {
    return sql.row(CURSOR, partition, group);
  }

  private static JsonNode seek(UUID partition, String group, Number offset) {
    return seek(sql, partition, group, offset);
  }

  private static JsonNode seek(Sql session, UUID partition, String group, Number offset) {
    return session.json(
        "select queen.log_seek_v1(p_partition_id => ?, p_group => ?, p_offset => ?::bigint)",
        partition,
        group,
        offset);
  }

  private static JsonNode ack(UUID partition, String group, String worker, Long offset) {
    return sql.json(
        "select queen.log_ack_v1(p_partition_id => ?, p_group => ?, p_worker => ?, p_offset => ?)",
        partition,
        group,
        worker,
        offset);
  }

  private static JsonNode groupDelete(String queue, String group) {
    return groupDelete(sql, queue, group);
  }

  private static JsonNode groupDelete(Sql session, String queue, String group) {
    return session.json(
        "select queen.log_group_delete_v1(p_queue => ?, p_group => ?)", queue, group);
  }
}

package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestPush;
import dev.tidemark.retention.it.support.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code log_pop_v1}: leases, and what a worker is given. */
class PopIT {
  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private String queue;
  private UUID partition;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    // What waits for a lock it should not need fails, where it would hang.
    sql.run("set lock_timeout = '10s'");
    log = new TestLog(sql);
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @AfterEach
  void invariantsHold() {
    assertThat(Invariants.broken(sql)).isEmpty();
  }

  /** Three segments: 0..3, 4..7, 8..11, three hours old to one. */
  @BeforeEach
  void aPartitionOfTwelveMessages() {
    queue = UUID.randomUUID().toString();
    partition = log.partition(queue, "p");
    for (int hours = 3; hours >= 1; hours--) {
      log.append(partition, log.ago(Duration.ofHours(hours)), 4);
    }
  }

  @Test
  void aPopLeasesARangeAndReturnsTheSegmentsItTouches() {
    Instant before = log.ago(Duration.ZERO);
    assertThat(pop("p", "g", "w", 6)).containsExactly("0..3 of 0..3", "4..5 of 4..7");
    Map<String, Object> cursor = cursor("g");
    assertThat(cursor)
        .containsEntry("committed", -1L)
        .containsEntry("batch_end", 5L)
        .containsEntry("worker_id", "w")
        .containsEntry("batch_retry_count", 0);
    assertThat((Instant) cursor.get("lease_acquired_at")).isBetween(before, log.ago(Duration.ZERO));
    assertThat((Instant) cursor.get("lease_expires_at"))
        .isEqualTo(((Instant) cursor.get("lease_acquired_at")).plusSeconds(60));
  }

  @Test
  void theBlobAndTheAgeOfASegmentComeWithIt() {
    new TestPush(sql).push(queue, "q", "a", "b");
    assertThat(
            sql.row(
                "select partition_id, created_at, convert_from(blob, 'UTF8') as blob from"
                    + " queen.log_pop_v1(?, 'q', 'g', 'w', 10, 60)",
                queue))
        .isEqualTo(
            Map.of(
                "partition_id",
                log.partition(queue, "q"),
                "created_at",
                log.segments(log.partition(queue, "q")).get(0).createdAt(),
                "blob",
                "a b"));
  }

  @Test
  void aBatchThatEndsInTheMiddleOfASegmentIsContinuedByTheNext() {
    assertThat(pop("p", "g", "w", 2)).containsExactly("0..1 of 0..3");
    ack("g", "w", 1);
    assertThat(pop("p", "g", "w", 3)).containsExactly("2..3 of 0..3", "4..4 of 4..7");
    ack("g", "w", 4);
    assertThat(pop("p", "g", "w", 100)).containsExactly("5..7 of 4..7", "8..11 of 8..11");
    ack("g", "w", 11);
    assertThat(pop("p", "g", "w", 100)).isEmpty();
    assertThat(cursor("g")).containsEntry("committed", 11L).containsEntry("total_consumed", 12L);
  }

  @Test
  void theMostThatCanBeAskedForIsEverythingThereIs() {
    assertThat(pop("p", "g", "w", Integer.MAX_VALUE)).hasSize(3);
    assertThat(cursor("g")).containsEntry("batch_end", 11L);
  }

  @Test
  void anotherWorkerGetsNothingUntilTheLeaseHasRunOutThenTakesItOver() {
    pop("p", "g", "w", 6);
    Map<String, Object> leased = cursor("g");
    assertThat(pop("p", "g", "v", 6)).isEmpty();
    assertThat(pop("p", "g", "w", 6)).as("nor does its holder get it twice").isEmpty();
    assertThat(pop(null, "g", "v", 6)).isEmpty();
    assertThat(cursor("g")).isEqualTo(leased);

    for (int retry = 1; retry <= 2; retry++) {
      expire("g");
      assertThat(pop("p", "g", "v", 5)).containsExactly("0..3 of 0..3", "4..4 of 4..7");
      assertThat(cursor("g"))
          .containsEntry("worker_id", "v")
          .containsEntry("batch_end", 4L)
          .containsEntry("batch_retry_count", retry);
    }
    assertThat(ack("g", "w", 5).get("acked").asBoolean()).as("the late worker").isFalse();
    assertThat(ack("g", "v", 4).get("acked").asBoolean()).isTrue();
    assertThat(cursor("g")).containsEntry("batch_retry_count", 0);
  }

  @Test
  void aLeaseWithoutAnEndNeverRunsOut() {
    pop("p", "g", "w", 6);
    sql.run(
        "update queen.log_consumers set lease_expires_at = null where partition_id = ?", partition);
    assertThat(pop("p", "g", "v", 6)).isEmpty();
    assertThat(pop(null, "g", "v", 6)).isEmpty();
  }

  @Test
  void groupsDoNotSeeEachOthersLeases() {
    assertThat(pop("p", "g", "w", 4)).hasSize(1);
    assertThat(pop("p", "h", "w", 4)).containsExactly("0..3 of 0..3");
  }

  @Test
  void aCursorBelowTheFirstLiveSegmentResumesThere() {
    pop("p", "g", "w", 2);
    ack("g", "w", 1);
    log.evictStep(partition, log.ago(Duration.ofMinutes(150)), 10);
    assertThat(log.row(partition).logStart()).isEqualTo(4);
    assertThat(pop("p", "g", "w", 5)).containsExactly("4..7 of 4..7", "8..8 of 8..11");
    assertThat(ack("g", "w", 8).get("acked").asBoolean()).isTrue();
  }

  @Test
  void anEmptiedPartitionHasNothing() {
    log.evictStep(partition, log.ago(Duration.ZERO), 10);
    assertThat(pop("p", "g", "w", 5)).isEmpty();
    assertThat(pop(null, "g", "w", 5)).isEmpty();
    assertThat(cursor("g")).containsEntry("batch_end", null);
  }

  @Test
  void anyPartitionMeansTheOneWithTheOldestData() {
    UUID older = log.partition(queue, "older");
    log.append(older, log.ago(Duration.ofHours(9)), 1);
    UUID younger = log.partition(queue, "younger");
    log.append(younger, log.ago(Duration.ofMinutes(1)), 1);
    log.partition(queue, "empty");
    String other = UUID.randomUUID().toString();
    log.append(log.partition(other, "p"), log.ago(Duration.ofHours(20)), 1);

    assertThat(popped("g")).isEqualTo(older);
    assertThat(popped("g")).isEqualTo(partition);
    assertThat(popped("g")).isEqualTo(younger);
    assertThat(popped("g")).as("all are leased").isNull();
    assertThat(popped("h")).isEqualTo(older);
  }

  @Test
  void anyPartitionSkipsWhatIsConsumed() {
    UUID older = log.partition(queue, "older");
    log.append(older, log.ago(Duration.ofHours(9)), 1);
    log.commit(older, "g", 0);
    assertThat(popped("g")).isEqualTo(partition);
  }

  @Test
  void anyPartitionSkipsACursorThatSomebodyHolds() {
    UUID older = log.partition(queue, "older");
    log.append(older, log.ago(Duration.ofHours(9)), 1);
    log.commit(older, "g", -1);
    try (Sql holding = database.connect()) {
      holding.begin();
      holding.row("select 1 from queen.log_consumers where partition_id = ? for update", older);
      sql.run("set lock_timeout = '5s'");
      assertThat(popped("g")).isEqualTo(partition);
      assertThat(popped("g")).isNull();
      sql.run("reset lock_timeout");
      holding.rollback();
    }
    assertThat(popped("g")).isEqualTo(older);
  }

  @Test
  void aBatchThatAStepDeletesBeforeItIsReadIsNotLeased() {
    // A first contact would hold the partition, and the step would wait for it.
    log.commit(partition, "g", 0);
    // A gate in front of the segments, for everybody but a superuser: the range is chosen behind
    // it.
    sql.run(
        """
        create function public.gate() returns boolean language plpgsql volatile as
        'begin perform pg_advisory_xact_lock_shared(7); return true; end'
        """);
    sql.run("create policy gate on queen.log_segments using (public.gate())");
    sql.run("alter table queen.log_segments enable row level security");
    try (Sql gate = database.connect();
        Sql worker = database.connect()) {
      gate.begin();
      gate.rows("select pg_advisory_xact_lock(7)");
      worker.run("set role queen_broker");
      Waiting.Elsewhere<List<Map<String, Object>>> pop =
          Waiting.blocked(
              sql,
              worker,
              s -> s.rows("select 1 from queen.log_pop_v1(?, 'p', 'g', 'w', 12, 60)", queue));
      log.retentionStep(partition, log.ago(Duration.ZERO), null, 100);
      gate.commit();
      assertThat(pop.get()).isEmpty();
      assertThat(cursor("g")).containsEntry("batch_end", null).containsEntry("worker_id", null);
    } finally {
      sql.run("drop policy gate on queen.log_segments");
      sql.run("alter table queen.log_segments disable row level security");
      sql.run("drop function public.gate()");
    }
  }

  @Test
  void popsAndAcksInASteadyStateAreHotUpdates() {
    log.append(partition, log.ago(Duration.ofMinutes(1)), 200);
    pop("p", "g", "w", 12);
    ack("g", "w", 11);
    long hot = counter("n_tup_hot_upd");
    long all = counter("n_tup_upd");
    for (int offset = 12; offset < 212; offset++) {
      assertThat(pop("p", "g", "w", 1)).hasSize(1);
      ack("g", "w", offset);
    }
    assertThat(counter("n_tup_upd") - all).as("a lease and its end").isEqualTo(400);
    assertThat(counter("n_tup_hot_upd") - hot).isGreaterThan(300);
  }

  private static long counter(String column) {
    sql.run("select pg_stat_force_next_flush()");
    return sql.number(
        "select "
            + column
            + " from pg_stat_user_tables where relid = 'queen.log_consumers'::regclass");
  }

  @Test
  void theQueuesLeaseTimeIsTheDefault() {
    log.configure(queue, "{\"leaseTime\": 77}");
    sql.rows("select 1 from queen.log_pop_v1(?, 'p', 'g', 'w', 1, null)", queue);
    assertThat(
            sql.<Boolean>value(
                "select lease_expires_at = lease_acquired_at + interval '77 seconds' from"
                    + " queen.log_consumers where partition_id = ?",
                partition))
        .isTrue();
  }

  @Test
  void anUnknownQueueIsRefusedAndAPartitionThatIsNotThereYetHasNothing() {
    refused(
        "TM003",
        () -> sql.rows("select 1 from queen.log_pop_v1('no such queue', null, 'g', 'w', 1, 1)"),
        "no such queue");
    assertThat(pop("nobody pushed here", "g", "w", 1)).isEmpty();
  }

  @Test
  void aBadArgumentIsNamed() {
    refusedCall("null, 'p', 'g', 'w', 1, 1", "p_queue");
    refusedCall("'', 'p', 'g', 'w', 1, 1", "p_queue");
    refusedCall("'q', 'p', null, 'w', 1, 1", "p_group");
    refusedCall("'q', 'p', '', 'w', 1, 1", "p_group");
    refusedCall("'q', 'p', 'g', null, 1, 1", "p_worker");
    refusedCall("'q', 'p', 'g', '', 1, 1", "p_worker");
    refusedCall("'q', 'p', 'g', 'w', null, 1", "p_max_messages");
    refusedCall("'q', 'p', 'g', 'w', 0, 1", "p_max_messages");
    refusedCall("'q', 'p', 'g', 'w', 1, 0", "p_lease_seconds");
    refusedCall("'q', 'p', 'g', 'w', 1, -1", "p_lease_seconds");
  }

  @Test
  void aPopNeedsReadCommitted() {
    sql.begin();
    sql.run("set transaction isolation level repeatable read");
    refused("TM001", () -> pop("p", "g", "w", 1), "log_pop_v1");
    sql.rollback();
  }

  private static void refusedCall(String arguments, String name) {
    refused("22023", () -> sql.rows("select 1 from queen.log_pop_v1(" + arguments + ")"), name);
  }

  private List<String> pop(@Nullable String name, String group, String worker, int max) {
    return sql
        .rows("select * from queen.log_pop_v1(?, ?, ?, ?, ?, 60)", queue, name, group, worker, max)
        .stream()
        .map(
            r ->
                r.get("from_offset")
                    + ".."
                    + r.get("to_offset")
                    + " of "
                    + r.get("base_offset")
                    + ".."
                    + r.get("end_offset"))
        .toList();
  }

  /** The partition that a pop of any partition gave. */
  private @Nullable UUID popped(String group) {
    return sql
        .rows("select partition_id from queen.log_pop_v1(?, null, ?, 'w', 1, 60)", queue, group)
        .stream()
        .map(r -> (UUID) r.get("partition_id"))
        .findFirst()
        .orElse(null);
  }

  private JsonNode ack(String group, String worker, long offset) {
    return sql.json(
        "select queen.log_ack_v1(?, ?, ?, ?::bigint)", partition, group, worker, offset);
  }

  private void expire(String group) {
    sql.run(
        "update queen.log_consumers set lease_expires_at = clock_timestamp() - interval '1 second'"
            + " where partition_id = ? and consumer_group = ?",
        partition,
        group);
  }

  private Map<String, Object> cursor(String group) {
    return sql.row(
        "select * from queen.log_consumers where partition_id = ? and consumer_group = ?",
        partition,
        group);
  }
}

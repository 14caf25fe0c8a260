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
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code delete_queue_v1}: what goes, what stays, and who waits. */
class DeleteQueueIT {
  private static final String PUSH =
      "insert into queen.log_segments (partition_id, base_offset, end_offset, created_at, blob)"
          + " values (?, 2, 2, now(), 'x')";

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private String queue;

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
  void aNameThatIsFree() {
    queue = UUID.randomUUID().toString();
  }

  @Test
  void everythingTheQueueHoldsGoesAndItsRecordStays() {
    String other = UUID.randomUUID().toString();
    UUID p = filled(queue, "p");
    UUID q = filled(queue, "q");
    UUID kept = filled(other, "p");
    for (String each : List.of(queue, other)) {
      for (String table : List.of("consumer_groups_metadata", "consumer_watermarks")) {
        sql.run(
            "insert into queen."
                + table
                + " (queue_id, consumer_group) select id, 'g' from queen.queues where name = ?",
            each);
      }
      sql.run(
          "insert into queen.queue_lag_metrics (queue_id, lag) select id, 1 from queen.queues where"
              + " name = ?",
          each);
    }
    Map<String, Long> othersBefore = countsOf(other, kept);
    UUID queueId = sql.value("select id from queen.queues where name = ?", queue);

    JsonNode answer = delete(sql, queue);

    assertThat(answer.toString()).isEqualTo("{\"deleted\":true,\"partitions\":2}");
    for (UUID gone : List.of(p, q)) {
      assertThat(counts(queueId, gone))
          .containsOnly(
              Map.entry("queues", 0L),
              Map.entry("log_partitions", 0L),
              Map.entry("log_segments", 0L),
              Map.entry("log_txns", 0L),
              Map.entry("log_consumers", 0L),
              Map.entry("log_dlq", 0L),
              Map.entry("consumer_groups_metadata", 0L),
              Map.entry("consumer_watermarks", 0L),
              Map.entry("queue_lag_metrics", 0L),
              Map.entry("message_traces", 1L),
              Map.entry("retention_history", 1L));
    }
    assertThat(countsOf(other, kept)).isEqualTo(othersBefore);
    assertThat(othersBefore.values()).doesNotContain(0L);
    assertThat(Invariants.broken(sql)).isEmpty();
  }

  @Test
  void anUnknownQueueIsNotDeleted() {
    assertThat(delete(sql, queue).toString()).isEqualTo("{\"deleted\":false,\"partitions\":0}");
    log.configure(queue, "{}");
    assertThat(delete(sql, queue).toString()).isEqualTo("{\"deleted\":true,\"partitions\":0}");
    assertThat(delete(sql, queue).get("deleted").asBoolean()).isFalse();
  }

  @Test
  void aNameIsNeeded() {
    refused("22023", () -> delete(sql, null), "p_name");
    refused("22023", () -> delete(sql, ""), "p_name");
  }

  @Test
  void itRefusesASessionInWhichTheCascadeWouldLeaveOrphans() {
    log.partition(queue, "p");
    sql.run("set session_replication_role = replica");
    refused("TM002", () -> delete(sql, queue), "session_replication_role");
    sql.run("reset session_replication_role");
    sql.begin();
    sql.run("set transaction isolation level repeatable read");
    refused("TM001", () -> delete(sql, queue), "read committed");
    sql.rollback();
    assertThat(delete(sql, queue).get("partitions").asInt()).isOne();
  }

  @Test
  void aRacingPushFailsLoudlyOnItsForeignKey() {
    UUID partition = filled(queue, "p");
    try (Sql deleting = database.connect();
        Sql pushing = database.connect()) {
      deleting.begin();
      delete(deleting, queue);
      Waiting.Elsewhere<Integer> push = Waiting.blocked(sql, pushing, s -> s.run(PUSH, partition));
      deleting.commit();
      refused("23503", push::get, "log_segments_partition_id_fkey");
    }
    assertThat(
            sql.number("select count(*) from queen.log_segments where partition_id = ?", partition))
        .isZero();
  }

  @Test
  void aPushThatCameFirstIsWaitedForAndDeletedWithTheRest() {
    UUID partition = filled(queue, "p");
    try (Sql pushing = database.connect();
        Sql deleting = database.connect()) {
      pushing.begin();
      new TestLog(pushing).append(partition, log.ago(Duration.ZERO), 1);
      Waiting.Elsewhere<JsonNode> delete = Waiting.blocked(sql, deleting, s -> delete(s, queue));
      pushing.commit();
      assertThat(delete.get().get("partitions").asInt()).isOne();
    }
    assertThat(sql.number("select count(*) from queen.log_txns where partition_id = ?", partition))
        .as("no foreign key takes the sidecar row of the late push")
        .isZero();
  }

  @Test
  void aPartitionProvisionedJustBeforeGoesWithItsSidecar() {
    filled(queue, "p");
    try (Sql pushing = database.connect();
        Sql deleting = database.connect()) {
      pushing.begin();
      TestLog other = new TestLog(pushing);
      UUID late = other.partition(queue, "late");
      other.append(late, log.ago(Duration.ZERO), 1);
      Waiting.Elsewhere<JsonNode> delete = Waiting.blocked(sql, deleting, s -> delete(s, queue));
      pushing.commit();
      assertThat(delete.get().get("partitions").asInt()).isEqualTo(2);
      assertThat(sql.number("select count(*) from queen.log_txns where partition_id = ?", late))
          .isZero();
    }
  }

  @Test
  void aFirstContactAfterTheDeleteStartsAnew() {
    UUID before = filled(queue, "p");
    try (Sql deleting = database.connect();
        Sql pushing = database.connect()) {
      deleting.begin();
      delete(deleting, queue);
      Waiting.Elsewhere<UUID> contact =
          Waiting.blocked(sql, pushing, s -> new TestLog(s).partition(queue, "late"));
      deleting.commit();
      UUID late = contact.get();
      assertThat(log.partition(queue, "late")).isEqualTo(late);
      assertThat(log.partition(queue, "p")).isNotEqualTo(before);
    }
  }

  @Test
  void aFirstContactThatFoundTheQueueBeforeItWentFailsLoudlyAndItsRetryStartsAnew() {
    UUID partition = filled(queue, "p");
    try (Sql busy = database.connect();
        Sql deleting = database.connect();
        Sql pushing = database.connect()) {
      busy.begin();
      busy.row("select 1 from queen.log_partitions where id = ? for update", partition);
      Waiting.Elsewhere<JsonNode> delete = Waiting.blocked(sql, deleting, s -> delete(s, queue));
      Waiting.Elsewhere<UUID> contact =
          Waiting.blocked(sql, pushing, s -> new TestLog(s).partition(queue, "late"));
      busy.commit();
      assertThat(delete.get().get("partitions").asInt()).isOne();
      refused("23503", contact::get, "log_partitions_queue_id_fkey");
      assertThat(log.partition(queue, "late")).isNotNull();
    }
  }

  @Test
  void partitionsAreLockedInAscendingOrder() {
    log.configure(queue, "{}");
    List<UUID> ascending =
        List.of(
            UUID.fromString("00000000-0000-4000-8000-000000000001"),
            UUID.fromString("00000000-0000-4000-8000-000000000002"),
            UUID.fromString("f0000000-0000-4000-8000-000000000003"));
    // Stored in the opposite order, so that neither the heap nor the name gives the right one.
    for (int i = 2; i >= 0; i--) {
      sql.run(
          "insert into queen.log_partitions (id, queue_id, name) select ?, id, ? from queen.queues"
              + " where name = ?",
          ascending.get(i),
          "p" + (9 - i),
          queue);
    }
    try (Sql busy = database.connect();
        Sql deleting = database.connect()) {
      busy.begin();
      busy.row("select 1 from queen.log_partitions where id = ? for update", ascending.get(1));
      Waiting.Elsewhere<JsonNode> delete = Waiting.blocked(sql, deleting, s -> delete(s, queue));
      assertThat(free(ascending.get(0))).as("the lowest is taken").isFalse();
      assertThat(free(ascending.get(2))).as("the highest is not yet").isTrue();
      busy.commit();
      assertThat(delete.get().get("partitions").asInt()).isEqualTo(3);
    }
  }

  private static boolean free(UUID partition) {
    return !sql.rows(
            "select 1 from queen.log_partitions where id = ? for update skip locked", partition)
        .isEmpty();
  }

  /** Two messages, a cursor, a dead letter, a trace and a history row. */
  private UUID filled(String name, String partitionName) {
    UUID partition = log.partition(name, partitionName);
    log.append(partition, log.ago(Duration.ofHours(2)), 1);
    log.append(partition, log.ago(Duration.ofHours(1)), 1);
    log.commit(partition, "g", -1);
    log.retentionStep(partition, log.ago(Duration.ofMinutes(90)), null, 10);
    sql.run("insert into queen.log_dlq (partition_id, transaction_id) values (?, 't')", partition);
    sql.run(
        "insert into queen.message_traces (partition_id, transaction_id, event) values (?, 't',"
            + " 'e')",
        partition);
    return partition;
  }

  private static JsonNode delete(Sql session, String queue) {
    return session.json("select queen.delete_queue_v1(p_name => ?)", queue);
  }

  private static Map<String, Long> countsOf(String queue, UUID partition) {
    UUID id = sql.value("select id from queen.queues where name = ?", queue);
    return counts(id, partition);
  }

  private static Map<String, Long> counts(UUID queueId, UUID partition) {
    Map<String, Long> counts = new TreeMap<>();
    counts.put("queues", sql.number("select count(*) from queen.queues where id = ?", queueId));
    counts.put(
        "log_partitions",
        sql.number("select count(*) from queen.log_partitions where id = ?", partition));
    for (String table :
        List.of(
            "log_segments",
            "log_txns",
            "log_consumers",
            "log_dlq",
            "message_traces",
            "retention_history")) {
      counts.put(
          table,
          sql.number("select count(*) from queen." + table + " where partition_id = ?", partition));
    }
    for (String table :
        List.of("consumer_groups_metadata", "consumer_watermarks", "queue_lag_metrics")) {
      counts.put(
          table,
          sql.number("select count(*) from queen." + table + " where queue_id = ?", queueId));
    }
    return counts;
  }
}

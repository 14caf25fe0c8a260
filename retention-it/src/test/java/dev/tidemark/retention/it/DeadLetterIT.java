package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.Waiting;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code log_dlq_put_v1} and {@code log_dlq_delete_v1}, and the cleanup they race. */
class DeadLetterIT {
  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private UUID partition;

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

  @AfterEach
  void invariantsHold() {
    assertThat(Invariants.broken(sql)).isEmpty();
  }

  @BeforeEach
  void aPartitionThatTheCleanupWouldTake() {
    sql.run("delete from queen.log_dlq");
    sql.run("delete from queen.queues");
    partition = log.partition("q", "p");
    sql.run(
        "update queen.log_partitions set created_at = '2020-01-01Z', last_write_at = '2020-01-01Z'"
            + " where id = ?",
        partition);
  }

  @Test
  void aDeadLetterKeepsWhatItWasGiven() {
    UUID id = put(sql, partition, "t");
    assertThat(
            sql.row(
                "select partition_id, transaction_id, message_offset, consumer_group,"
                    + " convert_from(payload, 'UTF8') as payload, error from queen.log_dlq where id"
                    + " = ?",
                id))
        .containsEntry("partition_id", partition)
        .containsEntry("transaction_id", "t")
        .containsEntry("message_offset", 7L)
        .containsEntry("consumer_group", "g")
        .containsEntry("payload", "what it said")
        .containsEntry("error", "why");
  }

  @Test
  void onlyPartitionAndMessageHaveToBeKnown() {
    sql.rows("select queen.log_dlq_put_v1(?, 't', null, null, null, null)", partition);
    assertThat(letters()).isOne();
    refused("22023", () -> put(sql, null, "t"), "p_partition_id");
    refused("22023", () -> put(sql, partition, null), "p_transaction_id");
    refused("22023", () -> put(sql, partition, ""), "p_transaction_id");
    refused("22023", () -> delete(null, "t"), "p_partition_id");
    refused("22023", () -> delete(partition, ""), "p_transaction_id");
    assertThat(letters()).isOne();
  }

  @Test
  void aPartitionThatIsGoneIsRefused() {
    UUID unknown = UUID.randomUUID();
    refused("TM004", () -> put(sql, unknown, "t"), unknown.toString());
    assertThat(letters()).isZero();
  }

  @Test
  void aDeadLetterVetoesTheCleanupUntilItIsDeleted() {
    put(sql, partition, "t");
    put(sql, partition, "t");
    put(sql, partition, "other");
    assertThat(cleanup(sql)).isZero();
    assertThat(delete(partition, "t")).isEqualTo(2);
    assertThat(cleanup(sql)).isZero();
    assertThat(delete(UUID.randomUUID(), "other")).isZero();
    assertThat(delete(partition, "other")).isOne();
    assertThat(delete(partition, "other")).isZero();
    assertThat(cleanup(sql)).isOne();
  }

  @Test
  void aPutThatWaitedForTheCleanupIsRefused() {
    try (Sql cleaning = database.connect();
        Sql putting = database.connect()) {
      cleaning.begin();
      assertThat(cleanup(cleaning)).isOne();
      Waiting.Elsewhere<UUID> waiting = Waiting.blocked(sql, putting, s -> put(s, partition, "t"));
      cleaning.commit();
      refused("TM004", waiting::get, partition.toString());
    }
    assertThat(letters()).isZero();
  }

  @Test
  void aCleanupSkipsThePartitionOfAPutInFlight() {
    try (Sql putting = database.connect()) {
      putting.begin();
      put(putting, partition, "t");
      sql.run("set lock_timeout = '5s'");
      assertThat(cleanup(sql)).isZero();
      sql.run("reset lock_timeout");
      putting.commit();
    }
    assertThat(cleanup(sql)).isZero();
    assertThat(letters()).isOne();
  }

  @Test
  void aPutThatWaitedForTheDeleteOfItsQueueIsRefused() {
    try (Sql deleting = database.connect();
        Sql putting = database.connect()) {
      deleting.begin();
      deleting.json("select queen.delete_queue_v1('q')");
      Waiting.Elsewhere<UUID> put = Waiting.blocked(sql, putting, s -> put(s, partition, "t"));
      deleting.commit();
      refused("TM004", put::get, partition.toString());
    }
    assertThat(letters()).isZero();
  }

  @Test
  void aQueueDeleteWaitsForThePutInFlightAndTakesItsLetter() {
    try (Sql putting = database.connect();
        Sql deleting = database.connect()) {
      putting.begin();
      put(putting, partition, "t");
      Waiting.Elsewhere<JsonNode> delete =
          Waiting.blocked(sql, deleting, s -> s.json("select queen.delete_queue_v1('q')"));
      putting.commit();
      assertThat(delete.get().get("partitions").asInt()).isOne();
    }
    assertThat(letters()).isZero();
  }

  private static @Nullable UUID put(
      Sql session, @Nullable UUID partition, @Nullable String transaction) {
    return session.value(
        "select queen.log_dlq_put_v1(?, ?, 7, 'g', 'what it said', 'why')", partition, transaction);
  }

  private static int delete(@Nullable UUID partition, String transaction) {
    return sql.json("select queen.log_dlq_delete_v1(?, ?)", partition, transaction)
        .get("deleted")
        .asInt();
  }

  private static int cleanup(Sql session) {
    return session
        .json("select queen.log_partition_cleanup_step_v1('2021-01-01Z', 10)")
        .get("deleted")
        .asInt();
  }

  private static long letters() {
    return sql.number("select count(*) from queen.log_dlq");
  }
}

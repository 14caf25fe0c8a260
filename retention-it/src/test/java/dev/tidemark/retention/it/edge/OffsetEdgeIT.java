package dev.tidemark.retention.it.edge;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.cli.Cli;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.PushBy;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestPush;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Partitions that have used up almost all of their offsets. The last one is 2^63 - 2, so that the
 * offset after it still is a bigint: that is where an empty log begins.
 */
class OffsetEdgeIT {
  private static final long LAST = Long.MAX_VALUE - 1;

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
    database.close();
  }

  @BeforeEach
  void aPartitionWithRoomForFour() {
    queue = UUID.randomUUID().toString();
    partition = withRoomForFour("p");
  }

  @AfterEach
  void theInvariantsHold() {
    assertThat(Invariants.broken(sql)).isEmpty();
    assertThat(sql.rows("select * from queen.log_invariants_v1()")).isEmpty();
    sql.run("select queen.delete_queue_v1(p_name => ?)", queue);
  }

  @ParameterizedTest
  @EnumSource
  void pushesFillAPartitionToTheLastOffsetAndThenChangeNothing(PushBy by) {
    by.partitions().stream().filter(name -> !name.equals("p")).forEach(this::withRoomForFour);

    assertThat(by.push(sql, queue, "a", "b"))
        .allSatisfy(answer -> assertThat(answer.get("baseOffset").asLong()).isEqualTo(LAST - 3));
    Map<String, Object> before = everything();
    refused("TM006", () -> by.push(sql, queue, "c", "d", "e"), "run out");
    assertThat(everything()).isEqualTo(before);
    assertThat(by.push(sql, queue, "c", "d"))
        .allSatisfy(answer -> assertThat(answer.get("baseOffset").asLong()).isEqualTo(LAST - 1));
    before = everything();
    refused("TM006", () -> by.push(sql, queue, "e"), "run out");
    assertThat(everything()).isEqualTo(before);
    assertThat(by.push(sql, queue, "a"))
        .as("what is a duplicate needs no offset")
        .allSatisfy(
            answer ->
                assertThat(answer.get("dups").get(0).get("off").asLong()).isEqualTo(LAST - 3));
  }

  @Test
  void anImportFillsItToTheLastOffsetAndThenChangesNothing() {
    log.append(partition, log.ago(Duration.ofHours(2)), 3);
    Map<String, Object> before = everything();
    refused(
        "TM006",
        () -> log.append(partition, log.ago(Duration.ofHours(1)), 2),
        partition.toString());
    assertThat(everything()).isEqualTo(before);
    assertThat(log.append(partition, log.ago(Duration.ofHours(1)), 1)).isEqualTo(LAST);
    refused("TM006", () -> log.append(partition, log.ago(Duration.ZERO), 1), "run out");
    assertThat(log.row(partition).lastOffset()).isEqualTo(LAST);
  }

  @Test
  void aGroupReadsToTheLastOffsetAndThereIsNothingAfterIt() {
    full();

    assertThat(pop("g", 2)).containsExactly(LAST - 3, LAST - 2);
    assertThat(ack("g", LAST - 2)).isEqualTo(committed(LAST - 2));
    assertThat(pop("g", 100)).containsExactly(LAST - 1, LAST);
    assertThat(ack("g", LAST)).isEqualTo(committed(LAST));
    assertThat(pop("g", 100)).isEmpty();
    assertThat(ack("g", Long.MAX_VALUE).get("acked").asBoolean()).isFalse();
  }

  @Test
  void aGroupAcksTheLastMessageByItsHash() {
    new TestPush(sql).push(queue, "p", "a", "b", "c", "d");
    pop("g", 100);

    assertThat(
            sql.json(
                "select queen.log_ack_by_hash_v1(p_partition_id => ?, p_group => 'g', p_worker => 'w', p_hash => ?)",
                partition,
                TestPush.hashes("d")))
        .isEqualTo(committed(LAST));
  }

  @Test
  void aTransactionAcksTheLastOffsetAndRefusesWhatIsNone() {
    full();
    pop("g", 100);

    for (String none :
        List.of("9223372036854775808", "-9223372036854775809", "10000000000000000000")) {
      refused("22023", () -> wireAck(none), "acks[0]: offset must be a whole number of 64 bits");
    }
    assertThat(wireAck(Long.toString(Long.MAX_VALUE)).get("status").asText()).isEqualTo("refused");
    JsonNode done = wireAck(Long.toString(LAST));
    assertThat(done.get("status").asText()).isEqualTo("committed");
    assertThat(done.get("acks").get(0)).isEqualTo(committed(LAST));
  }

  @Test
  void aCursorIsSetAnywhereUpToBehindTheLastOffset() {
    full();

    assertThat(seek(Long.MAX_VALUE).get("committed").asLong()).isEqualTo(LAST);
    assertThat(pop("g", 100)).isEmpty();
    assertThat(seek(LAST).get("committed").asLong()).isEqualTo(LAST - 1);
    assertThat(pop("g", 100)).containsExactly(LAST);
  }

  @Test
  void whoReadsItAllTwiceFromTheBeginningCanStillAck() {
    full();

    for (int round = 1; round <= 3; round++) {
      seek(0);
      assertThat(pop("g", 100)).as("round " + round).hasSize(4);
      assertThat(ack("g", LAST)).as("round " + round).isEqualTo(committed(LAST));
    }
    assertThat(
            sql.number(
                "select total_consumed from queen.log_consumers where partition_id = ?", partition))
        .isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void stepsByAgeEmptyItToTheVeryEnd() {
    full();
    Instant now = log.ago(Duration.ZERO);

    JsonNode first = log.retentionStep(partition, now, null, 3);
    assertThat(first.get("new_log_start").asLong()).isEqualTo(LAST);
    assertThat(first.get("done").asBoolean()).isFalse();
    JsonNode second = log.retentionStep(partition, now, null, 3);
    assertThat(second.get("new_log_start").asLong()).isEqualTo(Long.MAX_VALUE);
    assertThat(second.get("done").asBoolean()).isTrue();
    assertThat(log.retentionStep(partition, now, now, 3).get("deleted").asLong()).isZero();
    assertThat(log.purgeStep(partition, now, 3).get("new_txns_start").asLong()).isEqualTo(LAST);
    assertThat(log.purgeStep(partition, now, 3).get("new_txns_start").asLong())
        .isEqualTo(Long.MAX_VALUE);
    assertThat(log.purgeStep(partition, now, 3).get("deleted").asLong()).isZero();
    assertThat(log.row(partition))
        .isEqualTo(new TestLog.Row(LAST, Long.MAX_VALUE, Long.MAX_VALUE, null, null));
  }

  @Test
  void stepsByConsumptionAndByWaitingReachTheVeryEnd() {
    full();
    Instant now = log.ago(Duration.ZERO);

    log.commit(partition, "g", LAST - 1);
    assertThat(log.retentionStep(partition, null, now, 100).get("new_log_start").asLong())
        .isEqualTo(LAST);
    log.commit(partition, "g", LAST);
    assertThat(log.retentionStep(partition, null, now, 100).get("new_log_start").asLong())
        .isEqualTo(Long.MAX_VALUE);

    UUID waiting = withRoomForFour("waiting");
    log.append(waiting, log.ago(Duration.ofHours(1)), 4);
    assertThat(log.evictStep(waiting, now, 1).get("new_log_start").asLong())
        .isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void theWalkOverTimeEndsBehindTheLastOffset() {
    full();
    String walk = "select queen.log_retention_boundary_windowed_v1(?, ?, now(), ?::bigint)";

    assertThat(sql.number(walk, partition, LAST - 3, null)).isEqualTo(Long.MAX_VALUE);
    assertThat(sql.number(walk, partition, LAST, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    assertThat(sql.number(walk, partition, Long.MAX_VALUE, null)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void theWatermarksAreMendedThere() {
    full();
    sql.run(
        "update queen.log_partitions set oldest_live_at = null, oldest_txn_at = null where id = ?",
        partition);

    assertThat(
            sql.json("select queen.log_watermark_walk_step_v1(p_after => null, p_max_rows => 1000)")
                .get("repaired")
                .asLong())
        .isOne();
  }

  @Test
  void whoLooksSeesWhatThereIsAndACycleTakesIt() {
    log.configure(queue, "{\"retentionEnabled\": true, \"completedRetentionSeconds\": 60}");
    full();
    log.commit(partition, "g", LAST - 2);
    Cli cli = new Cli("--jdbc-url", database.url());

    JsonNode status = cli.json("status");
    assertThat(status.get("queues").get(0).get("held").get("liveMessages").bigIntegerValue())
        .isEqualTo(BigInteger.valueOf(4));
    assertThat(status.get("pins")).isEmpty();
    assertThat(totals(cli.json("plan"), "totals"))
        .isEqualTo("completed_retention 2/2, txns_purge 4/4");
    assertThat(totals(cli.json("once"), "deleted")).isEqualTo("completed_retention 2/2");
    assertThat(log.row(partition).logStart()).isEqualTo(LAST - 1);
    JsonNode pins = cli.json("status").get("pins");
    assertThat(pins.get(0).get("messagesBehind").asLong()).isEqualTo(2);
    assertThat(cli.run("group", "commit", queue, "g", "--fraction", "1").code()).isZero();
    assertThat(totals(cli.json("once"), "deleted")).isEqualTo("completed_retention 2/2");
    assertThat(log.row(partition).logStart()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void onceEmptyItIsCleanedUpAndAPushBeginsAnew() {
    full();
    Instant now = log.ago(Duration.ZERO);
    log.retentionStep(partition, now, null, 100);
    sql.run(
        "update queen.log_partitions set created_at = '2000-01-01Z', last_write_at = '2000-01-01Z' where id = ?",
        partition);

    assertThat(
            sql.json(
                    "select queen.log_partition_cleanup_step_v1(p_cutoff => '2001-01-01Z', p_max_rows => 10)")
                .get("deleted")
                .asLong())
        .isOne();
    assertThat(new TestPush(sql).push(queue, "p", "a").get("baseOffset").asLong()).isZero();
  }

  /** Four segments of one message, an hour old and more. */
  private void full() {
    for (int message = 4; message > 0; message--) {
      log.append(partition, log.ago(Duration.ofHours(message)), 1);
    }
  }

  private UUID withRoomForFour(String name) {
    UUID id = log.partition(queue, name);
    sql.run(
        "update queen.log_partitions set last_offset = ?, log_start = ?, txns_start = ? where id = ?",
        LAST - 4,
        LAST - 3,
        LAST - 3,
        id);
    return id;
  }

  /** All there is to change. */
  private static Map<String, Object> everything() {
    return sql.row(
        "select (select jsonb_agg(p order by p.id) from queen.log_partitions p)::text as partitions,"
            + " (select jsonb_agg(s order by s) from queen.log_segments s)::text as segments,"
            + " (select jsonb_agg(t order by t) from queen.log_txns t)::text as txns,"
            + " (select count(*) from queen.retention_history) as history");
  }

  /** The offsets, message by message. */
  private List<Long> pop(String group, int messages) {
    return sql
        .column(
            "select generate_series(from_offset, to_offset) from queen.log_pop_v1(p_queue => ?, p_partition => 'p',"
                + " p_group => ?, p_worker => 'w', p_max_messages => ?, p_lease_seconds => 60)",
            queue,
            group,
            messages)
        .stream()
        .map(Long.class::cast)
        .toList();
  }

  private JsonNode ack(String group, long offset) {
    return sql.json(
        "select queen.log_ack_v1(p_partition_id => ?, p_group => ?, p_worker => 'w', p_offset => ?)",
        partition,
        group,
        offset);
  }

  private JsonNode wireAck(String offset) {
    return sql.json(
        "select queen.log_transaction_wire_v1(?::jsonb)",
        "{\"acks\":[{\"partitionId\":\"%s\",\"group\":\"g\",\"worker\":\"w\",\"offset\":%s}]}"
            .formatted(partition, offset));
  }

  private JsonNode seek(long offset) {
    return sql.json(
        "select queen.log_seek_v1(p_partition_id => ?, p_group => 'g', p_offset => ?)",
        partition,
        offset);
  }

  private static JsonNode committed(long offset) {
    return sql.json("select jsonb_build_object('acked', true, 'committed', ?::bigint)", offset);
  }

  private static String totals(JsonNode document, String list) {
    StringBuilder text = new StringBuilder();
    for (JsonNode total : document.get(list)) {
      text.append(text.isEmpty() ? "" : ", ")
          .append(total.get("rule").asText())
          .append(' ')
          .append(total.get("segments").asText())
          .append('/')
          .append(total.get("messages").asText());
    }
    return text.toString();
  }
}

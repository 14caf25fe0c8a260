package dev.tidemark.retention.it.edge;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestPush;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Segments of nothing, of a hundred megabytes, and of very many messages. Most are made and looked
 * at on the server, so that the test's own heap stays small.
 */
class BlobEdgeIT {
  private static final int LARGE = 100 * 1024 * 1024;

  /** Hashes of one segment: 1.6 MB, or 16 MB. */
  private static final int MESSAGES = 1_000_000;

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
  void aQueue() {
    queue = UUID.randomUUID().toString();
  }

  @AfterEach
  void theQueueIsGone() {
    assertThat(Invariants.broken(sql)).isEmpty();
    sql.run("select queen.delete_queue_v1(p_name => ?)", queue);
  }

  @Test
  void anEmptyBlobIsASegmentLikeAnyOther() {
    TestPush push = new TestPush(sql);
    push.raw(queue, "p", 1, TestPush.hashes("a"), null, new byte[0]);
    push.raw(queue, "p", 2, TestPush.hashes("b", "c"), null, new byte[0]);

    assertThat(
            sql.rows(
                "select from_offset, to_offset, octet_length(blob) as bytes from queen.log_pop_v1(p_queue => ?, p_partition => 'p',"
                    + " p_group => 'g', p_worker => 'w', p_max_messages => 100, p_lease_seconds => 60)",
                queue))
        .isEqualTo(
            List.of(
                Map.of("from_offset", 0L, "to_offset", 0L, "bytes", 0),
                Map.of("from_offset", 1L, "to_offset", 2L, "bytes", 0)));
    UUID partition = log.partition(queue, "p");
    assertThat(
            log.retentionStep(partition, log.ago(Duration.ZERO), null, 10).get("messages").asLong())
        .isEqualTo(3);
  }

  @Test
  void aBlobOfAHundredMegabytesComesBackByteByByteFromTheClient() {
    byte[] blob = new byte[LARGE];
    for (int i = 0; i < LARGE; i++) {
      blob[i] = (byte) (i * 31 + (i >>> 8));
    }
    new TestPush(sql).raw(queue, "p", 1, TestPush.hashes("a"), null, blob);

    byte[] popped =
        sql.value(
            "select blob from queen.log_pop_v1(p_queue => ?, p_partition => 'p', p_group => 'g', p_worker => 'w',"
                + " p_max_messages => 1, p_lease_seconds => 60)",
            queue);
    assertThat(Arrays.equals(popped, blob)).isTrue();
  }

  @Test
  void stepsTakeThreeHundredMegabytesOneByOne() {
    for (int blob = 0; blob < 3; blob++) {
      sql.json(
          "select queen.log_push_one_v1(p_queue => ?, p_partition => 'p', p_msg_count => 1,"
              + " p_hashes => decode(md5(?), 'hex'), p_verified => null,"
              + " p_blob => convert_to(repeat('x', ?), 'UTF8'))",
          queue,
          "blob " + blob,
          LARGE);
    }
    assertThat(
            sql.column(
                "select octet_length(blob) from queen.log_pop_v1(p_queue => ?, p_partition => 'p', p_group => 'g',"
                    + " p_worker => 'w', p_max_messages => 100, p_lease_seconds => 60)",
                queue))
        .containsExactly(LARGE, LARGE, LARGE);

    UUID partition = log.partition(queue, "p");
    Instant now = log.ago(Duration.ZERO);
    log.commit(partition, "g", 0);
    assertThat(log.retentionStep(partition, null, now, 10).get("deleted").asLong()).isOne();
    assertThat(log.retentionStep(partition, now, null, 1).get("deleted").asLong()).isOne();
    assertThat(log.evictStep(partition, now, 10).get("deleted").asLong()).isOne();
    assertThat(log.purgeStep(partition, now, 10).get("deleted").asLong()).isEqualTo(3);
    assertThat(log.row(partition)).isEqualTo(new TestLog.Row(2, 3, 3, null, null));
  }

  @Test
  void aSegmentOfVeryManyMessagesIsOneRowForEverybody() {
    String push =
        "select queen.log_push_one_v1(p_queue => ?, p_partition => 'p', p_msg_count => ?, p_verified => null, p_blob => '',"
            + " p_hashes => (select string_agg(decode(md5(i::text), 'hex'), '' order by i) from generate_series(1, ?) i))";
    assertThat(sql.json(push, queue, MESSAGES, MESSAGES).get("status").asText())
        .isEqualTo("queued");
    UUID partition = log.partition(queue, "p");
    byte[] last = TestPush.hashes(Integer.toString(MESSAGES));

    assertThat(
            new TestPush(sql)
                .raw(queue, "p", 1, last, null, new byte[0])
                .get("dups")
                .get(0)
                .get("off")
                .asLong())
        .as("the last of them is known")
        .isEqualTo(MESSAGES - 1);
    assertThat(
            sql.number(
                "select to_offset from queen.log_pop_v1(p_queue => ?, p_partition => 'p', p_group => 'g', p_worker => 'w',"
                    + " p_max_messages => ?, p_lease_seconds => 60)",
                queue,
                MESSAGES))
        .isEqualTo(MESSAGES - 1);
    assertThat(
            sql.json(
                    "select queen.log_ack_by_hash_v1(p_partition_id => ?, p_group => 'g', p_worker => 'w', p_hash => ?)",
                    partition,
                    last)
                .get("committed")
                .asLong())
        .isEqualTo(MESSAGES - 1);
    Instant now = log.ago(Duration.ZERO);
    assertThat(log.retentionStep(partition, null, now, 1).get("messages").asLong())
        .isEqualTo(MESSAGES);
    assertThat(log.purgeStep(partition, now, 1).get("new_txns_start").asLong()).isEqualTo(MESSAGES);
  }

  @Test
  void aMessageNeedsItsHash() {
    refused(
        "22023",
        () -> new TestPush(sql).raw(queue, "p", 1, new byte[0], null, new byte[0]),
        "p_hashes",
        "16");
    refused(
        "22023",
        () -> new TestPush(sql).raw(queue, "p", Integer.MAX_VALUE, new byte[16], null, new byte[0]),
        "p_hashes",
        "34359738352");
    assertThat(sql.rows("select from queen.queues where name = ?", queue)).isEmpty();
  }
}

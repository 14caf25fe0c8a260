package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static dev.tidemark.retention.it.support.Waiting.elsewhere;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code log_import_v1} and {@code log_partition_provision_v1}. */
class ImportIT {
  private static final long LAST_OFFSET_OF_ALL = Long.MAX_VALUE - 1;

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

  @BeforeEach
  void anEmptyPartition() {
    partition = log.partition("import", UUID.randomUUID().toString());
  }

  @AfterEach
  void theInvariantsHoldWhateverWasImported() {
    assertThat(Invariants.broken(sql))
        .filteredOn(broken -> partition.toString().equals(broken.get("partition")))
        .isEmpty();
  }

  @Test
  void segmentsFollowEachOtherAndKeepTheirTimes() {
    JsonNode answer =
        imports("{2020-01-01Z, 2020-01-01Z, 2020-01-02Z}", "{3,1,2}", "{48,16,32}", "{a,b,c}");

    assertThat(answer)
        .isEqualTo(
            sql.json("select jsonb_build_object('baseOffset', 0, 'endOffset', 5, 'segments', 3)"));
    Instant first = Instant.parse("2020-01-01T00:00:00Z");
    Instant last = Instant.parse("2020-01-02T00:00:00Z");
    assertThat(log.segments(partition))
        .containsExactly(
            new TestLog.Segment(0, 2, first),
            new TestLog.Segment(3, 3, first),
            new TestLog.Segment(4, 5, last));
    assertThat(log.row(partition)).isEqualTo(new TestLog.Row(5, 0, 0, first, first));
    assertThat(lastStamp()).isEqualTo(last);
  }

  @Test
  void theSidecarMirrorsTheSegmentsWithTheHashesInOrder() {
    imports("{2020-01-01Z, 2020-01-02Z}", "{1,2}", "{16,32}", "{a,b}");

    assertThat(
            sql.rows(
                "select base_offset, end_offset, created_at, octet_length(hashes) as bytes,"
                    + " get_byte(hashes, 0) as first from queen.log_txns where partition_id = ?"
                    + " order by base_offset",
                partition))
        .extracting(r -> List.copyOf(r.values()))
        .containsExactly(
            List.of(0L, 0L, Instant.parse("2020-01-01T00:00:00Z"), 16, 1),
            List.of(1L, 2L, Instant.parse("2020-01-02T00:00:00Z"), 32, 2));
    assertThat(
            sql.rows(
                "select convert_from(blob, 'UTF8') as blob from queen.log_segments where"
                    + " partition_id = ? order by base_offset",
                partition))
        .extracting(r -> r.get("blob"))
        .containsExactly("a", "b");
  }

  @Test
  void aSecondImportContinuesAndLeavesTheWatermarks() {
    imports("{2020-01-01Z}", "{2}", "{32}", "{a}");
    JsonNode answer = imports("{2020-01-01Z, 2021-01-01Z}", "{1,1}", "{16,16}", "{b,c}");

    assertThat(answer.get("baseOffset").asLong()).isEqualTo(2);
    Instant first = Instant.parse("2020-01-01T00:00:00Z");
    assertThat(log.row(partition)).isEqualTo(new TestLog.Row(3, 0, 0, first, first));
  }

  @Test
  void theLastWriteIsNowNotTheImportedTime() {
    Instant before = log.ago(Duration.ZERO);
    imports("{2020-01-01Z}", "{1}", "{16}", "{a}");
    Instant written =
        sql.value("select last_write_at from queen.log_partitions where id = ?", partition);
    assertThat(written).isBetween(before, log.ago(Duration.ZERO));
  }

  @Test
  void anArrayOfOtherBoundsOrDimensionsIsReadInOrder() {
    imports("[7:8]={2020-01-01Z, 2020-01-02Z}", "{1,1}", "{16,16}", "{a,b}");
    assertThat(log.row(partition).oldestLiveAt()).isEqualTo(Instant.parse("2020-01-01T00:00:00Z"));
    assertThat(lastStamp()).isEqualTo(Instant.parse("2020-01-02T00:00:00Z"));

    anEmptyPartition();
    imports("{{2020-01-01Z, 2020-01-02Z}}", "{1,1}", "{16,16}", "{a,b}");
    assertThat(log.row(partition).oldestLiveAt()).isEqualTo(Instant.parse("2020-01-01T00:00:00Z"));
    assertThat(lastStamp()).isEqualTo(Instant.parse("2020-01-02T00:00:00Z"));
  }

  @Test
  void timeNeverGoesBackWithinAnImportOrAfterOne() {
    refusedAndUnchanged(
        "{2020-01-01Z, 2020-01-03Z, 2020-01-02 23:59:59.999999Z}",
        "{1,1,1}",
        "{16,16,16}",
        "{a,b,c}",
        "element 3",
        "p_created_at",
        "go back");
    imports("{2020-01-03Z}", "{1}", "{16}", "{a}");
    refusedAndUnchanged(
        "{2020-01-02 23:59:59.999999Z}", "{1}", "{16}", "{a}", "element 1", "go back");
    // Also where nothing is left: the stamp outlives its segment.
    log.retentionStep(partition, log.ago(Duration.ZERO), null, 10);
    refusedAndUnchanged("{2020-01-02Z}", "{1}", "{16}", "{a}", "element 1", "go back");
  }

  @Test
  void theFutureIsRefusedByTheServersClock() {
    Instant soon = log.ago(Duration.ofMinutes(-1));
    refusedAndUnchanged(
        "{2020-01-01Z, " + soon + "}", "{1,1}", "{16,16}", "{a,b}", "element 2", "future");
    refusedAndUnchanged("{infinity}", "{1}", "{16}", "{a}", "element 1", "future");
    imports("{" + log.ago(Duration.ZERO) + "}", "{1}", "{16}", "{a}");
  }

  @Test
  void minusInfinityIsNoTime() {
    refusedAndUnchanged("{-infinity}", "{1}", "{16}", "{a}", "element 1", "must be finite");
  }

  @Test
  void hashesAreSixteenBytesAMessage() {
    for (String bytes : List.of("{15}", "{17}", "{0}", "{32}", "{NULL}")) {
      refusedAndUnchanged("{2020-01-01Z}", "{1}", bytes, "{a}", "element 1", "p_hashes", "(16)");
    }
    refusedAndUnchanged(
        "{2020-01-01Z, 2020-01-01Z}", "{1,2}", "{16,16}", "{a,b}", "element 2", "p_hashes", "(32)");
  }

  @Test
  void noElementMayBeNullOrHoldNoMessage() {
    refusedAndUnchanged("{NULL}", "{1}", "{16}", "{a}", "element 1", "p_created_at");
    refusedAndUnchanged(
        "{2020-01-01Z,2020-01-01Z}", "{1,NULL}", "{16,16}", "{a,b}", "element 2", "p_msg_counts");
    refusedAndUnchanged("{2020-01-01Z}", "{0}", "{0}", "{a}", "element 1", "p_msg_counts");
    refusedAndUnchanged("{2020-01-01Z}", "{-1}", "{0}", "{a}", "element 1", "p_msg_counts");
    refusedAndUnchanged("{2020-01-01Z}", "{1}", "{16}", "{NULL}", "element 1", "p_blobs");
  }

  @Test
  void theFourArraysHaveOneLengthAndItIsNotZero() {
    String one = "{2020-01-01Z}";
    refusedAndUnchanged("{2020-01-01Z,2020-01-01Z}", "{1}", "{16}", "{a}", "same length");
    refusedAndUnchanged(one, "{1,1}", "{16}", "{a}", "same length");
    refusedAndUnchanged(one, "{1}", "{16,16}", "{a}", "same length");
    refusedAndUnchanged(one, "{1}", "{16}", "{a,b}", "same length");
    refusedAndUnchanged("{}", "{}", "{}", "{}", "at least 1");
    refusedAndUnchanged(null, "{1}", "{16}", "{a}", "same length");
    refusedAndUnchanged(one, null, "{16}", "{a}", "same length");
  }

  @Test
  void aPartitionMustExist() {
    UUID unknown = UUID.randomUUID();
    refused("TM004", () -> log.append(unknown, log.ago(Duration.ZERO), 1), unknown.toString());
    refused("22023", () -> log.append(null, log.ago(Duration.ZERO), 1), "p_partition_id");
  }

  @Test
  void offsetsRunOutLoudlyAndTheLastOneStillWorks() {
    sql.run(
        "update queen.log_partitions set last_offset = ?, log_start = ?, txns_start = ? where id ="
            + " ?",
        LAST_OFFSET_OF_ALL - 6,
        LAST_OFFSET_OF_ALL - 5,
        LAST_OFFSET_OF_ALL - 5,
        partition);
    Instant day = Instant.parse("2020-01-01T00:00:00Z");
    refused("TM006", () -> log.append(partition, day, 7), partition.toString());
    refused("TM006", () -> log.append(partition, day, 1000), "run out");
    refused(
        "TM006",
        () -> imports("{2020-01-01Z,2020-01-01Z}", "{6,1}", "{96,16}", "{a,b}"),
        "run out");
    assertThat(log.segments(partition)).isEmpty();

    imports("{2020-01-01Z,2020-01-02Z}", "{2,4}", "{32,64}", "{a,b}");
    assertThat(log.row(partition).lastOffset()).isEqualTo(LAST_OFFSET_OF_ALL);
    refused("TM006", () -> log.append(partition, log.ago(Duration.ZERO), 1));

    // Every step can still do its work at the very end.
    log.commit(partition, "g", LAST_OFFSET_OF_ALL);
    Instant now = log.ago(Duration.ZERO);
    assertThat(log.retentionStep(partition, null, now, 1).get("deleted").asInt()).isEqualTo(1);
    assertThat(Invariants.broken(sql)).isEmpty();
    assertThat(log.retentionStep(partition, null, now, 1).get("deleted").asInt()).isEqualTo(1);
    assertThat(log.purgeStep(partition, now, 10).get("deleted").asInt()).isEqualTo(2);
    assertThat(log.row(partition))
        .isEqualTo(new TestLog.Row(LAST_OFFSET_OF_ALL, Long.MAX_VALUE, Long.MAX_VALUE, null, null));
  }

  @Test
  void invariantsHoldWhenAnImportFollowsADeletion() {
    imports("{2020-01-01Z,2020-01-02Z,2020-01-03Z}", "{1,1,1}", "{16,16,16}", "{a,b,c}");
    Instant third = Instant.parse("2020-01-03T00:00:00Z");
    log.retentionStep(partition, third, null, 10);
    log.purgeStep(partition, third.plusSeconds(1), 10);
    imports("{2020-01-04Z}", "{2}", "{32}", "{d}");
    Instant fourth = Instant.parse("2020-01-04T00:00:00Z");
    assertThat(log.row(partition)).isEqualTo(new TestLog.Row(4, 2, 3, third, fourth));
    assertThat(Invariants.broken(sql)).isEmpty();

    log.retentionStep(partition, log.ago(Duration.ZERO), null, 10);
    assertThat(log.row(partition)).isEqualTo(new TestLog.Row(4, 5, 3, null, fourth));
    imports("{2020-01-05Z}", "{1}", "{16}", "{e}");
    Instant fifth = Instant.parse("2020-01-05T00:00:00Z");
    assertThat(log.row(partition)).isEqualTo(new TestLog.Row(5, 5, 3, fifth, fourth));
  }

  @Test
  void anImportNeedsReadCommitted() {
    sql.begin();
    sql.run("set transaction isolation level repeatable read");
    refused("TM001", () -> log.append(partition, Instant.EPOCH, 1), "log_import_v1");
    sql.rollback();
  }

  @Test
  void provisioningFindsWhatIsThere() {
    UUID again =
        sql.value(
            "select queen.log_partition_provision_v1('import', (select name from"
                + " queen.log_partitions where id = ?))",
            partition);
    assertThat(again).isEqualTo(partition);
    assertThat(log.partition("import", null)).isEqualTo(log.partition("import", "Default"));
  }

  @Test
  void provisioningNeedsNames() {
    refused("22023", () -> log.partition(null, "p"), "p_queue");
    refused("22023", () -> log.partition("", "p"), "p_queue");
    refused("22023", () -> log.partition("import", ""), "p_partition");
  }

  @Test
  void aQueueMadeByFirstContactHasTheDefaults() {
    String queue = UUID.randomUUID().toString();
    log.partition(queue, "p");
    assertThat(log.configure(queue, "{}"))
        .isEqualTo(sql.json("select queen.queue_option_defaults_v1()"));
  }

  @Test
  void eightFirstContactsAtOnceMakeOneQueueAndOnePartition() {
    int threads = 8;
    List<Sql> sessions = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      sessions.add(database.connect());
    }
    CyclicBarrier together = new CyclicBarrier(threads);
    for (int round = 0; round < 10; round++) {
      // Even rounds race for the queue too, odd ones for another partition of it.
      String queue = "race " + round / 2;
      String name = "p" + round;
      List<Waiting.Elsewhere<UUID>> calls = new ArrayList<>();
      for (Sql session : sessions) {
        calls.add(
            elsewhere(
                () -> {
                  together.await();
                  return new TestLog(session).partition(queue, name);
                }));
      }
      assertThat(calls.stream().map(Waiting.Elsewhere::get).distinct()).hasSize(1);
      assertThat(sql.number("select count(*) from queen.queues where name = ?", queue)).isOne();
      assertThat(sql.number("select count(*) from queen.log_partitions where name = ?", name))
          .isOne();
    }
  }

  private Instant lastStamp() {
    return sql.value("select last_created_at from queen.log_partitions where id = ?", partition);
  }

  /** All arguments as array literals; hashes by their length, all bytes the element's number. */
  private JsonNode imports(String times, String counts, String hashBytes, String blobs) {
    return sql.json(
        """
        select queen.log_import_v1(
            p_partition_id => ?,
            p_created_at => ?::timestamptz[],
            p_msg_counts => ?::int[],
            p_hashes => array(select decode(repeat(lpad(to_hex(u.i), 2, '0'), u.n), 'hex')
                                from unnest(?::int[]) with ordinality u(n, i) order by u.i),
            p_blobs => array(select convert_to(u.b, 'UTF8') from unnest(?::text[]) with ordinality u(b, i) order by u.i))
        """,
        partition,
        times,
        counts,
        hashBytes,
        blobs);
  }

  private void refusedAndUnchanged(
      String times, String counts, String hashBytes, String blobs, String... says) {
    List<Map<String, Object>> before = everything();
    refused(times, "22023", () -> imports(times, counts, hashBytes, blobs), says);
    assertThat(everything()).as(times).isEqualTo(before);
  }

  private List<Map<String, Object>> everything() {
    return sql.rows(
        """
        select p::text as partition,
               (select count(*) from queen.log_segments s where s.partition_id = p.id) as segments,
               (select count(*) from queen.log_txns t where t.partition_id = p.id) as txns
          from queen.log_partitions p where p.id = ?
        """,
        partition);
  }
}

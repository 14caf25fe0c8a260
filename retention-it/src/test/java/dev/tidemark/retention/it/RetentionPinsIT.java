package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.support.Reads;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code retention_pins_v1}: which group holds back what, and how much. */
class RetentionPinsIT {
  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;

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
  void aQueueThatKeepsWhatIsNotConsumed() {
    sql.run("delete from queen.queues");
    policy(0, 5, 0);
  }

  @Test
  void aGroupThatCommittedTheHeadPinsNothing() {
    UUID p = filled("p", 9, 8);
    log.commit(p, "through", 3);
    log.commit(p, "half", 1);
    assertThat(pins()).isEmpty();
  }

  @Test
  void aGroupInsideTheHeadSegmentPinsItWhole() {
    log.commit(filled("p", 9, 8), "inside", 0);
    assertThat(pins()).containsExactly("q inside 1 1 3");
  }

  @Test
  void everyGroupThatPinsIsNamedAndWhatItAlonePinsIsCounted() {
    UUID both = filled("both", 9, 1);
    log.commit(both, "stopped", -1);
    log.commit(both, "slow", 0);
    log.commit(both, "fast", 3);
    log.commit(filled("one", 9), "stopped", -1);
    filled("unread", 9, 8);
    assertThat(pins()).containsExactly("q stopped 2 1 6", "q null 1 1 4", "q slow 1 0 3");
  }

  @Test
  void theOldestIsTheHeadOfTheOldestPartition() {
    log.commit(filled("p", 9), "g", -1);
    log.commit(filled("older", 20, 6), "g", -1);
    Instant oldest = sql.value("select min(oldest_live_at) from queen.log_partitions");
    assertThat(
            sql.<Instant>value(
                "select oldest_live_at from queen.retention_pins_v1(p_queue => null, p_max_partitions => 10)"))
        .isEqualTo(oldest);
  }

  @Test
  void whatIsFreshOrGoesByAnotherRuleIsNotPinned() {
    log.commit(filled("fresh", 3), "g", -1);
    assertThat(pins()).isEmpty();
    policy(10, 5, 0);
    log.commit(filled("by age", 12, 9), "g", -1);
    assertThat(pins()).isEmpty();
    policy(0, 5, 10);
    assertThat(pins()).isEmpty();
    policy(20, 5, 0);
    assertThat(pins()).containsExactly("q g 1 1 4");
    log.configure("q", "{\"retentionEnabled\": false}");
    assertThat(pins()).isEmpty();
  }

  @Test
  void aLookThatEndsBeforeTheQueueSaysSo() {
    for (int i = 0; i < 3; i++) {
      log.commit(filled("p" + i, 9 - i), "g", -1);
    }
    assertThat(
            sql.rows("select partitions, capped from queen.retention_pins_v1('q', 3)").toString())
        .isEqualTo("[{partitions=3, capped=true}]");
    assertThat(
            sql.rows("select partitions, capped from queen.retention_pins_v1('q', 4)").toString())
        .isEqualTo("[{partitions=3, capped=false}]");
    assertThat(
            sql.rows("select partitions, capped from queen.retention_pins_v1('q', 1)").toString())
        .isEqualTo("[{partitions=1, capped=true}]");
    assertThat(sql.rows("select * from queen.retention_pins_v1('other', 4)")).isEmpty();
  }

  @Test
  void theLookCostsItsPartitionsAndNotTheLog() {
    sql.run(
        "insert into queen.log_partitions (queue_id, name, last_offset, oldest_live_at)"
            + " select q.id, 'p' || n, 99, now() - interval '9 hours' from queen.queues q, generate_series(1, 500) n");
    sql.run(
        "insert into queen.log_segments (partition_id, base_offset, end_offset, created_at, blob)"
            + " select p.id, n, n, now() - interval '9 hours', '' from queen.log_partitions p, generate_series(0, 99) n");
    sql.run(
        "insert into queen.log_consumers (partition_id, consumer_group) select p.id, 'g' from queen.log_partitions p");
    sql.run("analyze queen.log_partitions, queen.log_segments, queen.log_consumers");
    assertThat(pins()).containsExactly("q g 500 500 50000");

    Reads.Read segments =
        new Reads(sql, "log_segments")
            .during(() -> sql.rows("select * from queen.retention_pins_v1('q', 50)"));
    Reads.Read partitions =
        new Reads(sql, "log_partitions")
            .during(() -> sql.rows("select * from queen.retention_pins_v1('q', 50)"));

    Reads.Read cursors =
        new Reads(sql, "log_consumers")
            .during(() -> sql.rows("select * from queen.retention_pins_v1('q', 50)"));

    assertThat(
            segments.sequentialScans() + partitions.sequentialScans() + cursors.sequentialScans())
        .isZero();
    assertThat(cursors.indexEntries()).isLessThanOrEqualTo(50);
    assertThat(segments.indexEntries()).isLessThanOrEqualTo(50);
    assertThat(partitions.indexEntries()).isLessThanOrEqualTo(51);
  }

  @Test
  void aBadCapIsRefused() {
    for (String cap : List.of("null", "0", "-1")) {
      refused(
          cap,
          "22023",
          () -> sql.rows("select * from queen.retention_pins_v1(null, " + cap + ")"),
          "p_max_partitions must be at least 1");
    }
  }

  private static void policy(int hours, int hoursWhenConsumed, int hoursToWait) {
    log.configure(
        "q",
        "{\"retentionEnabled\": true, \"retentionSeconds\": %d, \"completedRetentionSeconds\": %d, \"maxWaitTimeSeconds\": %d}"
            .formatted(hours * 3600, hoursWhenConsumed * 3600, hoursToWait * 3600));
  }

  private static UUID filled(String name, int... hoursAgo) {
    UUID partition = log.partition("q", name);
    for (int hours : hoursAgo) {
      log.append(partition, log.ago(Duration.ofHours(hours).plusMinutes(30)), 2);
    }
    return partition;
  }

  /** {@code queue group partitions alone messages}, in order. */
  private static List<String> pins() {
    return sql
        .rows(
            "select queue_name || ' ' || coalesce(consumer_group, 'null') || ' ' || partitions || ' ' || alone || ' '"
                + " || messages_behind as pin from queen.retention_pins_v1(p_queue => null, p_max_partitions => 1000)")
        .stream()
        .map(r -> String.valueOf(r.get("pin")))
        .toList();
  }
}

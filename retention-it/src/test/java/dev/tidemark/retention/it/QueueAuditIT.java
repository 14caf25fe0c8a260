package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.core.database.NotFoundException;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.sql.AuditGateway;
import dev.tidemark.retention.sql.AuditGateway.Broken;
import dev.tidemark.retention.sql.AuditGateway.Cursor;
import dev.tidemark.retention.sql.AuditGateway.Deletion;
import dev.tidemark.retention.sql.AuditGateway.PartitionCursors;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code queue_cursors_v1} and {@code queue_history_v1}, and their gateway. */
class QueueAuditIT {
  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private static AuditGateway audit;
  private String queue;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    log = new TestLog(sql);
    audit = new AuditGateway(database.pool());
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void aNewQueue() {
    queue = UUID.randomUUID().toString();
  }

  @Test
  void cursorsComeWithTheirPartitionAndAPartitionWithoutOneComesToo() {
    UUID read = log.partition(queue, "a");
    UUID unread = log.partition(queue, "b");
    Instant hour = log.ago(Duration.ofHours(1));
    log.append(read, hour, 2);
    log.append(read, hour, 3);
    log.commit(read, "slow", -1);
    log.commit(read, "fast", 3);
    log.retentionStep(read, log.ago(Duration.ZERO), null, 1);

    assertThat(audit.cursors(queue))
        .containsExactly(
            new PartitionCursors(
                read, "a", 2, 0, 4, hour, List.of(new Cursor("fast", 3), new Cursor("slow", -1))),
            new PartitionCursors(unread, "b", 0, 0, -1, null, List.of()));
  }

  @Test
  void theHistoryIsReadInPagesAndOnlyOfThisQueue() {
    UUID partition = log.partition(queue, "p");
    UUID other = log.partition(queue + "-other", "p");
    Instant hour = log.ago(Duration.ofHours(1));
    for (int i = 0; i < 3; i++) {
      log.append(partition, hour, 2);
      log.append(other, hour, 2);
    }
    for (int i = 0; i < 3; i++) {
      log.retentionStep(other, log.ago(Duration.ZERO), null, 1);
      log.retentionStep(partition, log.ago(Duration.ZERO), null, 1);
    }

    List<Deletion> first = audit.deletions(queue, OptionalLong.empty(), 2);
    assertThat(first)
        .extracting(Deletion::partitionId, Deletion::rule, Deletion::segments, Deletion::messages)
        .containsOnly(Assertions.tuple(partition, "retention", 1L, 2L))
        .hasSize(2);
    long last = first.get(1).id();
    assertThat(first.get(0).id()).isLessThan(last);
    assertThat(audit.deletions(queue, OptionalLong.of(last), 2)).hasSize(1);
  }

  @Test
  void aViolationComesWithItsNumber() {
    UUID partition = log.partition(queue, "p");
    log.append(partition, log.ago(Duration.ofHours(1)), 2);
    sql.run("update queen.log_partitions set oldest_live_at = null where id = ?", partition);

    assertThat(audit.brokenInvariants())
        .extracting(Broken::partitionId, Broken::invariant)
        .containsExactly(Assertions.tuple(partition, 6));
    sql.run("delete from queen.log_partitions where id = ?", partition);
  }

  @Test
  void aBadArgumentIsNamedAndAQueueThatIsNotThereIsNotFound() {
    refused("22023", () -> sql.rows("select * from queen.queue_cursors_v1(null)"), "p_queue");
    refused("22023", () -> sql.rows("select * from queen.queue_history_v1('', 0, 1)"), "p_queue");
    for (String bad : List.of("null", "0", "-1")) {
      refused(
          "22023",
          () -> sql.rows("select * from queen.queue_history_v1('q', null, " + bad + ")"),
          "p_max_rows");
    }
    assertThat(Assertions.catchThrowable(() -> audit.cursors("none")))
        .isInstanceOf(NotFoundException.class);
    assertThat(Assertions.catchThrowable(() -> audit.deletions("none", OptionalLong.empty(), 1)))
        .isInstanceOf(NotFoundException.class);
  }
}

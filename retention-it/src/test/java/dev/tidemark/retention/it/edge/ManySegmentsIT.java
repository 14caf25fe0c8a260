package dev.tidemark.retention.it.edge;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Reads;
import dev.tidemark.retention.it.support.Reads.Read;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A partition of a million segments: a call costs its batch, wherever in the log it works. */
class ManySegmentsIT {
  private static final int SEGMENTS = 1_000_000;
  private static final int BATCH = 1_000;

  /** Horizon probe, walks, delete, and probes of one entry each. */
  private static final long FEW_BATCHES = 5 * BATCH;

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private static Instant first;
  private static UUID partition;

  /** Segments of one message, a millisecond apart, the last one an hour old; none is vacuumed. */
  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    log = new TestLog(sql);
    log.configure("q", "{}");
    partition = log.partition("q", "p");
    first = log.ago(Duration.ofHours(1).plusMillis(SEGMENTS));
    sql.run("alter table queen.log_segments set (autovacuum_enabled = off)");
    sql.run("alter table queen.log_txns set (autovacuum_enabled = off)");
    // Without a foreign key check for every row.
    sql.run("set session_replication_role = replica");
    for (String table : new String[] {"log_segments", "log_txns"}) {
      sql.run(
          "insert into queen."
              + table
              + " select ?::uuid, i, i, ?::timestamptz + i * interval '1 millisecond', '' from generate_series(0, ? - 1) i",
          partition,
          first,
          SEGMENTS);
    }
    sql.run("reset session_replication_role");
    sql.run(
        "update queen.log_partitions set last_offset = ? - 1, last_created_at = now(), oldest_live_at = ?, oldest_txn_at = ?"
            + " where id = ?",
        SEGMENTS,
        first,
        first,
        partition);
    sql.run("analyze queen.log_segments, queen.log_txns");
  }

  @AfterAll
  static void close() {
    assertThat(Invariants.broken(sql)).isEmpty();
    database.close();
  }

  @Test
  void everyCallCostsItsBatchAndTheWatermarksStayExact() {
    Instant middle = first.plusMillis(SEGMENTS / 2);

    // Nothing of it goes.
    bounded("log_segments", 0, () -> log.retentionStep(partition, first, first, BATCH));
    bounded("log_txns", 0, () -> log.purgeStep(partition, first, BATCH));
    // Behind a prefix of dead rows that grows with every step.
    for (int call = 1; call <= 20; call++) {
      bounded("log_segments", BATCH, () -> log.retentionStep(partition, middle, null, BATCH));
      bounded("log_txns", BATCH, () -> log.purgeStep(partition, middle, BATCH));
      assertThat(log.row(partition))
          .isEqualTo(new TestLog.Row(SEGMENTS - 1, call * BATCH, call * BATCH, at(call), at(call)));
    }
    bounded("log_segments", BATCH, () -> log.evictStep(partition, middle, BATCH));
    log.commit(partition, "g", SEGMENTS - 1);
    bounded("log_segments", BATCH, () -> log.retentionStep(partition, null, middle, BATCH));
    assertThat(log.row(partition).logStart()).isEqualTo(22 * BATCH);
  }

  @Test
  void aWalkReadsNoFurtherThanItsHorizon() {
    Reads reads = new Reads(sql, "log_segments");
    long from = SEGMENTS / 2;
    Read read =
        reads.during(
            () ->
                assertThat(
                        sql.number(
                            "select queen.log_retention_boundary_windowed_v1(?, ?, now(), ?)",
                            partition,
                            from,
                            from + BATCH))
                    .isEqualTo(from + BATCH));
    assertThat(read.sequentialScans()).isZero();
    assertThat(read.indexEntries()).isBetween((long) BATCH, BATCH + 10L);
  }

  @Test
  void aReaderInTheMiddleCostsItsBatchToo() {
    log.commit(partition, "reader", SEGMENTS / 2 - 1);
    Reads reads = new Reads(sql, "log_segments");
    Read read =
        reads.during(
            () ->
                assertThat(
                        sql.rows(
                            "select from_offset from queen.log_pop_v1(p_queue => 'q', p_partition => 'p', p_group => 'reader',"
                                + " p_worker => 'w', p_max_messages => ?, p_lease_seconds => 60)",
                            BATCH))
                    .hasSize(BATCH));
    assertThat(read.sequentialScans()).isZero();
    assertThat(read.indexEntries()).isLessThan(2 * BATCH);
    read = reads.during(() -> sql.rows("select * from queen.retention_status_v1()"));
    assertThat(read.indexEntries()).isLessThan(10);
  }

  /** Runs a step that has to delete so much; it reads a few batches at most. */
  private static void bounded(String table, int deletes, Supplier<JsonNode> step) {
    Read read =
        new Reads(sql, table)
            .during(() -> assertThat(step.get().get("deleted").asLong()).isEqualTo(deletes));
    assertThat(read.sequentialScans()).isZero();
    assertThat(read.indexEntries()).isLessThan(FEW_BATCHES);
  }

  private static Instant at(int batches) {
    return first.plusMillis((long) batches * BATCH);
  }
}

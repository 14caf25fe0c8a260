package dev.tidemark.retention.it.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Reads;
import dev.tidemark.retention.it.support.Reads.Read;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a step reads on a deep partition: about one batch of index entries a call, whether
 * everything or nothing is stale, on the first call and on the tenth of a session. The unclamped
 * walk read the whole backlog on every call.
 */
class StepPlanIT {
  private static final int SEGMENTS = 20_000;
  private static final int BATCH = 100;

  /** Horizon probe, walk, delete and a few probes of one entry each. */
  private static final long FEW_BATCHES = 4 * BATCH;

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private static Instant old;
  private UUID partition;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    log = new TestLog(sql);
    old = log.ago(Duration.ofDays(10));
    log.configure("plans", "{}");
    deep("neighbour");
    sql.run("analyze queen.log_segments");
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void aDeepPartition() {
    partition = deep(UUID.randomUUID().toString());
  }

  @Test
  void everyStepOfADrainReadsAFewBatches() {
    Reads reads = new Reads(sql, "log_segments");
    for (int call = 1; call <= 10; call++) {
      Read read =
          reads.during(
              () ->
                  assertThat(deleted(log.retentionStep(partition, now(), null, BATCH)))
                      .isEqualTo(BATCH));
      assertThat(read.sequentialScans()).as("call " + call).isZero();
      assertThat(read.indexEntries()).as("call " + call).isBetween((long) BATCH, FEW_BATCHES);
    }
  }

  @Test
  void everyStepOfAConsumedDrainReadsAFewBatches() {
    log.commit(partition, "all", SEGMENTS - 1);
    Reads reads = new Reads(sql, "log_segments");
    for (int call = 1; call <= 10; call++) {
      Read read =
          reads.during(
              () ->
                  assertThat(deleted(log.retentionStep(partition, old, now(), BATCH)))
                      .isEqualTo(BATCH));
      assertThat(read.sequentialScans()).as("call " + call).isZero();
      assertThat(read.indexEntries()).as("call " + call).isBetween((long) BATCH, FEW_BATCHES);
    }
  }

  @Test
  void aStepThatFindsNothingStaleReadsOneBatchAtMost() {
    Reads reads = new Reads(sql, "log_segments");
    Read read =
        reads.during(
            () -> assertThat(deleted(log.retentionStep(partition, old, old, BATCH))).isZero());
    assertThat(read.sequentialScans()).isZero();
    assertThat(read.indexEntries()).isLessThan(2 * BATCH);
  }

  @Test
  void theClampedWalkReadsItsWindow() {
    Reads reads = new Reads(sql, "log_segments");
    for (int call = 1; call <= 10; call++) {
      Read read = reads.during(() -> assertThat(boundary(500L, now(), 600L)).isEqualTo(600));
      assertThat(read.sequentialScans()).as("call " + call).isZero();
      assertThat(read.indexEntries()).as("call " + call).isBetween(100L, 110L);
    }
  }

  @Test
  void aPreparedWalkKeepsItsPlan() {
    sql.run(
        "prepare walk(uuid, bigint, timestamptz, bigint) as"
            + " select queen.log_retention_boundary_windowed_v1($1, $2, $3, $4)");
    Reads reads = new Reads(sql, "log_segments");
    for (String mode : new String[] {"force_custom_plan", "force_generic_plan", "auto"}) {
      sql.run("set plan_cache_mode = " + mode);
      for (int call = 1; call <= 8; call++) {
        Read read =
            reads.during(
                () ->
                    assertThat(
                            sql.number(
                                "execute walk('" + partition + "', 0, '" + now() + "', 100)"))
                        .isEqualTo(100));
        assertThat(read.sequentialScans()).as(mode + ", call " + call).isZero();
        assertThat(read.indexEntries()).as(mode + ", call " + call).isLessThanOrEqualTo(110);
      }
    }
    sql.run("reset plan_cache_mode");
    sql.run("deallocate walk");
  }

  @Test
  void everyPurgeStepReadsAFewBatches() {
    Reads reads = new Reads(sql, "log_txns");
    for (int call = 1; call <= 10; call++) {
      Read read =
          reads.during(
              () -> assertThat(deleted(log.purgeStep(partition, now(), BATCH))).isEqualTo(BATCH));
      assertThat(read.sequentialScans()).as("call " + call).isZero();
      assertThat(read.indexEntries()).as("call " + call).isBetween((long) BATCH, FEW_BATCHES);
    }
  }

  private static long deleted(JsonNode step) {
    return step.get("deleted").asLong();
  }

  private static Instant now() {
    return old.plus(Duration.ofDays(10));
  }

  private long boundary(long from, Instant cutoff, long horizon) {
    return sql.number(
        "select queen.log_retention_boundary_windowed_v1(?, ?, ?, ?)",
        partition,
        from,
        cutoff,
        horizon);
  }

  /** A partition of {@link #SEGMENTS} stale segments of one message, a second apart. */
  private static UUID deep(String name) {
    UUID id = log.partition("plans", name);
    sql.run(
        "insert into queen.log_segments (partition_id, base_offset, end_offset, created_at, blob)"
            + " select ?, i, i, ?::timestamptz + i * interval '1 second', '' from generate_series(0, ? - 1) i",
        id,
        old,
        SEGMENTS);
    sql.run(
        "insert into queen.log_txns (partition_id, base_offset, end_offset, created_at, hashes)"
            + " select s.partition_id, s.base_offset, s.end_offset, s.created_at, '' from queen.log_segments s where s.partition_id = ?",
        id);
    sql.run(
        "update queen.log_partitions set last_offset = ? - 1, last_created_at = now(), oldest_live_at = ?, oldest_txn_at = ? where id = ?",
        SEGMENTS,
        old,
        old,
        id);
    return id;
  }
}

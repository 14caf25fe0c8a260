package dev.tidemark.retention.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.cycle.CycleReport;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Reads;
import dev.tidemark.retention.it.support.Reads.Read;
import dev.tidemark.retention.it.support.Refusals;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.runner.RetentionService;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code log_history_roll_up_step_v1}: what a batch reads, whatever lies around it, and how the
 * runner calls it. What it counts is in HistoryRollUpLaws.
 */
class HistoryRollUpIT {
  private static final int BATCH = 100;
  private static final int BATCHES = 10;
  private static final long FEW_BATCHES = 4 * BATCH;

  /** The planner itself looks at the ends of an index, dead or not. */
  private static final long PLANNERS = 10;

  private static final long ALL_OLD = 2 * BATCH * BATCHES;
  private static final Instant OLD = Instant.parse("2020-01-01T00:00:00Z");
  private static final Instant CUTOFF = Instant.parse("2021-01-01T00:00:00Z");

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private static Reads reads;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    log = new TestLog(sql);
    reads = new Reads(sql, "retention_history");
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void anEmptyHistory() {
    sql.run("truncate queen.retention_history, queen.retention_history_minutes");
    // Statistics of an empty table, which a night of cycles leaves far behind.
    sql.run("analyze queen.retention_history");
  }

  @Test
  void aNullCutoffRollsNothingUp() {
    steps("retention", 5, OLD);
    JsonNode answer = rollUp(null, null, 10);
    assertThat(answer)
        .isEqualTo(
            sql.json(
                "select '{\"rolled\": 0, \"minutes\": 0, \"last_at\": null, \"done\": true}'::jsonb"));
    assertThat(sql.number("select count(*) from queen.retention_history")).isEqualTo(5);
  }

  @Test
  void partitionEventsAreNotReadAgainByEachBatch() {
    steps("__partition_deleted__", 100_000, OLD);
    steps("retention", BATCH * BATCHES, OLD.plus(Duration.ofDays(30)));
    // From the oldest row, so that what went before is read as well.
    for (int batch = 0; batch <= BATCHES; batch++) {
      Read read = reads.during(() -> rollUp(null, CUTOFF, BATCH));
      assertThat(read.sequentialScans()).as("batch " + batch).isZero();
      assertThat(read.indexEntries()).as("batch " + batch).isLessThan(ALL_OLD);
    }
    assertThat(sql.number("select sum(steps) from queen.retention_history_minutes"))
        .isEqualTo(BATCH * BATCHES);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aBatchReadsABatchAndAnIdleCallNothing(boolean analyzed) {
    steps("retention", 20_000, log.ago(Duration.ofHours(1)));
    if (analyzed) {
      sql.run("analyze queen.retention_history");
    }
    assertReads(PLANNERS, "all of it is young", null, 0);
    steps("retention", BATCH * BATCHES, OLD);
    Instant from = OLD;
    for (int batch = 0; batch < BATCHES; batch++) {
      from = assertReads(ALL_OLD, "batch " + batch, from, BATCH);
    }
  }

  @Test
  void aPreparedCallKeepsItsPlan() {
    steps("retention", 50_000, OLD);
    sql.run(
        "prepare roll(timestamptz, timestamptz, int) as"
            + " select (queen.log_history_roll_up_step_v1($1, $2, $3) ->> 'rolled')::int");
    for (String mode : new String[] {"force_custom_plan", "force_generic_plan", "auto"}) {
      sql.run("set plan_cache_mode = " + mode);
      for (int call = 1; call <= 8; call++) {
        Read read =
            reads.during(
                () ->
                    assertThat(sql.number("execute roll('" + OLD + "', '" + CUTOFF + "', 100)"))
                        .isEqualTo(100));
        assertThat(read.sequentialScans()).as(mode + ", call " + call).isZero();
      }
    }
    sql.run("reset plan_cache_mode");
    sql.run("deallocate roll");
  }

  /** A snapshot that is open elsewhere keeps every row that was rolled up, dead, in the index. */
  @Test
  void aBatchThatGoesOnDoesNotWalkOverTheDeadOnes() {
    steps("retention", BATCH * BATCHES * 2, OLD);
    Sql reporter = database.connect();
    reporter.begin();
    reporter.run("set transaction isolation level repeatable read");
    assertThat(reporter.number("select count(*) from queen.retention_history")).isPositive();
    try {
      Instant from = OLD;
      for (int batch = 0; batch < BATCHES; batch++) {
        from = assertReads(FEW_BATCHES, "batch " + batch, from, BATCH);
      }
      Read again = reads.during(() -> rollUp(OLD, CUTOFF, BATCH));
      assertThat(again.indexEntries())
          .as("from the oldest, it would")
          .isGreaterThanOrEqualTo(BATCH * (BATCHES + 1L));
    } finally {
      reporter.rollback();
    }
  }

  @Test
  void aCycleRollsUpWhatIsOlderThanTheDetailAndCountsIt() {
    UUID partition = log.partition("rolled-up", "p");
    log.configure("rolled-up", "{\"retentionEnabled\": true, \"retentionSeconds\": 60}");
    log.append(partition, log.ago(Duration.ofHours(1)), 2);
    steps("retention", 250, log.ago(Duration.ofHours(49)));
    steps("retention", 30, log.ago(Duration.ofHours(47)));
    steps("__partition_deleted__", 5, log.ago(Duration.ofHours(49)));
    steps("retention", 7, log.ago(Duration.ofDays(91)));
    try (RetentionService service =
        RetentionService.on(database.pool())
            .knob(Knob.BATCH_SIZE, "100")
            .knob(Knob.HISTORY_DETAIL_HOURS, "48")
            .build()) {
      CycleReport first = ((CycleOutcome.Swept) service.runOnce()).report();
      assertThat(first.rollUp()).isEqualTo(new CycleReport.RollUp(250, ""));
      assertThat(first.metrics().rows()).as("older than both, so purged as it is").isEqualTo(7);
      CycleReport second = ((CycleOutcome.Swept) service.runOnce()).report();
      assertThat(second.rollUp()).isEqualTo(new CycleReport.RollUp(0, ""));
    }
    assertThat(sql.number("select sum(steps) from queen.retention_history_minutes")).isEqualTo(250);
    assertThat(sql.number("select count(*) from queen.retention_history"))
        .as("the step of the cycle, the young ones and the events")
        .isEqualTo(1 + 30 + 5);
    assertThat(Invariants.broken(sql)).isEmpty();
    assertThat(sql.rows("select * from queen.queue_history_v1('rolled-up', null, 10)")).hasSize(1);
  }

  @Test
  void aMinuteStandsForStepsAndForNothingElse() {
    String insert =
        "insert into queen.retention_history_minutes (minute, retention_type, messages_deleted,"
            + " segments_deleted, steps) values (?::timestamptz, ?, 1, 1, 1)";
    Refusals.refused("23514", () -> sql.run(insert, OLD.plusSeconds(1), "retention"), "minute");
    Refusals.refused("23514", () -> sql.run(insert, OLD, "__x__"), "retention_type");
    sql.run(insert, OLD, "retention");
    Refusals.refused("23505", () -> sql.run(insert, OLD, "retention"), "minutes_key");
  }

  /** One call; where the next one begins. */
  private static Instant assertReads(long most, String what, Instant from, int rolled) {
    JsonNode[] answer = new JsonNode[1];
    Read read = reads.during(() -> answer[0] = rollUp(from, CUTOFF, BATCH));
    assertThat(answer[0].get("rolled").asInt()).as(what).isEqualTo(rolled);
    assertThat(read.sequentialScans()).as(what).isZero();
    assertThat(read.indexEntries()).as(what).isLessThanOrEqualTo(most);
    JsonNode last = answer[0].get("last_at");
    return last.isNull() ? from : OffsetDateTime.parse(last.asText()).toInstant();
  }

  private static JsonNode rollUp(Instant from, Instant cutoff, int maxRows) {
    return sql.json(
        "select queen.log_history_roll_up_step_v1(?::timestamptz, ?::timestamptz, ?)",
        from,
        cutoff,
        maxRows);
  }

  /** So many rows, a millisecond apart. */
  private static void steps(String type, int rows, Instant first) {
    sql.run(
        "insert into queen.retention_history (partition_id, messages_deleted, segments_deleted,"
            + " retention_type, executed_at) select gen_random_uuid(), 1, 1, ?,"
            + " ?::timestamptz + n * interval '1 millisecond' from generate_series(0, ? - 1) n",
        type,
        first,
        rows);
  }
}

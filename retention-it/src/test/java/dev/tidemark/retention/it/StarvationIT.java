package dev.tidemark.retention.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.cycle.CycleReport;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.it.support.HeldPartitions;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.runner.RetentionService;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Partitions that a cursor holds, more of them than the cap and older than the only deletable one:
 * they cost a probe each, and hide it from nobody.
 */
class StarvationIT {
  private TestDatabase database;
  private Sql sql;
  private TestLog log;
  private UUID deletable;

  @BeforeEach
  void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    log = new TestLog(sql);
    log.configure("q", "{\"retentionEnabled\": true, \"completedRetentionSeconds\": 60}");
    deletable = log.partition("q", "deletable");
    log.append(deletable, log.ago(Duration.ofMinutes(30)), 1);
    log.commit(deletable, "g", 0);
  }

  @AfterEach
  void close() {
    database.close();
  }

  /** Few are passed over one by one in every cycle; more of them are not even read again. */
  @ParameterizedTest
  @CsvSource({"10, 300, 300", "100, 3000, 0"})
  void thirtyTimesTheCapHideNothingAndAreThenPassedOverWithoutAProbe(
      String cap, int held, int readAgain) {
    held(held);
    RetentionService service = RetentionService.on(database.pool()).knob(Knob.DUE_CAP, cap).build();

    CycleReport first = cycle(service);

    assertThat(log.segments(deletable)).isEmpty();
    assertThat(first.visits()).isEqualTo(new CycleReport.Visits(held + 1, held, 0, 0));
    nobodyMayProbe();
    assertThat(cycle(service).visits())
        .isEqualTo(new CycleReport.Visits(readAgain, readAgain, 0, 0));
    assertThat(untouched()).isEqualTo(held);
  }

  @Test
  void twoHundredThousandHideNothingForMoreThanThreeCycles() {
    held(200_000);
    // Room for 100,000 probes on a machine that does something else, too.
    RetentionService service =
        RetentionService.on(database.pool()).knob(Knob.CYCLE_BUDGET_MS, "600000").build();

    int cycles = 0;
    while (!log.segments(deletable).isEmpty()) {
      assertThat(cycles++).as("cycles").isLessThan(3);
      assertThat(cycle(service).visits().failed()).isZero();
    }
    nobodyMayProbe();
    for (int cycle = 0; cycle < 8; cycle++) {
      assertThat(cycle(service).visits()).isEqualTo(new CycleReport.Visits(0, 0, 0, 0));
    }
    assertThat(untouched()).isEqualTo(200_000);
  }

  @Test
  void aHeldPartitionGoesInTheCycleInWhichAgeTakesIt() {
    held(1);
    RetentionService service = RetentionService.on(database.pool()).build();
    cycle(service);
    assertThat(untouched()).isOne();
    // Past the age cutoff by time alone: no window is edited, so nothing is forgotten.
    sql.run("update queen.queues set retention_seconds = 100000000");
    cycle(service);
    sql.run(
        "update queen.log_segments set created_at = '2000-01-01Z' where partition_id <> ?",
        deletable);
    sql.run(
        "update queen.log_partitions set oldest_live_at = '2000-01-01Z' where id <> ?", deletable);
    assertThat(cycle(service).segmentsDeleted()).isOne();
    assertThat(untouched()).isZero();
  }

  /** Older than the deletable one. */
  private void held(int partitions) {
    HeldPartitions.add(sql, partitions);
  }

  private static CycleReport cycle(RetentionService service) {
    return ((CycleOutcome.Swept) service.runOnce()).report();
  }

  /** From here on, a cycle that probes a head fails. */
  private void nobodyMayProbe() {
    sql.run("alter function queen.log_heads_can_go_v1 rename to nobody_may_probe");
  }

  private long untouched() {
    return sql.number(
        "select count(*) from queen.log_segments s join queen.log_partitions p on p.id = s.partition_id"
            + " where p.name like 'held%'");
  }
}

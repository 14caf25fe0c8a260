package dev.tidemark.retention.it.edge;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.cycle.CycleReport;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.it.cli.Cli;
import dev.tidemark.retention.it.support.HeldPartitions;
import dev.tidemark.retention.it.support.Reads;
import dev.tidemark.retention.it.support.Reads.Read;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.runner.RetentionService;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A hundred thousand partitions in a queue, and ten thousand queues: a cycle sees what is due. */
class ManyPartitionsIT {
  private static final int PARTITIONS = 100_000;
  private static final int QUEUES = 10_000;

  private TestDatabase database;
  private Sql sql;
  private TestLog log;
  private RetentionService service;

  @BeforeEach
  void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    log = new TestLog(sql);
    service = RetentionService.on(database.pool()).knob(Knob.CYCLE_BUDGET_MS, "600000").build();
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void inAQueueOfAHundredThousandPartitionsACycleReadsWhatIsDue() {
    // They are a day old at most.
    log.configure("q", "{\"retentionEnabled\": true, \"retentionSeconds\": 172800}");
    HeldPartitions.add(sql, PARTITIONS);
    sql.run("update queen.log_partitions set txns_start = 1");
    UUID due = log.partition("q", "due");
    log.append(due, log.ago(Duration.ofDays(3)), 1);
    sql.run("vacuum analyze queen.log_partitions");

    Reads reads = new Reads(sql, "log_partitions");
    Read listed =
        reads.during(
            () ->
                assertThat(
                        sql.column(
                            "select partition_id from queen.log_work_list_v1(p_due_cap => 5000, p_total_cap => 100000) where phase > 0"))
                    .containsExactly(due, due));
    assertThat(listed.sequentialScans()).isZero();
    assertThat(listed.indexEntries()).isLessThan(20);
    CycleReport report = cycle();
    assertThat(report.visits()).isEqualTo(new CycleReport.Visits(2, 0, 0, 0));
    assertThat(report.segmentsDeleted()).isOne();
    assertThat(report.txnsPurged()).isOne();

    // All of them are due: the list ends at the cap, and at the total.
    log.configure("q", "{\"retentionSeconds\": 60}");
    assertThat(listed(500, 100_000)).isEqualTo(500);
    assertThat(listed(100_000, 700)).isEqualTo(700);
    Read capped = reads.during(() -> listed(500, 100_000));
    assertThat(capped.indexEntries()).isBetween(500L, 520L);
    assertThat(sql.number("select due_retention from queen.retention_status_v1()"))
        .isEqualTo(PARTITIONS);
    assertThat(sql.rows("select * from queen.log_invariants_v1()")).isEmpty();
    JsonNode plan = new Cli("--jdbc-url", database.url()).json("plan");
    assertThat(plan.get("totals").get(0).get("partitions").asLong()).isEqualTo(PARTITIONS);

    assertThat(sql.json("select queen.delete_queue_v1(p_name => 'q')").get("partitions").asLong())
        .isEqualTo(PARTITIONS + 1);
    for (String table :
        new String[] {"log_partitions", "log_segments", "log_consumers", "log_txns"}) {
      assertThat(sql.rows("select from queen." + table + " limit 1")).as(table).isEmpty();
    }
  }

  @Test
  void amongTenThousandQueuesACycleReadsWhatIsDue() {
    sql.run(
        "insert into queen.queues (name, retention_enabled, retention_seconds, max_wait_time_seconds)"
            + " select 'q' || i, true, 172800, 172800 from generate_series(1, ?) i",
        QUEUES);
    HeldPartitions.add(sql, 2);
    sql.run("update queen.log_partitions set txns_start = 1");
    UUID due = log.partition("q7777", "due");
    log.append(due, log.ago(Duration.ofDays(3)), 1);
    sql.run("vacuum analyze queen.log_partitions");

    Read read = new Reads(sql, "log_partitions").during(() -> listed(5000, 100_000));
    assertThat(read.sequentialScans()).isZero();
    assertThat(read.indexEntries()).isLessThan(20);
    CycleReport report = cycle();
    assertThat(report.rules()).hasSize(QUEUES);
    assertThat(report.byQueue()).containsOnlyKeys("q7777");
    assertThat(report.visits().failed()).isZero();

    Cli cli = new Cli("--jdbc-url", database.url());
    assertThat(cli.json("status").get("queues")).hasSize(QUEUES);
    assertThat(cli.json("plan").get("queues").asLong()).isEqualTo(QUEUES);
    assertThat(sql.rows("select * from queen.log_invariants_v1()")).isEmpty();
    // Due everywhere: the list is bounded over all queues together.
    sql.run("update queen.queues set retention_seconds = 60");
    assertThat(listed(5000, 10_000)).isEqualTo(10_000);
  }

  /** Entries of phase 1 by age. */
  private long listed(int cap, int total) {
    return sql.number(
        "select count(*) from queen.log_work_list_v1(p_due_cap => ?, p_total_cap => ?)"
            + " where phase = 1 and not by_consumption",
        cap,
        total);
  }

  private CycleReport cycle() {
    return ((CycleOutcome.Swept) service.runOnce()).report();
  }
}

package dev.tidemark.retention.it.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code retention pause}, {@code resume}, and what {@code status} says of tasks and of groups. */
class ScheduleCommandsIT {
  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private static Cli cli;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    log = new TestLog(sql);
    cli = new Cli("--jdbc-url", database.url());
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void aTaskThatAnotherCycleEndedJustNow() {
    sql.run("delete from queen.queues");
    sql.run("delete from queen.maintenance_leases");
    sql.run(
        "insert into queen.maintenance_leases (task, period_ms, next_due_at, last_start_at, last_end_at, last_duration_ms, runs)"
            + " values ('retention', 60000, now() + interval '1 minute', now() - interval '1 second', now(), 1000, 7)");
  }

  @Test
  void aPausedTaskIsClaimedByNobodyUntilItIsResumed() {
    set("next_due_at = now()");
    Cli.Run paused = cli.run("pause");
    assertThat(paused.code()).isZero();
    assertThat(paused.out()).isEqualTo("paused task retention\nnobody holds it\n");
    assertThat(claim()).isZero();
    assertThat(cli.run("pause").out()).startsWith("task retention was already paused\n");

    Cli.Run resumed = cli.run("resume");
    assertThat(resumed.code()).isZero();
    assertThat(resumed.out()).startsWith("resumed task retention\nit is due now, since ");
    assertThat(cli.run("resume").out()).startsWith("task retention was not paused\n");
    assertThat(claim()).isOne();
  }

  @Test
  void pauseSaysWhoHoldsTheTaskNow() {
    set("holder = 'host-7', lease_until = now() + interval '1 hour'");
    assertThat(cli.run("pause").out())
        .contains("host-7 holds it until ")
        .contains("a cycle that is running stops before its next chunk");
    set("lease_until = now() - interval '1 hour'");
    assertThat(cli.run("pause").out()).contains("host-7 held it; the lease ran out at ");
  }

  @Test
  void resumeSaysWhenTheTaskIsDueNext() {
    cli.run("pause");
    assertThat(cli.run("resume").out()).startsWith("resumed task retention\nit is due at ");
  }

  @Test
  void theOtherTaskIsPausedByItsName() {
    sql.run(
        "insert into queen.maintenance_leases (task, period_ms) values ('retention_watermark', 86400000)");

    JsonNode paused = cli.json("pause", "retention_watermark");

    assertThat(paused.get("task").asText()).isEqualTo("retention_watermark");
    assertThat(paused.get("enabled").asBoolean()).isFalse();
    assertThat(paused.get("changed").asBoolean()).isTrue();
    assertThat(paused.get("holder").isNull()).isTrue();
    assertThat(paused.get("nextDueAt").asText()).isNotEmpty();
    assertThat(cli.json("pause", "retention_watermark").get("changed").asBoolean()).isFalse();
    assertThat(cli.json("resume", "retention_watermark").get("changed").asBoolean()).isTrue();
    assertThat(
            sql.number(
                "select count(*) from queen.maintenance_leases where task = 'retention' and enabled"))
        .isOne();
  }

  @ParameterizedTest
  @CsvSource({"pause", "resume"})
  void aTaskThatThereIsNotIsRefusedInOneLineThatSaysWhichThereAre(String command) {
    Cli.Run run = cli.run(command, "nonsense");

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .contains(
            "TASK: must be one of retention, retention_watermark, table_retention, not 'nonsense'")
        .hasLineCount(1);
    assertThat(cli.run(command, "nonsense", "--json").document().get("exitCode").asInt())
        .isEqualTo(2);
    assertThat(cli.run(command, "retention_watermark").err())
        .contains("no task retention_watermark: no runner has registered it yet");
  }

  @Test
  void aReaderIsToldTheRoleThatPauses() {
    String user = "reader_" + UUID.randomUUID().toString().replace('-', '_');
    sql.run("create role " + user + " login password 'x' in role queen_reader");
    try {
      Cli.Run run = new Cli("--jdbc-url", database.urlAs(user, "x")).run("pause");
      assertThat(run.code()).isEqualTo(1);
      assertThat(run.err())
          .contains("queen_retention for once, run, walk, pause and resume")
          .hasLineCount(1);
      sql.run("grant queen_retention to " + user);
      assertThat(new Cli("--jdbc-url", database.urlAs(user, "x")).run("pause").code()).isZero();
    } finally {
      sql.run("drop role " + user);
    }
  }

  @Test
  void aHealthyTaskIsShownWithoutAWarning() {
    String text = cli.run("status").out();
    assertThat(text).doesNotContain("WARNING").contains("last cycle ended ");
    assertThat(text).containsPattern("retention +waits +- +\\S+Z +60000 ms +\\S+Z +1000 ms +7");

    set(
        "holder = 'host-7', lease_until = now() + interval '1 hour', next_due_at = now() - interval '1 hour'");
    assertThat(cli.run("status").out())
        .as("a long cycle is no fault")
        .doesNotContain("WARNING")
        .containsPattern("retention +running +host-7 until ");

    JsonNode task = cli.json("status").get("tasks").get(0);
    assertThat(task.get("task").asText()).isEqualTo("retention");
    assertThat(task.get("enabled").asBoolean()).isTrue();
    assertThat(task.get("periodMs").asLong()).isEqualTo(60000);
    assertThat(task.get("holder").asText()).isEqualTo("host-7");
    assertThat(task.get("leaseUntil").asText()).isGreaterThan(task.get("nextDueAt").asText());
    assertThat(task.get("lastEndAt").asText()).isGreaterThan(task.get("lastStartAt").asText());
    assertThat(task.get("lastDurationMs").asLong()).isEqualTo(1000);
    assertThat(task.get("runs").asLong()).isEqualTo(7);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "enabled = false | task retention is PAUSED: nobody runs it until 'retention resume retention'",
        "next_due_at = now() - interval '11 minutes' | : no runner serves it; the last cycle that ended well",
        "next_due_at = now() - interval '11 minutes', last_end_at = null, last_start_at = null | : no runner serves it; no cycle has ended well yet",
        "next_due_at = now() - interval '11 minutes', last_start_at = now(), last_end_at = now() - interval '1 hour'"
            + " | : its cycles fail, see the runner's log",
        "holder = 'host-7', lease_until = now() - interval '1 second' | task retention was left behind by host-7: the lease ran out at ",
        "holder = 'host-7', lease_until = now() + interval '1 hour', last_end_at = now() - interval '25 hours'"
            + " | task retention has ended no cycle well since "
      })
  void statusWarnsOf(String state, String warning) {
    set(state);

    assertThat(cli.run("status").out()).contains("WARNING task retention ").contains(warning);
    JsonNode warnings = cli.json("status").get("warnings");
    assertThat(warnings).hasSize(1);
    assertThat(warnings.get(0).get("task").asText()).isEqualTo("retention");
    assertThat(warnings.get(0).get("queue").isNull()).isTrue();
  }

  @Test
  void aTaskOnlyRunByHandIsNeverOverdueButASilenceOfADayIsSaid() {
    sql.run("delete from queen.maintenance_leases");
    cli.json("once");
    set("next_due_at = now() - interval '20 hours'");
    assertThat(cli.run("status").out())
        .doesNotContain("WARNING")
        .containsPattern("retention +by once ");

    set("last_start_at = now() - interval '25 hours', last_end_at = now() - interval '25 hours'");
    assertThat(cli.run("status").out())
        .contains("WARNING task retention has ended no cycle well since ");
  }

  @Test
  void statusNamesTheGroupThatHoldsAQueueBackAndPinsAllOfThem() {
    log.configure("q", "{\"retentionEnabled\": true, \"completedRetentionSeconds\": 3600}");
    for (String name : new String[] {"a", "b"}) {
      UUID partition = log.partition("q", name);
      log.append(partition, log.ago(Duration.ofHours(3)), 10);
      log.append(partition, log.ago(Duration.ofMinutes(1)), 5);
      log.commit(partition, "working", 14);
      log.commit(partition, "stopped", -1);
    }
    UUID unread = log.partition("q", "unread");
    log.append(unread, log.ago(Duration.ofHours(2)), 4);
    log.configure("fine", "{\"retentionEnabled\": true, \"completedRetentionSeconds\": 3600}");
    log.append(log.partition("fine", "p"), log.ago(Duration.ofMinutes(1)), 1);

    String text = cli.run("status").out();
    assertThat(text)
        .contains(
            "WARNING queue q is held back by group stopped: 2 partitions, 30 messages that it has not committed, the oldest since ")
        .doesNotContain("queue fine is held")
        .doesNotContain("held back by  ");
    assertThat(cli.run("status", "--pins").out())
        .containsPattern("q +stopped +2 +2 +30 ")
        .containsPattern("q +\\(no group has a cursor\\) +1 +1 +4 ");
    JsonNode pins = cli.json("status").get("pins");
    assertThat(pins).hasSize(2);
    assertThat(pins.get(0).get("group").asText()).isEqualTo("stopped");
    assertThat(pins.get(0).get("messagesBehind").asLong()).isEqualTo(30);

    cli.json("group", "delete", "q", "stopped");
    assertThat(cli.run("status").out()).doesNotContain("is held back by");
  }

  private static long claim() {
    return sql.number(
        "select count(*) from queen.lease_claim_v1(p_task => 'retention', p_holder => 'h', p_lease_ms => 60000)");
  }

  private static void set(String columns) {
    sql.run("update queen.maintenance_leases set " + columns + " where task = 'retention'");
  }
}

package dev.tidemark.retention.it.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Sql;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Policies that pg_cron runs, in a server that has it. A job begins with the minute, so all of them
 * are scheduled at once and waited for together.
 */
class PgCronIT {
  private static final String SERVER = System.getenv("TIDEMARK_CRON_DATABASE");
  private static final Duration TWO_MINUTES = Duration.ofMinutes(2);

  private static Sql sql;
  private static Cli cli;

  @BeforeAll
  static void everyMinute() {
    assumeTrue(
        SERVER != null,
        "TIDEMARK_CRON_DATABASE names no PostgreSQL with pg_cron (docs/README.md, The tests)");
    sql = Sql.connect(SERVER);
    cli = new Cli("--jdbc-url", SERVER);
    sql.run("create extension if not exists pg_cron");
    cli.json("migrate");
    sql.run("create schema cron_it");
    sql.run("create table cron_it.events (at timestamptz not null, note text)");
    sql.run("create index on cron_it.events (at)");
    sql.run(
        """
        insert into cron_it.events
        select now() - interval '1 day' + i * interval '1 minute', 'old' from generate_series(1, 1000) i
        """);
    sql.run("insert into cron_it.events values (now(), 'young'), ('infinity', 'never')");
    sql.run("create table cron_it.poison (at timestamptz not null)");
    sql.run("create index on cron_it.poison (at)");
    sql.run("insert into cron_it.poison values (now() - interval '1 day')");
    sql.run(
        """
        create function cron_it.refuse() returns trigger language plpgsql as
        $$ begin raise exception 'this row stays'; end $$
        """);
    sql.run(
        "create trigger refuse before delete on cron_it.poison for each row execute function"
            + " cron_it.refuse()");
    sql.run("create index job_run_details_end_time on cron.job_run_details (end_time)");
    sql.run(
        """
        insert into cron.job_run_details (jobid, username, status, start_time, end_time)
        select 0, current_user, 'succeeded', now() - interval '30 days', now() - interval '30 days'
          from generate_series(1, 50) i
        """);
    add("cron_it.events", "at", "1 hour");
    add("cron_it.poison", "at", "1 hour");
    add("cron.job_run_details", "end_time", "7 days");
    for (String policy : List.of("cron_it.events", "cron_it.poison", "cron.job_run_details")) {
      cli.json("table", "schedule", policy, "--with-pg-cron", "* * * * *");
    }
    await()
        .atMost(TWO_MINUTES)
        .until(
            () ->
                sql.number(
                        """
                        select count(distinct d.jobid) from cron.job_run_details d join cron.job j using (jobid)
                         where d.end_time is not null
                        """)
                    == 3);
  }

  private static void add(String table, String column, String keep) {
    cli.json("table", "add", table, "--column", column, "--keep", keep);
  }

  @AfterAll
  static void asItWas() {
    if (sql != null) {
      sql.run("select cron.unschedule(jobid) from cron.job");
      sql.run("drop index cron.job_run_details_end_time");
      sql.run("drop schema cron_it, queen, queen_streams cascade");
      sql.close();
    }
  }

  @Test
  void theRowsOutsideTheWindowGoAndTheOthersStay() {
    assertThat(sql.column("select note from cron_it.events order by note"))
        .containsExactly("never", "young");
    assertThat(deleted("cron_it.events")).isEqualTo(1000);
  }

  @Test
  void theLogOfPgCronIsAnEventTableLikeAnyOther() {
    assertThat(sql.number("select count(*) from cron.job_run_details where jobid = 0")).isZero();
    assertThat(deleted("cron.job_run_details")).isEqualTo(50);
  }

  private static long deleted(String policy) {
    return sql.number("select sum(rows_deleted) from queen.table_history where policy = ?", policy);
  }

  @Test
  void theStatusShowsTheJobsLastRunAndItsFailures() {
    JsonNode good = cli.json("table", "status", "cron_it.events").get("policies").get(0);
    assertThat(good.get("jobs")).hasSize(1);
    assertThat(good.get("jobs").get(0).get("lastStatus").asText()).isEqualTo("succeeded");
    assertThat(good.get("lastRun").get("stopped").asText()).isEqualTo("done");

    JsonNode poison = cli.json("table", "status", "cron_it.poison").get("policies").get(0);
    assertThat(poison.get("jobs").get(0).get("lastStatus").asText()).isEqualTo("failed");
    assertThat(poison.get("jobs").get(0).get("lastMessage").asText()).contains("this row stays");
    assertThat(poison.get("jobs").get(0).get("failedLately").asLong()).isPositive();
    assertThat(poison.get("lastRun").get("error").asText()).contains("this row stays");
    assertThat(sql.number("select count(*) from cron_it.poison")).isEqualTo(1);
  }

  @Test
  void theDoctorNamesTheFailingJob() {
    Cli.Run doctor = cli.run("table", "doctor", "cron_it.poison");

    assertThat(doctor.code()).isEqualTo(3);
    assertThat(doctor.out()).contains("job failed").contains("this row stays");
  }

  @Test
  void aJobIsReplacedTakenAwayAndGoesWithItsPolicy() {
    cli.json("table", "add", "cron_it.events", "--column", "at", "--keep", "1 h", "--name", "two");
    JsonNode first = cli.json("table", "schedule", "two", "--with-pg-cron", "0 0 1 1 *");
    JsonNode second = cli.json("table", "schedule", "two", "--with-pg-cron", "0 0 2 1 *");
    assertThat(second.get("jobId")).isEqualTo(first.get("jobId"));
    assertThat(jobs("two")).containsExactly("0 0 2 1 *");

    assertThat(cli.json("table", "schedule", "two", "--off").get("removed").asBoolean()).isTrue();
    assertThat(cli.json("table", "schedule", "two", "--off").get("removed").asBoolean()).isFalse();
    assertThat(jobs("two")).isEmpty();

    cli.json("table", "schedule", "two", "--with-pg-cron", "0 0 1 1 *");
    cli.json("table", "remove", "two");
    assertThat(jobs("two")).isEmpty();
  }

  private static List<Object> jobs(String policy) {
    return sql.column(
        "select schedule from cron.job where jobname = queen.table_job_name_v1(?)", policy);
  }

  @Test
  void twoLongNamesHaveAJobEach() {
    String alike = "x".repeat(100);
    for (String name : List.of(alike + 1, alike + 2)) {
      cli.json("table", "add", "cron_it.events", "--column", "at", "--keep", "1 h", "--name", name);
      cli.json("table", "schedule", name, "--with-pg-cron", "0 0 1 1 *");
    }

    assertThat(jobs(alike + 1)).hasSize(1);
    assertThat(jobs(alike + 2)).hasSize(1);
    assertThat(sql.number("select count(*) from cron.job where schedule = '0 0 1 1 *'"))
        .isEqualTo(2);
    cli.json("table", "remove", alike + 1);
    assertThat(jobs(alike + 2)).hasSize(1);
    cli.json("table", "remove", alike + 2);
  }

  @Test
  void aScheduleThatPgCronRefusesIsRefused() {
    Cli.Run run = cli.run("table", "schedule", "cron_it.events", "--with-pg-cron", "never");

    assertThat(run.code()).isNotZero();
    assertThat(run.err()).contains("never").hasLineCount(1);
    assertThat(jobs("cron_it.events")).containsExactly("* * * * *");
  }
}

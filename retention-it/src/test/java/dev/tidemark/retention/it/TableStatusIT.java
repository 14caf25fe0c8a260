package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.Waiting;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is told about policies: what would go, how they stand, what is dangerous, pg_cron's jobs.
 */
class TableStatusIT extends OnEventTables {
  @AfterEach
  void noPgCron() {
    sql.run("reset role");
    sql.run("drop schema if exists cron cascade");
    changeExtensions("delete from pg_extension where extname = 'pg_cron'");
  }

  // The moment a value stands for.

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "timestamptz | | 2020-03-01 01:00:00.000001+01 | 2020-03-01T00:00:00.000001Z",
        "timestamp | Asia/Kathmandu | 2020-03-01 05:45:00.000001 | 2020-03-01T00:00:00.000001Z",
        "date | Asia/Tokyo | 2020-02-29 | 2020-02-29T15:00:00Z",
        "epoch_s | | 1583020799 | 2020-03-01T00:00:00Z",
        "epoch_ms | | 1583020800000 | 2020-03-01T00:00:00.001Z",
        "epoch_us | | 1583020800000000 | 2020-03-01T00:00:00.000001Z",
        "epoch_ns | | 1583020799999999999 | 2020-03-01T00:00:00Z",
        "uuidv7 | | 01709364-7800-7fff-bfff-ffffffffffff | 2020-03-01T00:00:00.001Z",
        "epoch_s | | 9223372036854775807 | ",
        "nonsense | | 1 | ",
        "date | UTC | | "
      })
  void theMomentAValueStandsForIsItsEnd(String kind, String zone, String value, Instant moment) {
    assertThat(
            sql.<Object>value(
                "select queen.table_time_v1(p_kind => ?, p_zone => ?, p_value => ?)",
                kind,
                zone,
                value))
        .isEqualTo(moment);
  }

  // What would go.

  @Test
  void whatWouldGoIsWhatARunDeletesLeafByLeaf() {
    sql.run("create table ev.p (at timestamptz, n int) partition by range (at)");
    sql.run("create table ev.p1 partition of ev.p for values from (minvalue) to ('2020-02-01')");
    sql.run("create table ev.p2 partition of ev.p default");
    sql.run("create index on ev.p (at)");
    sql.run(
        """
        insert into ev.p values ('2020-01-01', 1), ('2020-01-02', 2), ('-infinity', 3), ('2020-02-01', 4),
            ('infinity', 5), (null, 6), (now(), 7)
        """);
    tables.set("ev.p", "at", "1 day", Map.of("predicate", "n <> 2"));

    List<Map<String, Object>> look = sql.rows("select * from queen.table_look_v1('ev.p')");

    assertThat(look).extracting(l -> l.get("leaf")).containsExactly("ev.p1", "ev.p2");
    assertThat(look).extracting(l -> l.get("rows")).containsExactly(1L, 1L);
    assertThat(look).extracting(l -> l.get("never")).containsExactly(1L, 2L);
    assertThat(look.get(0).get("oldest")).asString().startsWith("2020-01-01");
    assertThat(look.get(0).get("newest")).asString().startsWith("2020-01-02");
    assertThat(look).extracting(l -> l.get("problem")).containsOnlyNulls();

    assertThat(tables.drain("ev.p", Instant.now(), 10).get("done").asBoolean()).isTrue();
    assertThat(tables.texts("select n from ev.p order by n"))
        .containsExactly("2", "3", "5", "6", "7");
    assertThat(sql.column("select rows from queen.table_look_v1('ev.p')")).containsOnly(0L);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "timestamptz | timestamptz | 2020-01-01 | null",
        "timestamptz | timestamptz | 2020-01-01 | infinity",
        "timestamp | timestamp | 2020-01-01 | -infinity",
        "date | date | 2020-01-01 | infinity",
        "epoch_s | bigint | 1 | null",
        "epoch_s | numeric | 1 | NaN",
        "uuidv7 | uuid | 016f5e66-e800-7000-8000-000000000000 | 016f5e66-e800-4000-8000-000000000000",
        "uuidv7 | uuid | 016f5e66-e800-7000-8000-000000000000 | 016f5e66-e800-7000-c000-000000000000"
      })
  void aRowWhoseTimeCannotPassIsCountedApart(
      String kind, String type, String goes, String neverGoes) {
    String table = tables.table("t", type);
    boolean zoned = kind.equals("timestamp") || kind.equals("date");
    tables.set(
        table, "at", "1 day", zoned ? Map.of("kind", kind, "zone", "UTC") : Map.of("kind", kind));
    sql.run(
        "insert into %1$s select nullif(v, 'null')::%2$s from unnest(array['%3$s', '%4$s', '%4$s']) v"
            .formatted(table, type, goes, neverGoes));

    Map<String, Object> look = sql.row("select * from queen.table_look_v1(?)", table);

    assertThat(look).containsEntry("rows", 1L).containsEntry("never", 2L);
    assertThat(sql.number("select never from queen.table_look_v1(?, true, 1)", table))
        .as("a count that ends at one")
        .isOne();
    assertThat(sql.row("select rows, never from queen.table_look_v1(?, false)", table).values())
        .containsOnlyNulls();
  }

  @Test
  void aLeafThatCannotBeReadIsAProblemAndHidesNoOther() {
    String table = tables.table("secret", "timestamptz");
    tables.set(table, "at", "1 day");
    tables.set(tables.table("open", "timestamptz"), "at", "1 day");
    sql.run("insert into ev.open values ('2020-01-01', 1)");
    sql.run("grant usage on schema ev to queen_reader");
    sql.run("grant select on ev.open to queen_reader");
    sql.run("set role queen_reader");

    List<Map<String, Object>> status =
        sql.rows("select policy, oldest_at, problem from queen.table_status_v1()");

    assertThat(status.get(0)).containsEntry("policy", "ev.open").containsEntry("problem", null);
    assertThat(status.get(0).get("oldest_at")).isEqualTo(Instant.parse("2020-01-01T00:00:00Z"));
    assertThat(status.get(1).get("problem"))
        .asString()
        .contains("permission denied")
        .contains("42501");
  }

  // How a policy stands.

  @Test
  void theStatusTellsHowFarBehindATableIsAndHowFastItDeletes() {
    String table = tables.table("t", "timestamptz");
    tables.set(table, "at", "10 days", Map.of("batch", 7));
    assertThat(sql.row("select * from queen.table_status_v1(?)", table))
        .containsEntry("oldest_at", null)
        .containsEntry("behind_seconds", null)
        .containsEntry("rows_per_second", null)
        .containsEntry("deleted_lately", 0L)
        .containsEntry("runs", 0L)
        .containsEntry("batch", 7)
        .containsEntry("keep", "10 days")
        .containsEntry("relation", "ev.t");

    sql.run("insert into ev.t select now() - interval '11 days' from generate_series(1, 20)");
    Map<String, Object> behind = sql.row("select * from queen.table_status_v1()");
    assertThat(((Number) behind.get("behind_seconds")).longValue()).isBetween(86_390L, 86_500L);

    tables.step(table, Instant.now(), 5);
    Map<String, Object> after = sql.row("select * from queen.table_status_v1()");
    assertThat(after).containsEntry("deleted_lately", 5L);
    assertThat(((Number) after.get("rows_per_second")).doubleValue()).isPositive();
    assertThat(sql.rows("select * from queen.table_status_v1('nobody')")).isEmpty();
  }

  // Hazards.

  @Test
  void aTableInOrderHasNoHazard() {
    tables.set(tables.table("t", "timestamptz"), "at", "1 day");
    sql.run("insert into ev.t values (now(), 1)");

    assertThat(hazards()).isEmpty();
  }

  @Test
  void whatOnlyTimeShowsIsAHazard() {
    tables.set(tables.table("t", "timestamptz"), "at", "1 day");
    sql.run(
        "insert into ev.t values (now() - interval '3 days', 1), (now() + interval '3 days', 2), (null, 3)");
    sql.run("update queen.table_policies set created_at = now() - interval '2 days'");
    sql.run(
        """
        insert into queen.table_runs (policy, last_error_at, last_sqlstate, last_error)
        values ('ev.t', now(), 'P0001', 'this row stays')
        """);

    assertThat(hazards()).containsExactly("behind", "failed", "future", "idle", "never");
    assertThat(detail("failed")).contains("this row stays").contains("P0001");
    assertThat(detail("never")).startsWith("1 rows");

    sql.run(
        "update queen.table_runs set last_success_at = now() + interval '1 s', last_end_at = now()");
    assertThat(hazards()).containsExactly("behind", "future", "never");
    sql.run("select queen.table_policy_enable_v1('ev.t', false)");
    assertThat(hazards()).containsExactly("disabled", "future", "never");
  }

  @Test
  void whatATableBecameSinceItsPolicyWasSetIsAHazard() {
    sql.run("create table ev.t (id int primary key, at timestamptz)");
    sql.run("create index t_at on ev.t (at)");
    sql.run("create table ev.archive (id int, at timestamptz)");
    tables.set("ev.t", "at", "1 day", Map.of("archive", "ev.archive"));
    assertThat(hazards()).containsExactly("archive");

    sql.run("create index on ev.archive (at)");
    tables.set("ev.archive", "at", "1 year");
    assertThat(hazards()).isEmpty();

    sql.run("create table ev.child (t int references ev.t)");
    sql.run("alter table ev.t set (autovacuum_enabled = off)");
    assertThat(hazards()).containsExactly("no autovacuum", "referenced", "unfit");
    assertThat(sql.<String>value("select fix from queen.table_hazards_v1() where hazard = 'unfit'"))
        .isEqualTo("create index concurrently on ev.child (t);");

    sql.run("drop table ev.child");
    sql.run("drop index ev.t_at");
    sql.run("alter table ev.t reset (autovacuum_enabled)");
    assertThat(hazards()).containsExactly("unfit");
    assertThat(detail("unfit")).contains("p_column");

    sql.run("create index on ev.t (at)");
    sql.run("alter table ev.archive drop column id");
    assertThat(hazards()).containsExactly("problem");
  }

  @Test
  void aRequirementWithoutAStatementThatMendsItSaysWhatToDo() {
    sql.run("create table ev.t (at timestamptz)");
    sql.run("create index on ev.t (at)");
    sql.run("create table ev.archive (at timestamptz)");
    tables.set("ev.t", "at", "1 day", Map.of("archive", "ev.archive"));
    sql.run("alter table ev.archive inherit ev.t");
    sql.run("create index on ev.archive (at)");

    assertThat(sql.row("select * from queen.table_unfit_v1('ev.t')").get("fix"))
        .asString()
        .contains("table_policy_set_v1");
  }

  @Test
  void aTableThatIsGoneIsAHazardAndNothingElseIsSaidOfIt() {
    tables.set(tables.table("t", "timestamptz"), "at", "1 day");
    sql.run("drop table ev.t");

    assertThat(hazards()).containsExactly("problem");
    assertThat(detail("problem")).isEqualTo("relation ev.t is gone");
    assertThat(sql.rows("select * from queen.table_unfit_v1('ev.t')")).isEmpty();
    assertThat(sql.row("select * from queen.table_look_v1('ev.t')").get("leaf")).isNull();
  }

  @Test
  void whatTheCallerMayNotDoIsAHazardToTheCaller() {
    tables.set(tables.table("t", "timestamptz"), "at", "1 day");
    sql.run("alter table ev.t enable row level security");
    sql.run("grant usage on schema ev to queen_retention");
    sql.run("grant select, update on ev.t to queen_retention");
    assertThat(hazards()).as("a superuser").isEmpty();

    sql.run("set role queen_retention");

    assertThat(hazards()).containsExactly("blind", "forbidden", "problem", "row security");
    assertThat(detail("forbidden")).isEqualTo("queen_retention may not delete on ev.t");
  }

  private static List<String> hazards() {
    return tables.texts("select hazard from queen.table_hazards_v1()");
  }

  private static String detail(String hazard) {
    return sql.value("select detail from queen.table_hazards_v1() where hazard = ?", hazard);
  }

  // pg_cron, as far as these functions use it. The real one: PgCronIT.

  @Test
  void aPolicyIsScheduledAsOneCallAndItsJobIsTold() {
    standInForPgCron();
    tables.set(tables.table("t", "timestamptz"), "at", "1 day");

    Map<String, Object> job =
        sql.row(
            "select * from jsonb_to_record(queen.table_schedule_v1('ev.t', '* * * * *'))"
                + " as j(policy text, job_id bigint, job text, schedule text, command text)");
    assertThat(job)
        .containsEntry("policy", "ev.t")
        .containsEntry("job", "tidemark ev.t")
        .containsEntry("schedule", "* * * * *")
        .containsEntry("command", "call queen.table_retention_run_v1(p_name => 'ev.t')");
    assertThat(sql.row("select * from queen.table_jobs_v1()"))
        .containsEntry("policy", "ev.t")
        .containsEntry("last_status", null)
        .containsEntry("failed_lately", 0L);

    sql.run(
        """
        insert into cron.job_run_details (jobid, status, return_message, start_time, end_time)
        select jobid, s, 'said', now(), now() from cron.job, unnest(array['failed', 'succeeded', 'failed']) s
        """);
    assertThat(sql.row("select * from queen.table_jobs_v1()"))
        .containsEntry("last_status", "failed")
        .containsEntry("last_message", "said")
        .containsEntry("failed_lately", 2L);
    assertThat(hazards()).containsExactly("job failed");

    assertThat(sql.<Boolean>value("select queen.table_unschedule_v1('ev.t')")).isTrue();
    assertThat(sql.<Boolean>value("select queen.table_unschedule_v1('ev.t')")).isFalse();
    assertThat(sql.rows("select * from queen.table_jobs_v1()")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "null"})
  void aScheduleThatIsNoneIsRefused(String schedule) {
    standInForPgCron();
    tables.set(tables.table("t", "timestamptz"), "at", "1 day");

    refused(
        "22023",
        () -> sql.run("select queen.table_schedule_v1('ev.t', nullif(?, 'null'))", schedule),
        "p_schedule must not be null or empty");
  }

  @Test
  void aJobIsForAPolicyThatIsThere() {
    standInForPgCron();

    refused("TM008", () -> sql.run("select queen.table_schedule_v1('nobody', 'x')"), "nobody");
    assertThat(sql.number("select count(*) from cron.job")).isZero();
  }

  @Test
  void withoutPgCronThereIsNoJob() {
    tables.set(tables.table("t", "timestamptz"), "at", "1 day");

    refused(
        "TM011",
        () -> sql.run("select queen.table_schedule_v1('ev.t', 'x')"),
        "is not in database");
    assertThat(sql.<Boolean>value("select queen.table_unschedule_v1('ev.t')")).isFalse();
    assertThat(sql.rows("select * from queen.table_jobs_v1()")).isEmpty();
  }

  @Test
  void aNameIsTooLongForAJobOnlyAfterItsHash() {
    assertThat(sql.<String>value("select queen.table_job_name_v1(repeat('x', 54))"))
        .isEqualTo("tidemark " + "x".repeat(54));
    assertThat(sql.<String>value("select queen.table_job_name_v1(repeat('x', 55))"))
        .hasSize(9 + 32)
        .startsWith("tidemark ");
  }

  @Test
  void aPolicyThatIsRemovedTakesTheCallersJobAlong() {
    standInForPgCron();
    for (String name : List.of("a", "b")) {
      tables.set(tables.table(name, "timestamptz"), "at", "1 day", Map.of("name", name));
      sql.run("select queen.table_schedule_v1(?, '* * * * *')", name);
    }
    sql.run(
        "insert into cron.job (schedule, command, jobname, username) values ('x', 'x', 'tidemark c', 'somebody')");
    tables.set(tables.table("c", "timestamptz"), "at", "1 day", Map.of("name", "c"));

    for (String name : List.of("a", "c")) {
      assertThat(sql.<Boolean>value("select queen.table_policy_remove_v1(?)", name)).isTrue();
    }

    assertThat(tables.texts("select jobname from cron.job order by 1"))
        .as("another's job is another's")
        .containsExactly("tidemark b", "tidemark c");
  }

  @Test
  void aSchemaOfThatNameWithoutPgCronIsSomebodysOwn() {
    sql.run("create schema cron");
    sql.run("create table cron.job (id int, jobname text, username text)");
    sql.run("insert into cron.job values (1, 'tidemark ev.t', current_user)");
    sql.run(
        "create function cron.schedule(text, text, text) returns bigint language plpgsql as $$ begin raise 'not yours'; end $$");
    tables.set(tables.table("t", "timestamptz"), "at", "1 day");

    assertThat(sql.rows("select * from queen.table_jobs_v1()")).isEmpty();
    assertThat(hazards()).isEmpty();
    refused("TM011", () -> sql.run("select queen.table_schedule_v1('ev.t', 'x')"), "pg_cron");
    assertThat(sql.<Boolean>value("select queen.table_unschedule_v1('ev.t')")).isFalse();
    assertThat(sql.<Boolean>value("select queen.table_policy_remove_v1('ev.t')")).isTrue();
    assertThat(sql.number("select count(*) from cron.job")).isOne();
  }

  @Test
  void aZoneThatIsKnownNoMoreIsAProblemOfItsOwn() {
    tables.set(tables.table("t", "timestamp"), "at", "1 day", Map.of("zone", "UTC"));
    tables.set(tables.table("u", "timestamptz"), "at", "1 day");
    sql.run("update queen.table_policies set zone = 'Nowhere/Gone' where name = 'ev.t'");
    assertThat(
            tables.texts(
                "select policy || ' ' || (problem like '%Nowhere/Gone%')::text from queen.table_status_v1()"
                    + " where problem is not null"))
        .containsExactly("ev.t true");
    assertThat(sql.rows("select * from queen.table_status_v1()")).hasSize(2);
  }

  @Test
  void whoRemovesAPolicyThatIsBeingScheduledTakesTheJobToo() {
    standInForPgCron();
    tables.set(tables.table("t", "timestamptz"), "at", "1 day");
    try (Sql scheduler = Sql.connect(database.url());
        Sql remover = Sql.connect(database.url())) {
      scheduler.begin();
      scheduler.value("select queen.table_schedule_v1('ev.t', '* * * * *')");
      Waiting.Elsewhere<Object> removed =
          Waiting.blocked(
              sql, remover, s -> s.value("select queen.table_policy_remove_v1('ev.t')"));
      scheduler.commit();
      assertThat(removed.get()).isEqualTo(true);
    }
    assertThat(sql.number("select count(*) from cron.job")).isZero();
  }

  private static void standInForPgCron() {
    sql.run("create schema cron");
    changeExtensions(
        "insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)"
            + " select 1, 'pg_cron', 10, 11, false, '0'");
    sql.run(
        """
        create table cron.job (jobid bigint generated always as identity primary key, schedule text, command text,
            username text default current_user, active boolean default true, jobname name unique)
        """);
    sql.run(
        """
        create table cron.job_run_details (runid bigint generated always as identity primary key, jobid bigint, status text,
            return_message text, start_time timestamptz, end_time timestamptz)
        """);
    sql.run(
        """
        create function cron.schedule(job_name text, schedule text, command text) returns bigint language sql as
        'insert into cron.job (schedule, command, jobname) values ($2, $3, $1) returning jobid'
        """);
    sql.run(
        """
        create function cron.unschedule(job_id bigint) returns boolean language sql as
        'delete from cron.job where jobid = $1 returning true'
        """);
  }

  /** As if it were installed: the server's own catalog says so. */
  private static void changeExtensions(String statement) {
    sql.run("set allow_system_table_mods = on");
    sql.run(statement);
    sql.run("reset allow_system_table_mods");
  }
}

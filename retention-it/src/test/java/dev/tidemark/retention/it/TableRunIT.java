package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.Waiting;
import dev.tidemark.retention.it.table.EventTables;
import dev.tidemark.retention.runner.RetentionService;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code table_retention_run_v1}: one call for all policies, a commit after each step. */
class TableRunIT extends OnEventTables {
  private static final String FAST = "p_duty => 1";

  @Test
  void everyPolicyThatIsOnIsKeptToItsWindow() {
    events("a", 50);
    events("b", 30);
    events("c", 10);
    tables.set("ev.c", "at", "10 days", Map.of("name", "c", "enabled", false));
    JsonNode result = run(FAST);
    assertThat(result.get("deleted").asInt()).isEqualTo(80);
    assertThat(result.get("failed").asInt()).isZero();
    assertThat(result.get("stopped").isNull()).isTrue();
    assertThat(result.get("policies").findValuesAsText("stopped")).containsExactly("done", "done");
    assertThat(count("a") + count("b")).as("inside the window").isEqualTo(2);
    assertThat(count("c")).isEqualTo(11);
    assertThat(
            tables.texts(
                "select policy || ' ' || last_stopped || ' ' || runs || ' ' || (last_done_at is not null and last_error is null)"
                    + " from queen.table_runs order by 1"))
        .containsExactly("a done 1 true", "b done 1 true");
  }

  @Test
  void aNamedPolicyRunsAloneAndSaysWhenItIsOff() {
    events("a", 5);
    events("b", 5);
    assertThat(run("p_name => 'a', " + FAST).get("deleted").asInt()).isEqualTo(5);
    assertThat(count("b")).isEqualTo(6);
    sql.value("select queen.table_policy_enable_v1('b', false)");
    assertThat(run("p_name => 'b'").get("policies").findValuesAsText("stopped"))
        .containsExactly("disabled");
    assertThat(count("b")).isEqualTo(6);
  }

  @Test
  void withoutAPolicyThereIsNothingToDo() {
    JsonNode result = run("");
    assertThat(result.get("deleted").asInt()).isZero();
    assertThat(result.get("policies")).isEmpty();
    assertThat(result.get("stopped").isNull()).isTrue();
  }

  @Test
  void oneThatFailsStopsNoOtherAndIsRemembered() {
    events("a", 5);
    events("b", 40);
    events("c", 5);
    raiseAt("b", 25);
    sql.run("drop table ev.a");
    JsonNode result = run(FAST);
    assertThat(result.get("failed").asInt()).isEqualTo(2);
    assertThat(count("c")).isOne();
    assertThat(count("b")).as("all before the row that fails, and it").isEqualTo(17);
    assertThat(
            tables.texts(
                "select policy || ' ' || last_stopped || ' ' || last_sqlstate || ' ' || (last_success_at is null) from queen.table_runs"
                    + " where last_error <> '' order by 1"))
        .containsExactly("a failed TM009 true", "b failed P0001 true");
    sql.run("drop trigger raise on ev.b");
    assertThat(run(FAST).get("failed").asInt()).isOne();
    assertThat(
            sql.<Boolean>value(
                "select last_success_at > last_error_at and last_sqlstate = 'P0001' and runs = 2 from queen.table_runs where policy = 'b'"))
        .isTrue();
  }

  @Test
  void aCallThatSomebodyElseReadsEndsWithTheFirstFailureAfterAllIsCommitted() {
    events("a", 5);
    events("b", 40);
    raiseAt("b", 25);

    refused(
        "P0001",
        () -> sql.run("call queen.table_retention_run_v1(p_duty => 1)"),
        "1 of 2 policies failed",
        "b: ");
    assertThat(count("a")).isOne();
    assertThat(count("b")).isEqualTo(17);
    assertThat(tables.texts("select last_stopped from queen.table_runs order by policy"))
        .containsExactly("done", "failed");
  }

  @Test
  void aStepIsCaughtWithItsDeferredConstraints() {
    sql.run("create table ev.p (id int primary key, at timestamptz)");
    sql.run("create index on ev.p (at)");
    sql.run("create table ev.c (p int references ev.p deferrable initially deferred)");
    sql.run("create index on ev.c (p)");
    sql.run("insert into ev.p values (1, '2020-01-01Z')");
    sql.run("insert into ev.c values (1)");
    tables.set("ev.p", "at", "10 days");
    events("z", 3);
    JsonNode result = run(FAST);
    assertThat(result.get("policies").findValuesAsText("sqlstate")).containsExactly("23503");
    assertThat(count("z")).isOne();
  }

  @Test
  void anAssertionIsCaughtTooAndACancelIsNot() {
    events("a", 3);
    sql.run(
        "create function ev.a() returns trigger language plpgsql as $$ begin assert false, 'no'; return old; end $$");
    sql.run("create trigger a before delete on ev.a for each row execute function ev.a()");
    assertThat(run(FAST).get("policies").findValuesAsText("sqlstate")).containsExactly("P0004");
    sql.run(
        "create or replace function ev.a() returns trigger language plpgsql as $$ begin raise query_canceled; end $$");
    refused("57014", () -> run(FAST));
    sql.run(
        "create or replace function ev.a() returns trigger language plpgsql as $$ begin raise sqlstate 'TM001'; end $$");
    assertThat(run(FAST).get("policies").findValuesAsText("sqlstate"))
        .as("a session is unfit by itself, not by what a trigger says")
        .containsExactly("TM001");
  }

  @ParameterizedTest
  @ValueSource(strings = {"25006", "TM002", "3B000"})
  void whateverATriggerRaisesIsItsOwnPolicysFailure(String state) {
    events("a", 3);
    events("b", 3);
    sql.run(
        "create function ev.a() returns trigger language plpgsql as $$ begin raise sqlstate '%s'; end $$"
            .formatted(state));
    sql.run("create trigger a before delete on ev.a for each row execute function ev.a()");
    JsonNode result = run(FAST);
    assertThat(result.get("policies").findValuesAsText("sqlstate")).contains(state);
    assertThat(count("b")).isOne();
    sql.run("set default_transaction_read_only = on");
    refused("25006", () -> run(FAST));
    refused("25006", () -> sql.value("select queen.table_run_step_v1('b', now(), 10, 50)"));
    sql.run("reset default_transaction_read_only");
  }

  @Test
  void whatIsRefusedForOneRowKeepsNoneBeforeIt() {
    events("a", 30);
    sql.run(
        "create function ev.a() returns trigger language plpgsql as $$ begin if old.n = 20 then raise insufficient_privilege; end if; return old; end $$");
    sql.run("create trigger a before delete on ev.a for each row execute function ev.a()");
    assertThat(run(FAST).get("policies").findValuesAsText("sqlstate")).containsExactly("42501");
    assertThat(tables.texts("select min(n) from ev.a where n > 0")).containsExactly("20");
  }

  @Test
  void aRuleThatAlsoDoesSomethingFindsItsTablesByTheSessionsPath() {
    events("a", 3);
    sql.run("create table ev.seen (n int)");
    sql.run(
        "create function ev.see(int) returns int language plpgsql as $$ begin perform from seen; return $1; end $$");
    sql.run(
        "create rule also as on delete to ev.a do also insert into ev.seen select ev.see(old.n)");
    try (Sql by = Sql.connect(database.url() + "&options=-c%20search_path%3Dev")) {
      assertThat(by.json("call queen.table_retention_run_v1(p_duty => 1)").get("deleted").asInt())
          .isEqualTo(3);
    }
  }

  @Test
  void aDeferredTriggerFindsItsTablesByTheSessionsPath() {
    events("a", 3);
    sql.run("create table ev.seen (n int)");
    sql.run(
        "create function ev.see() returns trigger language plpgsql as $$ begin insert into seen values (old.n); return null; end $$");
    sql.run(
        "create constraint trigger see after delete on ev.a deferrable initially deferred for each row execute function ev.see()");
    try (Sql by = Sql.connect(database.url() + "&options=-c%20search_path%3Dev")) {
      JsonNode result = by.json("call queen.table_retention_run_v1(p_duty => 1)");
      assertThat(result.get("deleted").asInt()).isEqualTo(3);
    }
    assertThat(sql.number("select count(*) from ev.seen")).isEqualTo(3);
  }

  @Test
  void theDeadlineEndsItBetweenTwoStepsAndTheFirstStepIsAlwaysDone() {
    events("a", 5000);
    events("b", 5000);
    JsonNode result = run("p_time_ms => 1, " + FAST);
    assertThat(result.get("stopped").asText()).isEqualTo("time");
    assertThat(result.get("deleted").asInt()).isEqualTo(1000);
    assertThat(result.get("policies").findValuesAsText("stopped")).containsExactly("time", "time");
    assertThat(tables.texts("select last_stopped from queen.table_runs"))
        .containsExactly("time", "time");
    sql.run("set statement_timeout = '30s'");
    assertThat(run(FAST).get("stopped").isNull()).isTrue();
    sql.run("reset statement_timeout");
  }

  @Test
  void whoWaitedLongestIsFirst() {
    events("a", 5000);
    events("b", 5000);
    assertThat(run("p_time_ms => 1, " + FAST).get("policies").get(0).get("policy").asText())
        .isEqualTo("a");
    sql.run(
        "update queen.table_runs set last_start_at = now() - interval '1 hour' where policy = 'b'");
    run("p_time_ms => 1, " + FAST);
    assertThat(count("b")).isEqualTo(4001);
  }

  @Test
  void policiesTakeTurns() {
    events("a", 300);
    events("b", 300);
    tables.set("ev.a", "at", "10 days", Map.of("name", "a", "batch", 20));
    tables.set("ev.b", "at", "10 days", Map.of("name", "b", "batch", 20));
    run("p_hold_ms => 1000, " + FAST);
    List<String> order = tables.texts("select policy from queen.table_history order by id");
    assertThat(order.subList(0, 10)).containsOnly("a");
    assertThat(order.subList(10, 20)).containsOnly("b");
    assertThat(order.get(20)).isEqualTo("a");
  }

  @Test
  void eachStepIsATransactionOfItsOwnThatPinsWhatItNeeds() {
    events("a", 30);
    tables.set("ev.a", "at", "10 days", Map.of("name", "a", "batch", 20));
    sql.run("create table ev.seen (tx bigint, setting text)");
    sql.run(
        "create function ev.see() returns trigger language plpgsql as $$ begin insert into ev.seen values (txid_current(),"
            + " current_setting('transaction_isolation') || ' ' || current_setting('synchronous_commit')); return old; end $$");
    sql.run("create trigger see before delete on ev.a for each row execute function ev.see()");
    Sql odd = another();
    odd.run("set default_transaction_isolation = 'serializable'");
    odd.run("set search_path = ev");
    odd.run("call queen.table_retention_run_v1(p_duty => 1)");
    assertThat(tables.texts("select distinct setting from ev.seen"))
        .containsExactly("read committed off");
    assertThat(sql.number("select count(distinct tx) from ev.seen")).isGreaterThan(3);
    assertThat(odd.<String>value("show search_path")).isEqualTo("ev");
    assertThat(odd.<String>value("show synchronous_commit"))
        .isEqualTo(sql.<String>value("show synchronous_commit"));
    assertThat(odd.<String>value("show lock_timeout")).isEqualTo("0");
  }

  @Test
  void twoAtOnceDoNotFight() {
    events("a", 5);
    events("b", 5);
    Sql other = another();
    other.begin();
    new EventTables(other).step("a", Instant.parse("2020-01-01T00:00:00Z"), 1);
    JsonNode result = run(FAST);
    assertThat(result.get("policies").findValuesAsText("stopped")).containsExactly("busy", "done");
    assertThat(count("a")).isEqualTo(6);
    other.commit();
    assertThat(run(FAST).get("deleted").asInt()).isEqualTo(5);
  }

  @Test
  void whatSomebodyHoldsIsSaidAndTheRunEnds() {
    events("a", 5);
    Sql writer = another();
    writer.begin();
    writer.run("update ev.a set n = n where n = 2");
    JsonNode policy = run(FAST).get("policies").get(0);
    assertThat(policy.get("stopped").asText()).isEqualTo("stuck");
    assertThat(policy.get("deleted").asInt()).isEqualTo(4);
    assertThat(policy.get("skipped").asInt()).isOne();
    writer.commit();
    assertThat(run(FAST).get("deleted").asInt()).isOne();
  }

  @Test
  void aPauseHoldsNothingAndIsTheShareThatDutySays() {
    events("a", 40);
    tables.set("ev.a", "at", "10 days", Map.of("name", "a", "batch", 10));
    Sql runner = another();
    // One part in a million: after the first step it sleeps until the deadline.
    Waiting.Elsewhere<Integer> running =
        Waiting.elsewhere(
            () ->
                runner.run(
                    "call queen.table_retention_run_v1(p_duty => 0.000001, p_time_ms => 20000)"));
    Waiting.untilTrue(
        sql,
        "select exists (select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database())");
    assertThat(count("a")).as("the first batch is committed").isEqualTo(40);
    sql.run("set lock_timeout = '1ms'");
    sql.run("alter table ev.a add column more int");
    sql.run("reset lock_timeout");
    sql.run(
        "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()");
    refused("57014", running::get);
    assertThat(count("a")).isEqualTo(40);
  }

  @Test
  void aLongVacuumOfTheTableIsWaitedForUntilTheDeadline() {
    events("a", 20000);
    events("b", 10);
    Sql vacuum = another();
    vacuum.run("set vacuum_cost_delay = 100");
    vacuum.run("set vacuum_cost_limit = 1");
    int backend = vacuum.backend();
    Waiting.Elsewhere<Integer> running =
        Waiting.elsewhere(() -> vacuum.run("vacuum (freeze, disable_page_skipping) ev.a"));
    Waiting.untilTrue(
        sql, "select exists (select from pg_stat_progress_vacuum where relid = 'ev.a'::regclass)");
    Waiting.untilTrue(
        sql,
        "select xact_start < clock_timestamp() - interval '20 milliseconds' from pg_stat_activity where pid = ?",
        backend);

    assertThat(sql.<String>value("select queen.table_throttle_v1('ev.a'::regclass, null, 20)"))
        .startsWith("a vacuum of ev.a runs since ");
    assertThat(sql.<String>value("select queen.table_throttle_v1('ev.a'::regclass, null, null)"))
        .isNull();
    assertThat(sql.<String>value("select queen.table_throttle_v1('ev.a'::regclass, 10000, 600000)"))
        .isNull();
    assertThat(sql.<String>value("select queen.table_throttle_v1('ev.b'::regclass, null, 1)"))
        .isNull();
    JsonNode result = run("p_max_vacuum_ms => 20, p_time_ms => 1200, " + FAST);
    assertThat(result.get("stopped").asText()).isEqualTo("time");
    assertThat(result.get("policies").findValuesAsText("stopped"))
        .containsExactly("done", "throttled");
    assertThat(result.get("policies").get(1).get("waited_for").asText()).contains("vacuum of ev.a");
    assertThat(count("a")).isEqualTo(20001);
    assertThat(count("b")).isOne();

    sql.run("select pg_cancel_backend(" + backend + ")");
    refused("57014", running::get);
    assertThat(run("p_max_vacuum_ms => 20, " + FAST).get("deleted").asInt()).isEqualTo(20000);
  }

  @Test
  void aClaimThatIsPausedOrLostEndsIt() {
    events("a", 5000);
    sql.value("select queen.lease_register_v1('table_retention', 60000)::text");
    long fence =
        sql.number("select fence from queen.lease_claim_v1('table_retention', 'me', 60000)");
    String claim = "p_task => 'table_retention', p_holder => 'me', p_fence => ";
    assertThat(run(claim + (fence + 1)).get("stopped").asText()).isEqualTo("lost");
    sql.value("select queen.lease_enable_v1('table_retention', false)");
    assertThat(run(claim + fence).get("stopped").asText()).isEqualTo("paused");
    assertThat(tables.texts("select last_stopped from queen.table_runs")).containsExactly("paused");
    assertThat(count("a")).isEqualTo(5001);
    sql.value("select queen.lease_enable_v1('table_retention', true)");
    assertThat(run(claim + fence + ", " + FAST).get("deleted").asInt()).isEqualTo(5000);
    sql.run("delete from queen.maintenance_leases");
  }

  @Test
  void aPolicyThatIsRemovedOnTheWayIsNoFailureOfTheOthers() {
    events("a", 30);
    events("b", 5);
    sql.run(
        "create function ev.away() returns trigger language plpgsql as $$ begin perform queen.table_policy_remove_v1('b'); return old; end $$");
    sql.run("create trigger away before delete on ev.a for each row execute function ev.away()");
    JsonNode result = run(FAST);
    assertThat(result.get("failed").asInt()).isZero();
    assertThat(result.get("policies").findValuesAsText("stopped"))
        .containsExactlyInAnyOrder("done", "disabled");
    assertThat(count("a")).isOne();
    assertThat(count("b")).isEqualTo(6);
  }

  @Test
  void whatIsNoRunIsRefusedByName() {
    for (String given :
        List.of(
            "p_time_ms => 0",
            "p_time_ms => null",
            "p_hold_ms => 0",
            "p_duty => 0",
            "p_duty => 1.01",
            "p_duty => 'NaN'",
            "p_duty => null",
            "p_lock_ms => 0",
            "p_lock_ms => 60001",
            "p_lock_ms => null",
            "p_max_lag_ms => 0",
            "p_max_vacuum_ms => -1")) {
      refused("22023", () -> run(given), given.substring(0, given.indexOf(' ')));
    }
    refused("TM008", () -> run("p_name => 'nobody'"), "'nobody'");
    refused(
        "22023",
        () -> sql.run("select queen.table_run_note_v1('a', now(), null, 0, null, null)"),
        "p_stopped");
    sql.begin();
    refused("2D000", () -> run(""));
    sql.rollback();
  }

  // Rows that stay.

  @Test
  void severalLeavesOfRowsThatATriggerKeepsEndARunAndTheNextOneAsksAgain() {
    events("a", 20);
    sql.run("create table ev.child () inherits (ev.a)");
    sql.run("create index on ev.child (at)");
    sql.run("insert into ev.child select * from only ev.a");
    tables.set("ev.a", "at", "10 days", Map.of("name", "a", "batch", 50));
    sql.run(
        "create function ev.keep() returns trigger language plpgsql as $$ begin return null; end $$");
    for (String leaf : List.of("a", "child")) {
      sql.run(
          "create trigger keep before delete on ev.%s for each row execute function ev.keep()"
              .formatted(leaf));
    }

    for (int call = 0; call < 2; call++) {
      JsonNode policy = run("p_time_ms => 10000, " + FAST).get("policies").get(0);
      assertThat(policy.get("stopped").asText()).isEqualTo("stuck");
      assertThat(policy.get("steps").asInt()).as("5 rows a step, and 40 of them").isLessThan(14);
    }
    for (String leaf : List.of("a", "child")) {
      sql.run("drop trigger keep on ev." + leaf);
    }
    assertThat(run(FAST).get("policies").findValuesAsText("stopped")).containsExactly("done");
    assertThat(count("a")).as("inside the window").isEqualTo(2);
  }

  /** The steps of a run are known by their cutoff, and these all have the same. */
  @Test
  void aCallerThatAlwaysSaysInfinityAsksAgainOnceItWasStuck() {
    events("a", 20);
    sql.run("create table ev.child () inherits (ev.a)");
    sql.run("create index on ev.child (at)");
    sql.run("insert into ev.child select * from only ev.a");
    sql.run(
        "create function ev.keep() returns trigger language plpgsql as $$ begin return null; end $$");
    for (String leaf : List.of("a", "child")) {
      sql.run(
          "create trigger keep before delete on ev.%s for each row execute function ev.keep()"
              .formatted(leaf));
    }
    assertThat(toTheEnd("a").get("stuck").asBoolean()).isTrue();
    for (String leaf : List.of("a", "child")) {
      sql.run("drop trigger keep on ev." + leaf);
    }
    assertThat(toTheEnd("a").get("done").asBoolean()).isTrue();
    assertThat(count("a")).isEqualTo(2);
  }

  private static JsonNode toTheEnd(String policy) {
    for (int steps = 0; steps < 50; steps++) {
      JsonNode step = sql.json("select queen.table_delete_step_v1(?, 'infinity', 7)", policy);
      if (step.get("done").asBoolean() || step.get("stuck").asBoolean()) {
        return step;
      }
    }
    throw new AssertionError("no end after 50 steps");
  }

  @Test
  void aRowThatIsHeldInATableThatGoesAlongIsSkippedAndAllOthersGo() {
    sql.run("create table ev.p (id int primary key, at timestamptz)");
    sql.run("create index on ev.p (at)");
    sql.run("create table ev.c (p int references ev.p on delete cascade)");
    sql.run("create index on ev.c (p)");
    sql.run("insert into ev.p select i, '2020-01-01Z' from generate_series(1, 6) i");
    sql.run("insert into ev.c select id from ev.p");
    tables.set("ev.p", "at", "10 days");
    Sql writer = another();
    writer.begin();
    writer.run("select from ev.c where p = 3 for update");

    JsonNode result = run(FAST);

    assertThat(result.get("failed").asInt()).isZero();
    JsonNode policy = result.get("policies").get(0);
    assertThat(policy.get("stopped").asText()).isEqualTo("stuck");
    assertThat(policy.get("deleted").asInt()).isEqualTo(5);
    assertThat(policy.get("skipped").asInt()).isOne();
    assertThat(tables.texts("select id from ev.p")).containsExactly("3");
    writer.rollback();
    assertThat(run(FAST).get("deleted").asInt()).isOne();
    assertThat(sql.number("select count(*) from ev.c")).isZero();
  }

  // How it began and ended.

  @Test
  void aStepThatTheTimeoutCutsOffIsNotFirstAgain() {
    events("a", 3);
    events("b", 3);
    sleepIn("a");
    Sql impatient = another();
    impatient.run("set statement_timeout = '1500ms'");
    refused("57014", () -> impatient.run("call queen.table_retention_run_v1(p_duty => 1)"));
    assertThat(count("b")).as("nobody has come to it").isEqualTo(4);
    assertThat(
            tables.texts(
                "select policy from queen.table_runs where last_start_at is not null and last_end_at is null"))
        .containsExactly("a");

    refused("57014", () -> impatient.run("call queen.table_retention_run_v1(p_duty => 1)"));

    assertThat(count("b")).isOne();
    assertThat(tables.texts("select last_stopped from queen.table_runs where policy = 'b'"))
        .containsExactly("done");
  }

  @Test
  void aPolicyThatSomebodyHoldsIsItsOwnFailure() {
    events("a", 3);
    events("b", 3);
    Sql other = another();
    other.begin();
    other.run("select queen.table_policy_enable_v1('a', false)");

    JsonNode result = run(FAST);

    assertThat(result.get("policies").findValuesAsText("stopped"))
        .containsExactlyInAnyOrder("failed", "done");
    assertThat(result.get("policies").findValuesAsText("sqlstate")).containsExactly("55P03");
    assertThat(count("b")).isOne();
    other.rollback();
    assertThat(run(FAST).get("deleted").asInt()).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource({
    "done, 0, true",
    "done, 5, true",
    "stuck, 5, true",
    "time, 5, true",
    "stuck, 0, false",
    "busy, 0, false",
    "throttled, 0, false",
    "time, 0, false",
    "paused, 0, false"
  })
  void aSuccessIsARunThatWasDoneOrDeletedSomething(String stopped, int deleted, boolean success) {
    events("a", 1);
    sql.run(
        "select queen.table_run_note_v1(p_name => 'a', p_started_at => now(), p_stopped => ?, p_deleted => ?, p_sqlstate => null, p_error => null)",
        stopped,
        (long) deleted);
    assertThat(sql.<Boolean>value("select last_success_at is not null from queen.table_runs"))
        .isEqualTo(success);
    assertThat(sql.<Boolean>value("select last_done_at is not null from queen.table_runs"))
        .isEqualTo(stopped.equals("done"));
  }

  @Test
  void aCallOfARunnerThatTimesOutIsWrittenDownAndTheOthersAreServed() {
    events("a", 3);
    events("b", 3);
    sleepIn("a");
    sql.run(
        "alter database \""
            + sql.value("select current_database()")
            + "\" set statement_timeout = '1s'");
    try (RetentionService service = RetentionService.on(database.pool()).build()) {
      assertThat(service.tablesOnce().failed()).isOne();
    } finally {
      sql.run(
          "alter database \""
              + sql.value("select current_database()")
              + "\" reset statement_timeout");
    }
    assertThat(
            tables.texts(
                "select policy || ' ' || last_stopped || ' ' || coalesce(last_sqlstate, '-') from queen.table_runs order by 1"))
        .containsExactly("a failed 57014", "b done -");
  }

  private static void sleepIn(String name) {
    sql.run(
        "create function ev.sleep() returns trigger language plpgsql as $$ begin perform pg_sleep(60); return old; end $$");
    sql.run(
        "create trigger sleep before delete on ev.%s for each row execute function ev.sleep()"
            .formatted(name));
  }

  /** Rows 1 to n, older the smaller, all outside of the window of 10 days, and one row 0 inside. */
  private static void events(String name, int rows) {
    String table = tables.table(name, "timestamptz");
    sql.run(
        "insert into %s select now() - interval '20 days' + i * interval '1 second', i from generate_series(1, ?) i"
            .formatted(table),
        rows);
    sql.run("insert into %s values (now(), 0)".formatted(table));
    tables.set(table, "at", "10 days", Map.of("name", name));
  }

  private static void raiseAt(String name, int row) {
    sql.run(
        "create function ev.raise() returns trigger language plpgsql as $$ begin if old.n = %d then raise 'not this one'; end if; return old; end $$"
            .formatted(row));
    sql.run(
        "create trigger raise before delete on ev.%s for each row execute function ev.raise()"
            .formatted(name));
  }

  private static long count(String name) {
    return sql.number("select count(*) from ev." + name);
  }

  private static JsonNode run(String arguments) {
    return sql.json(
        "call queen.table_retention_run_v1(p_raise => false"
            + (arguments.isEmpty() ? "" : ", " + arguments)
            + ")");
  }
}

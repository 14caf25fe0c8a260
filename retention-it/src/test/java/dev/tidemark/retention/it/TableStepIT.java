package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.HostileSession;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.Waiting;
import dev.tidemark.retention.it.table.EventTables;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code table_delete_step_v1}: which rows of an ordinary table go, and which never do. */
class TableStepIT extends OnEventTables {
  private static final Instant CUTOFF = Instant.parse("2020-03-01T00:00:00.000001Z");

  /** What a test that failed left open would hold up the next one. */
  // Kinds of time, each at its edge: the row before the bound goes, the row at the bound stays.

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "timestamptz | timestamptz | | 2020-03-01T00:00:00.000001Z | 2020-03-01 00:00:00.000000+00 | 2020-03-01 00:00:00.000001+00",
        "timestamp | timestamp | UTC | 2020-03-01T00:00:00.000001Z | 2020-03-01 00:00:00.000000 | 2020-03-01 00:00:00.000001",
        "timestamp | timestamp | Asia/Kathmandu | 2020-03-01T00:00:00.000001Z | 2020-03-01 05:45:00.000000 | 2020-03-01 05:45:00.000001",
        "timestamp | timestamp(3) | UTC | 2020-03-01T00:00:00.000001Z | 2020-03-01 00:00:00 | 2020-03-01 00:00:00.001",
        "date | date | Asia/Tokyo | 2020-02-29T15:00:00Z | 2020-02-29 | 2020-03-01",
        "date | date | Asia/Tokyo | 2020-02-29T14:59:59.999999Z | 2020-02-28 | 2020-02-29",
        "epoch_s | int | | 2020-03-01T00:00:00.999999Z | 1583020799 | 1583020800",
        "epoch_s | bigint | | 1969-12-31T23:59:59.500000Z | -2 | -1",
        "epoch_ms | bigint | | 2020-03-01T00:00:00.001001Z | 1583020800000 | 1583020800001",
        "epoch_us | bigint | | 2020-03-01T00:00:00.000001Z | 1583020800000000 | 1583020800000001",
        "epoch_ns | bigint | | 2020-03-01T00:00:00.000001Z | 1583020800000000999 | 1583020800000001000",
        "epoch_ns | numeric | | 2020-03-01T00:00:00.000001Z | 1583020800000000999.999 | 1583020800000001000",
        "epoch_s | numeric(14, 4) | | 2020-03-01T00:00:00.5Z | 1583020799.9999 | 1583020800.0000",
        "uuidv7 | uuid | | 2020-03-01T00:00:00.001Z | 01709364-7800-7fff-bfff-ffffffffffff | 01709364-7801-7000-8000-000000000000"
      })
  void aRowAtTheBoundStaysAndTheOneBeforeGoes(
      String kind, String type, String zone, Instant cutoff, String goes, String stays) {
    String table = tables.table("t", type);
    tables.set(table, "at", "10 days", named("kind", kind, "zone", zone));
    sql.run("insert into %s values ('%s', 1), ('%s', 2)".formatted(table, goes, stays));

    JsonNode step = tables.step(table, cutoff, 10);

    assertThat(step.get("deleted").asInt()).isOne();
    assertThat(step.get("done").asBoolean()).isTrue();
    assertThat(numbers(table)).containsExactly("2");
    assertThat(
            sql.<Boolean>value(
                "select ?::text::%1$s = '%2$s'::%1$s".formatted(type, goes),
                step.get("newest").asText()))
        .isTrue();
  }

  @Test
  void anIntegerThatCannotHoldTheBoundKeepsItsLargestValue() {
    String table = tables.table("t", "int");
    tables.set(table, "at", "10 days", Map.of("kind", "epoch_ms"));
    sql.run(
        "insert into %s values (2147483646, 1), (2147483647, 2), (-2147483648, 3)"
            .formatted(table));
    assertThat(tables.step(table, CUTOFF, 10).get("deleted").asInt()).isEqualTo(2);
    assertThat(numbers(table)).containsExactly("2");
    assertThat(tables.step(table, Instant.parse("0900-01-01T00:00:00Z"), 10).get("deleted").asInt())
        .isZero();
  }

  @Test
  void aBoundNeedsAKindAndAMoment() {
    String bound =
        "select queen.table_bound_v1(p_kind => ?, p_zone => null, p_type => 'uuid', p_cutoff => ?::timestamptz)";
    assertThat(sql.<String>value(bound, "uuidv7", null)).isNull();
    assertThat(sql.<String>value(bound, "uuidv7", Instant.parse("1900-01-01T00:00:00Z")))
        .isEqualTo("00000000-0000-7000-8000-000000000000");
    for (String kind : new String[] {"nonsense", null}) {
      refused("22023", () -> sql.value(bound, kind, CUTOFF), "p_kind", String.valueOf(kind));
    }
    refused(
        "22023",
        () ->
            sql.value(
                "select queen.table_bound_v1('timestamptz', null, 'timestamptz', 'infinity')"),
        "p_cutoff");
  }

  @Test
  void aLocalTimeThatCameTwiceStaysUntilItsSecondTimeIsOver() {
    String table = tables.table("t", "timestamp");
    tables.set(table, "at", "10 days", Map.of("kind", "timestamp", "zone", "Europe/Berlin"));
    // 03:00 summer time became 02:00 at 01:00 UTC.
    sql.run(
        "insert into %s values ('2020-10-25 01:29:59', 1), ('2020-10-25 02:29:59', 2), ('2020-10-25 02:30:00', 3)"
            .formatted(table));
    tables.drain(table, Instant.parse("2020-10-25T00:30:00Z"), 10);
    assertThat(numbers(table)).as("in the first 02:30").containsExactly("2", "3");
    tables.drain(table, Instant.parse("2020-10-25T01:30:00Z"), 10);
    assertThat(numbers(table)).as("in the second").containsExactly("3");
  }

  @Test
  void aDayThatTheClockCameBackToStays() {
    String table = tables.table("t", "date");
    // Until 2014 the clock there was set back at midnight: 23:00 to 24:00 of the day before came
    // twice.
    tables.set(table, "at", "10 days", Map.of("kind", "date", "zone", "America/Havana"));
    sql.run("insert into %s values ('2020-10-31', 1), ('2020-11-01', 2)".formatted(table));
    // 01:00 summer time became 00:00 at 05:00 UTC of November 1st; 00:30 is there twice.
    tables.drain(table, Instant.parse("2020-11-01T04:30:00Z"), 10);
    assertThat(numbers(table)).as("00:30, the first time").containsExactly("1", "2");
    tables.drain(table, Instant.parse("2020-11-01T05:30:00Z"), 10);
    assertThat(numbers(table)).as("00:30, the second time").containsExactly("2");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "timestamptz | timestamptz | | 'infinity', '-infinity', null",
        "timestamp | timestamp | UTC | 'infinity', '-infinity', null",
        "date | date | UTC | 'infinity', '-infinity', null",
        "epoch_s | numeric | | 'NaN', 'Infinity', '-Infinity', null",
        "uuidv7 | uuid | | '00000000-0000-4000-8000-000000000000', '00000000-0000-7000-0000-000000000000',"
            + " '00000000-0000-1000-8000-000000000000', '00000000-0000-0000-0000-000000000000', null"
      })
  void aTimeThatIsNoneNeverGoes(String kind, String type, String zone, String values) {
    String table = tables.table("t", type);
    tables.set(table, "at", "10 days", named("kind", kind, "zone", zone));
    sql.run(
        "insert into %s select v::%s, 1 from unnest(array[%s]) v".formatted(table, type, values));
    long rows = sql.number("select count(*) from " + table);
    for (int rowsAStep : new int[] {1, 10}) {
      JsonNode step = tables.drain(table, CUTOFF, rowsAStep);
      assertThat(step.get("done").asBoolean()).isTrue();
      assertThat(sql.number("select count(*) from " + table)).isEqualTo(rows);
    }
  }

  // The window.

  @Test
  void noCallerReachesIntoTheWindow() {
    String table = tables.table("t", "timestamptz");
    tables.set(table, "at", "1 hour");
    sql.run(
        "insert into %s values (now() - interval '61 minutes', 1), (now() - interval '59 minutes', 2)"
            .formatted(table));
    tables.drain(table, Instant.parse("2099-01-01T00:00:00Z"), 10);
    assertThat(numbers(table)).containsExactly("2");
    assertThat(
            sql.<Boolean>value(
                "select cutoff < now() - interval '59 minutes' from queen.table_history"))
        .isTrue();
  }

  @Test
  void withoutACutoffAndOffNothingGoesAndNothingIsToDo() {
    String table = events(3);
    JsonNode none = tables.step(table, null, 10);
    assertThat(none.get("done").asBoolean()).isTrue();
    assertThat(none.get("state").asText()).isEqualTo("ok");
    sql.value("select queen.table_policy_enable_v1(?, false)", table);
    JsonNode off = tables.step(table, CUTOFF, 10);
    assertThat(off.get("done").asBoolean()).isTrue();
    assertThat(off.get("state").asText()).isEqualTo("disabled");
    assertThat(numbers(table)).hasSize(3);
    sql.value("select queen.table_policy_enable_v1(?, true)", table);
    assertThat(tables.step(table, CUTOFF, 10).get("deleted").asInt()).isEqualTo(3);
  }

  @Test
  void whatIsNoStepIsRefused() {
    String table = events(1);
    for (Integer rows : new Integer[] {null, 0, -1}) {
      refused("22023", () -> tables.step(table, CUTOFF, rows), "p_max_rows");
    }
    for (Integer patience : new Integer[] {null, 0, 60_001}) {
      refused(
          "22023",
          () ->
              sql.value(
                  "select queen.table_delete_step_v1(?, now(), 1, ?::int)::text", table, patience),
          "p_lock_ms");
    }
    refused("TM008", () -> tables.step("nobody", CUTOFF, 1), "nobody");
    refused("TM008", () -> tables.step(null, CUTOFF, 1), "null");
    refused(
        "22023",
        () -> sql.value("select queen.table_delete_step_v1(?, '-infinity', 1)::text", table),
        "p_cutoff");
    sql.begin();
    sql.run("set transaction isolation level repeatable read");
    refused("TM001", () -> tables.step(table, CUTOFF, 1), "table_delete_step_v1");
    sql.rollback();
    assertThat(numbers(table)).hasSize(1);
  }

  @Test
  void patienceEndsWithTheStep() {
    String table = events(1);
    sql.run("set lock_timeout = '7s'");
    tables.step(table, CUTOFF, 10);
    assertThat(sql.<String>value("show lock_timeout")).isEqualTo("7s");
    assertThat(sql.<String>value("show search_path")).contains("public");
    sql.run("reset lock_timeout");
  }

  // Order, positions, done.

  @Test
  void theOldestGoFirstAndTheNextStepBeginsWhereTheLastEnded() {
    String table = events(10);
    JsonNode first = tables.step(table, CUTOFF, 4);
    assertThat(first.get("deleted").asInt()).isEqualTo(4);
    assertThat(first.get("done").asBoolean()).isFalse();
    assertThat(first.get("leaf").asText()).isEqualTo(table);
    assertThat(numbers(table)).containsExactly("5", "6", "7", "8", "9", "10");
    assertThat(
            sql.<Boolean>value(
                "select position::timestamptz = '2020-01-04Z' and after is null from queen.table_positions"))
        .isTrue();
    assertThat(tables.step(table, CUTOFF, 4).get("done").asBoolean()).isFalse();
    JsonNode last = tables.step(table, CUTOFF, 4);
    assertThat(last.get("deleted").asInt()).isEqualTo(2);
    assertThat(last.get("done").asBoolean()).isTrue();
    assertThat(tables.step(table, CUTOFF, 4).get("deleted").asInt()).isZero();
    assertThat(tables.texts("select rows_deleted from queen.table_history order by id"))
        .containsExactly("4", "4", "2");
  }

  @Test
  void aStepThatIsRolledBackLeavesNoHistoryAndNoPosition() {
    String table = events(3);
    sql.begin();
    assertThat(tables.step(table, CUTOFF, 2).get("deleted").asInt()).isEqualTo(2);
    sql.rollback();
    assertThat(sql.number("select count(*) from queen.table_history")).isZero();
    assertThat(sql.number("select count(*) from queen.table_positions")).isZero();
    assertThat(numbers(table)).hasSize(3);
  }

  @Test
  void lateRowsBehindThePositionGoToo() {
    String table = events(6);
    tables.step(table, CUTOFF, 4);
    sql.run("insert into %s values ('2019-01-01Z', 100), ('2019-01-02Z', 101)".formatted(table));
    JsonNode end = tables.step(table, CUTOFF, 4);
    assertThat(end.get("deleted").asInt()).isEqualTo(2);
    assertThat(end.get("done").asBoolean()).as("done is asked of the table").isFalse();
    assertThat(tables.drain(table, CUTOFF, 4).get("done").asBoolean()).isTrue();
    assertThat(numbers(table)).isEmpty();
    sql.run("insert into %s values ('2019-01-01Z', 100)".formatted(table));
    assertThat(tables.step(table, CUTOFF, 4).get("deleted").asInt()).isOne();
  }

  @Test
  void manyRowsOfOneMomentGo() {
    String table = tables.table("t", "timestamptz");
    tables.set(table, "at", "10 days");
    sql.run(
        "insert into %s select '2020-01-01Z', i from generate_series(1, 25) i".formatted(table));
    assertThat(tables.drain(table, CUTOFF, 4).get("done").asBoolean()).isTrue();
    assertThat(numbers(table)).isEmpty();
  }

  @Test
  void deadRowsThatASnapshotKeepsAreNotReadAgainByEachBatch() {
    String table = tables.table("t", "timestamptz");
    tables.set(table, "at", "10 days");
    sql.run(
        "insert into %s select timestamptz '2020-01-01Z' + i * interval '1 second', i from generate_series(1, 20000) i"
            .formatted(table));
    sql.run("vacuum analyze " + table);
    Sql holder = another();
    holder.begin();
    holder.run("set transaction isolation level repeatable read");
    holder.number("select count(*) from " + table);

    for (int step = 0; step < 10; step++) {
      tables.step(table, CUTOFF, 1000);
    }
    sql.begin();
    String entriesRead = "select pg_stat_get_xact_tuples_returned('ev.t_at_idx'::regclass)";
    long before = sql.number(entriesRead);
    assertThat(tables.step(table, CUTOFF, 1000).get("deleted").asInt()).isEqualTo(1000);
    assertThat(sql.number(entriesRead) - before).isBetween(1000L, 1010L);
    sql.commit();
    holder.rollback();
    assertThat(tables.drain(table, CUTOFF, 1000).get("done").asBoolean()).isTrue();
    assertThat(numbers(table)).isEmpty();
  }

  @Test
  void aTableWhoseStatisticsAreWrongIsNotReadToTheBoundByEachBatch() {
    String table = tables.table("t", "timestamptz");
    sql.run("alter table %s set (autovacuum_enabled = off)".formatted(table));
    sql.run("insert into %s select now(), i from generate_series(1, 5000) i".formatted(table));
    sql.run("analyze " + table);
    sql.run(
        "insert into %s select timestamptz '2020-01-01Z' + i * interval '1 second', i from generate_series(1, 20000) i"
            .formatted(table));
    tables.set(table, "at", "10 days");
    sql.begin();
    String entriesRead = "select pg_stat_get_xact_tuples_returned('ev.t_at_idx'::regclass)";
    long before = sql.number(entriesRead);
    assertThat(tables.step(table, CUTOFF, 100).get("deleted").asInt()).isEqualTo(100);
    assertThat(sql.number(entriesRead) - before).isBetween(100L, 110L);
    sql.commit();
  }

  // Rows that cannot go.

  @Test
  void rowsThatAWriterHoldsArePassedAndNamedAndGoLater() {
    String table = events(6);
    Sql writer = another();
    writer.begin();
    writer.run("update %s set n = -n where n in (2, 3)".formatted(table));

    JsonNode step = tables.step(table, CUTOFF, 3);
    assertThat(step.get("deleted").asInt()).isEqualTo(3);
    assertThat(step.get("skipped").asInt()).isEqualTo(2);
    assertThat(step.get("done").asBoolean()).isFalse();
    assertThat(numbers(table)).containsExactly("2", "3", "6");
    JsonNode end = tables.drain(table, CUTOFF, 3);
    assertThat(end.get("deleted").asInt()).isZero();
    assertThat(end.get("done").asBoolean()).isFalse();
    assertThat(end.get("stuck").asBoolean()).isTrue();
    assertThat(end.get("skipped").asInt()).isEqualTo(2);
    assertThat(numbers(table)).containsExactly("2", "3");
    assertThat(tables.texts("select rows_skipped from queen.table_history order by id"))
        .containsExactly("2", "0");

    writer.rollback();
    assertThat(tables.drain(table, CUTOFF, 3).get("done").asBoolean()).isTrue();
    assertThat(numbers(table)).isEmpty();
  }

  @Test
  void aTableThatIsBeingAlteredFailsTheStepAtOnce() {
    String table = events(1);
    Sql other = another();
    other.begin();
    other.run("lock table %s in access exclusive mode".formatted(table));
    refused("55P03", () -> tables.step(table, CUTOFF, 1));
    other.rollback();
    assertThat(tables.step(table, CUTOFF, 1).get("deleted").asInt()).isOne();
  }

  @Test
  void rowsThatATriggerKeepsAreNamedAndDoNotHoldUpTheOthers() {
    String table = events(10);
    sql.run(
        "create function ev.keep() returns trigger language plpgsql as $$ begin if old.n <= 4 then return null; end if;"
            + " return old; end $$");
    sql.run(
        "create trigger keep before delete on %s for each row execute function ev.keep()"
            .formatted(table));

    JsonNode first = tables.step(table, CUTOFF, 2);
    assertThat(first.get("deleted").asInt()).isZero();
    assertThat(first.get("kept").asInt()).isEqualTo(2);
    assertThat(first.get("done").asBoolean()).isFalse();
    assertThat(first.get("stuck").asBoolean()).isFalse();
    assertThat(sql.number("select count(*) from queen.table_history")).isZero();
    JsonNode end = tables.drain(table, CUTOFF, 2);
    assertThat(end.get("stuck").asBoolean()).isTrue();
    assertThat(end.get("done").asBoolean()).isFalse();
    assertThat(numbers(table)).containsExactly("1", "2", "3", "4");
    sql.run("drop trigger keep on " + table);
    assertThat(tables.drain(table, CUTOFF, 2).get("done").asBoolean()).isTrue();
  }

  @Test
  void manyRowsOfOneMomentThatATriggerKeepsDoNotHoldUpTheOthers() {
    String table = tables.table("t", "timestamptz");
    tables.set(table, "at", "10 days");
    sql.run("insert into %s select '2020-01-01Z', 1 from generate_series(1, 9)".formatted(table));
    sql.run("insert into %s values ('2020-01-02Z', 2)".formatted(table));
    sql.run(
        "create function ev.keep() returns trigger language plpgsql as $$ begin if old.n = 1 then return null; end if;"
            + " return old; end $$");
    sql.run(
        "create trigger keep before delete on %s for each row execute function ev.keep()"
            .formatted(table));
    assertThat(tables.drain(table, CUTOFF, 2).get("stuck").asBoolean()).isTrue();
    assertThat(numbers(table)).containsOnly("1").hasSize(9);
  }

  @Test
  void aRowThatIsPointedAtFailsTheStepWithItsCode() {
    sql.run("create table ev.p (id int primary key, at timestamptz)");
    sql.run("create index on ev.p (at)");
    sql.run("create table ev.c (p int references ev.p)");
    sql.run("create index on ev.c (p)");
    sql.run("insert into ev.p values (1, '2020-01-01Z'), (2, '2020-01-02Z')");
    sql.run("insert into ev.c values (2)");
    tables.set("ev.p", "at", "10 days");
    assertThat(tables.step("ev.p", CUTOFF, 1).get("deleted").asInt()).isOne();
    refused("23503", () -> tables.step("ev.p", CUTOFF, 1));
    assertThat(sql.number("select count(*) from ev.p")).isOne();
  }

  @Test
  void rowSecurityFailsTheStepAndDoesNotHalveIt() {
    String table = events(2);
    sql.run("grant usage on schema ev to queen_retention");
    sql.run("grant select, delete, update on %s to queen_retention".formatted(table));
    sql.run("alter table %s enable row level security".formatted(table));
    sql.run("create policy first on %s using (n = 1)".formatted(table));
    Sql retention = another();
    retention.run("set role queen_retention");
    EventTables by = new EventTables(retention);
    refused("42501", () -> by.step(table, CUTOFF, 10), "row-level security");
    sql.run("alter table %s disable row level security".formatted(table));
    assertThat(by.step(table, CUTOFF, 10).get("deleted").asInt()).isEqualTo(2);
  }

  @Test
  void withoutTheRightToDeleteNothingGoes() {
    String table = events(2);
    Sql retention = another();
    retention.run("set role queen_retention");
    refused("42501", () -> new EventTables(retention).step(table, CUTOFF, 10));
  }

  // Leaves.

  @Test
  void partitionsAreEmptiedOneByOneAndACtidOfOneTakesNothingOfAnother() {
    sql.run("create table ev.p (at timestamptz, n int) partition by list (n)");
    for (int leaf = 1; leaf <= 3; leaf++) {
      sql.run("create table ev.p%1$d partition of ev.p for values in (%1$d)".formatted(leaf));
    }
    sql.run("create index on ev.p (at)");
    tables.set("ev.p", "at", "10 days");
    // At the same places in each leaf: old rows in the first, young ones in the second, both in the
    // third.
    sql.run("insert into ev.p select '2020-01-01Z', 1 from generate_series(1, 5)");
    sql.run("insert into ev.p select '2020-04-01Z', 2 from generate_series(1, 5)");
    sql.run("insert into ev.p select '2020-04-01Z', 3 from generate_series(1, 3)");
    sql.run("insert into ev.p select '2020-01-01Z', 3 from generate_series(1, 3)");

    JsonNode first = tables.step("ev.p", CUTOFF, 10);
    assertThat(first.get("leaf").asText()).isEqualTo("ev.p1");
    assertThat(first.get("deleted").asInt()).isEqualTo(5);
    assertThat(first.get("done").asBoolean()).as("another leaf has more").isFalse();
    JsonNode second = tables.step("ev.p", CUTOFF, 10);
    assertThat(second.get("leaf").asText()).isEqualTo("ev.p3");
    assertThat(second.get("deleted").asInt()).isEqualTo(3);
    assertThat(second.get("done").asBoolean()).isTrue();
    assertThat(tables.texts("select n || ' ' || count(*) from ev.p group by n order by n"))
        .containsExactly("2 5", "3 3");
    assertThat(tables.texts("select relation || ' ' || leaf from queen.table_history order by id"))
        .containsExactly("ev.p ev.p1", "ev.p ev.p3");
  }

  @Test
  void partitionsOfPartitionsAndChildrenAreLeavesAndAFullBatchStaysWithItsLeaf() {
    String table = tables.table("t", "timestamptz");
    sql.run("create table ev.child (more text) inherits (ev.t)");
    sql.run("create table ev.grandchild () inherits (ev.child)");
    sql.run("create table ev.second () inherits (ev.t, ev.child)");
    for (String each : List.of("child", "grandchild", "second")) {
      sql.run("create index on ev.%s (at)".formatted(each));
    }
    tables.set(table, "at", "10 days");
    for (String each : List.of("t", "child", "grandchild", "second")) {
      sql.run(
          "insert into ev.%s (at, n) select timestamptz '2020-02-25Z' + i * interval '1 day', i from generate_series(1, 10) i"
              .formatted(each));
    }
    assertThat(tables.step(table, CUTOFF, 3).get("leaf").asText()).isEqualTo("ev.t");
    assertThat(tables.step(table, CUTOFF, 3).get("leaf").asText()).isEqualTo("ev.t");
    assertThat(tables.step(table, CUTOFF, 3).get("leaf").asText()).isEqualTo("ev.child");
    assertThat(tables.drain(table, CUTOFF, 3).get("done").asBoolean()).isTrue();
    assertThat(
            tables.texts(
                "select tableoid::regclass || ' ' || min(n) from ev.t group by tableoid order by 1"))
        .containsExactly("ev.child 6", "ev.grandchild 6", "ev.second 6", "ev.t 6");
  }

  @Test
  void aLeafWhoseRowsAreHeldDoesNotHoldUpTheOthers() {
    String table = tables.table("t", "timestamptz");
    sql.run("create table ev.child () inherits (ev.t)");
    sql.run("create index on ev.child (at)");
    tables.set(table, "at", "10 days");
    sql.run("insert into ev.t values ('2020-01-01Z', 1)");
    sql.run("insert into ev.child values ('2020-01-01Z', 2)");
    Sql writer = another();
    writer.begin();
    writer.row("select n from only ev.t for update");
    JsonNode step = tables.step(table, CUTOFF, 5);
    assertThat(step.get("leaf").asText()).isEqualTo("ev.child");
    assertThat(step.get("deleted").asInt()).isOne();
    assertThat(step.get("skipped").asInt()).isOne();
    assertThat(step.get("done").asBoolean()).isFalse();
    writer.rollback();
  }

  @Test
  void aLeafWithoutAnIndexIsNamedWhenTheOthersAreEmpty() {
    String table = tables.table("t", "timestamptz");
    tables.set(table, "at", "10 days");
    sql.run("create table ev.\"Bare\" () inherits (ev.t)");
    sql.run("insert into ev.t values ('2020-01-01Z', 1)");
    JsonNode step = tables.step(table, CUTOFF, 5);
    assertThat(step.get("deleted").asInt()).isOne();
    assertThat(step.get("done").asBoolean()).isFalse();
    refused(
        "TM009",
        () -> tables.step(table, CUTOFF, 5),
        "ev.\"Bare\"",
        "create index concurrently on ev.\"Bare\" (at)");
  }

  // What else there is on tables.

  @Test
  void aPredicateChoosesAmongTheOldRows() {
    String table = events(6);
    tables.set(table, "at", "10 days", Map.of("predicate", "n % 2 = 0 or n is null"));
    assertThat(tables.drain(table, CUTOFF, 2).get("done").asBoolean()).isTrue();
    assertThat(numbers(table)).containsExactly("1", "3", "5");
  }

  @Test
  void severalPoliciesOfOneTableEachTakeTheirOwn() {
    String table = events(6);
    tables.set(table, "at", "10 days", Map.of("name", "odd", "predicate", "n % 2 = 1"));
    tables.set(table, "at", "10 days", Map.of("name", "even", "predicate", "n % 2 = 0"));
    tables.drain("odd", CUTOFF, 2);
    assertThat(numbers(table)).containsExactly("2", "4", "6");
    tables.drain("even", CUTOFF, 2);
    assertThat(numbers(table)).isEmpty();
  }

  @Test
  void rowsMoveIntoTheArchiveAsTheyAre() {
    sql.run(
        "create table ev.t (id bigint generated always as identity, at timestamptz, word text, gone int, len int generated always as (length(word)) stored)");
    sql.run("alter table ev.t drop column gone");
    sql.run("create index on ev.t (at)");
    sql.run(
        "create table ev.a (word text, len int generated always as (length(word)) stored, at timestamptz, id bigint generated always as identity,"
            + " archived timestamptz default now())");
    sql.run(
        "insert into ev.t (at, word) select timestamptz '2020-02-25Z' + i * interval '1 day', repeat('w', i) from generate_series(1, 8) i");
    tables.set("ev.t", "at", "10 days", Map.of("archive", "ev.a"));

    JsonNode step = tables.step("ev.t", CUTOFF, 2);
    assertThat(step.get("archived").asInt()).isEqualTo(2);
    assertThat(step.get("deleted").asInt()).isEqualTo(2);
    tables.drain("ev.t", CUTOFF, 2);
    assertThat(tables.texts("select id || word || len from ev.a order by id"))
        .containsExactly("1w1", "2ww2", "3www3", "4wwww4", "5wwwww5");
    assertThat(tables.texts("select id from ev.t order by id")).containsExactly("6", "7", "8");
    assertThat(tables.texts("select sum(rows_archived) from queen.table_history"))
        .containsExactly("5");
  }

  @Test
  void anArchiveThatTakesLessFailsTheStep() {
    String table = events(3);
    sql.run("create table ev.a (like ev.t)");
    sql.run(
        "create function ev.refuse() returns trigger language plpgsql as $$ begin return null; end $$");
    sql.run(
        "create trigger refuse before insert on ev.a for each row execute function ev.refuse()");
    tables.set(table, "at", "10 days", Map.of("archive", "ev.a"));
    refused("TM010", () -> tables.step(table, CUTOFF, 2), "2 rows left ev.t", "took 0");
    assertThat(numbers(table)).hasSize(3);
  }

  /** Each fits the call better than the one of pg_catalog, which takes anything. */
  @Test
  void aFunctionOfSomebodysOwnIsNotCalledThoughThePathWouldFindIt() {
    Sql owner = another();
    owner.run("create schema mallory");
    try {
      sql.run("create table ev.called (what text)");
      for (String function :
          List.of(
              "format(text, text, text) returns text",
              "format(text, text, text, text) returns text",
              "format(text, name) returns text",
              "cardinality(tid[]) returns int",
              "to_jsonb(timestamptz) returns jsonb",
              "string_agg(text, text) returns text")) {
        owner.run(
            "create function mallory."
                + function
                + " language plpgsql as $$ begin raise exception 'mallory was called'; end $$");
      }
      sql.run("create table ev.t (at timestamptz, n int)");
      sql.run("create index on ev.t (at)");
      sql.run("create table ev.archive (like ev.t)");
      sql.run(
          "create function ev.note() returns trigger language plpgsql as $$ begin insert into"
              + " ev.called values (current_setting('search_path')); return old; end $$");
      sql.run("create trigger note before delete on ev.t for each row execute function ev.note()");
      sql.run("insert into ev.t values ('2020-01-01Z', 1), ('2020-01-02Z', 2), (now(), 3)");
      sql.run(
          "alter database \""
              + sql.value("select current_database()")
              + "\" set search_path = mallory, public");
      Sql lured = another();
      EventTables theirs = new EventTables(lured);
      theirs.set("ev.t", "at", "1 day", Map.of("predicate", "n > 0"));
      assertThat(theirs.step("ev.t", CUTOFF, 1).get("deleted").asInt()).isOne();
      theirs.set("ev.t", "at", "1 day", Map.of("predicate", "n > 0", "archive", "ev.archive"));
      assertThat(theirs.step("ev.t", CUTOFF, 10).get("archived").asInt()).isOne();
      assertThat(tables.texts("select n from ev.t")).containsExactly("3");
      assertThat(tables.texts("select distinct what from ev.called"))
          .as("the trigger has the session's path")
          .containsExactly("pg_catalog, mallory, public, pg_temp");
    } finally {
      sql.run(
          "alter database \"" + sql.value("select current_database()") + "\" reset search_path");
      sql.run("drop schema mallory cascade");
    }
  }

  @Test
  void aLeafThatIsLockedDoesNotUndoWhatWentFromAnother() {
    sql.run("create table ev.p (at timestamptz) partition by range (at)");
    sql.run("create table ev.p1 partition of ev.p for values from (minvalue) to ('2020-02-01Z')");
    sql.run("create table ev.p2 partition of ev.p default");
    sql.run("create index on ev.p (at)");
    sql.run("insert into ev.p values ('2020-01-01Z'), ('2020-02-01Z')");
    tables.set("ev.p", "at", "1 day");
    Sql other = another();
    other.run("begin");
    other.run("lock table only ev.p2 in access exclusive mode");

    JsonNode step = tables.step("ev.p", CUTOFF, 10);

    assertThat(step.get("deleted").asInt()).isOne();
    assertThat(step.get("done").asBoolean()).isFalse();
    other.run("rollback");
    assertThat(tables.drain("ev.p", CUTOFF, 10).get("done").asBoolean()).isTrue();
    assertThat(sql.number("select count(*) from ev.p")).isZero();
  }

  @Test
  void triggersFindTheirTablesByTheSessionsPath() {
    String table = events(2);
    sql.run("create table ev.noted (n int)");
    sql.run(
        "create function ev.note() returns trigger language plpgsql as $$ begin insert into noted values (old.n); return old; end $$");
    sql.run(
        "create trigger note before delete on %s for each row execute function ev.note()"
            .formatted(table));
    Sql program = Sql.connect(database.url() + "&options=-c%20search_path=ev");
    assertThat(new EventTables(program).step(table, CUTOFF, 10).get("deleted").asInt())
        .isEqualTo(2);
    assertThat(tables.texts("select n from ev.noted order by n")).containsExactly("1", "2");
    program.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"MixedCase\" | \"At\"",
        "\"with.dot\" | \"a.t\"",
        "\"with \"\"quotes\"\"\" | \"a\"\"t\"",
        "\"Größe 表\" | \"時刻\"",
        "\"%I $1 ' \\\" | \"%L $1 ' \\\"",
        "\"select\" | \"order\"",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
      })
  void anyLegalNameWorks(String name, String column) {
    sql.run("create table ev.%s (%s timestamptz, \"N\" int)".formatted(name, column));
    sql.run("create index on ev.%s (%s)".formatted(name, column));
    sql.run("create table ev.\"Arch ive\" (like ev.%s)".formatted(name));
    sql.run(
        "insert into ev.%s values ('2020-01-01Z', 1), ('2020-01-01Z', 2), ('2020-04-01Z', 1)"
            .formatted(name));
    tables.set(
        "ev." + name,
        column,
        "10 days",
        Map.of("predicate", "\"N\" = 1", "archive", "ev.\"Arch ive\""));
    assertThat(tables.drain("ev." + name, CUTOFF, 1).get("done").asBoolean()).isTrue();
    assertThat(tables.texts("select \"N\" from ev.%s order by 1".formatted(name)))
        .containsExactly("1", "2");
    assertThat(sql.number("select count(*) from ev.\"Arch ive\"")).isOne();
  }

  @Test
  void aHostileSessionChangesNothing() {
    sql.run(HostileSession.LIES);
    for (String type : List.of("timestamptz", "bigint")) {
      String table = tables.table(type, type);
      Map<String, String> kind =
          Map.of("kind", type.equals("bigint") ? "epoch_s" : type, "predicate", "n <> 3");
      sql.run(
          "insert into %s select %s, i from generate_series(1, 6) i"
              .formatted(
                  table,
                  type.equals("bigint")
                      ? "1583020797 + i"
                      : "timestamptz '2020-02-28Z' + i * interval '1 day'"));
      Sql hostile = another();
      HostileSession.SETTINGS.forEach(setting -> hostile.run("set " + setting));
      EventTables by = new EventTables(hostile);
      String policy = by.set(table, "at", "10 days", kind).get("name").asText();
      assertThat(by.drain(policy, Instant.parse("2020-03-02T12:00:00Z"), 2).get("done").asBoolean())
          .isTrue();
      assertThat(numbers(table))
          .isEqualTo(type.equals("bigint") ? List.of("3") : List.of("3", "4", "5", "6"));
      hostile.json("call queen.table_retention_run_v1(p_duty => 1)");
      assertThat(numbers(table)).containsExactly("3");
    }
    sql.run("drop schema evil cascade");
  }

  // Which table it is.

  @Test
  void aRenameIsFollowedAndTheNameIsRefreshed() {
    String table = events(4);
    tables.set(table, "at", "10 days", Map.of("name", "p", "predicate", "n > 0"));
    sql.run("alter table ev.t rename column at to moment");
    sql.run("alter table ev.t rename to renamed");
    sql.run("create schema ev2");
    sql.run("alter table ev.renamed set schema ev2");
    tables.table("t", "timestamptz");
    sql.run("insert into ev.t values ('2020-01-01Z', 1)");
    assertThat(tables.step("p", CUTOFF, 1).get("relation").asText()).isEqualTo("ev2.renamed");
    assertThat(sql.number("select count(*) from ev.t")).isOne();
    assertThat(
            tables.texts(
                "select relation_schema || '.' || relation_name || '.' || column_name from queen.table_policies where name = 'p'"))
        .containsExactly("ev2.renamed.moment");
    sql.run("drop schema ev2 cascade");
    refused("TM009", () -> tables.step("p", CUTOFF, 1), "ev2.renamed is gone");
  }

  @Test
  void anotherTableThatTookTheNameIsLeftAlone() {
    String table = events(2);
    sql.run("drop table ev.t");
    tables.table("t", "timestamptz");
    sql.run("insert into ev.t values ('2020-01-01Z', 1)");
    refused("TM009", () -> tables.step(table, CUTOFF, 1), "another one has its name");
    assertThat(numbers(table)).hasSize(1);
    tables.set(table, "at", "10 days");
    assertThat(tables.step(table, CUTOFF, 1).get("deleted").asInt()).isOne();
  }

  @Test
  void inAnotherDatabaseTheNamesDecide() {
    String table = events(3);
    tables.set(table, "at", "10 days", Map.of("predicate", "n > 1", "archive", archive()));
    tables.step(table, CUTOFF, 1);
    // What a restore brings: the row as it was, where the numbers mean nothing, or somebody else.
    sql.run(
        "update queen.table_policies set home = '1/1', relation_id = 'queen.queues'::regclass, column_id = 77,"
            + " archive_id = 'queen.log_dlq'::regclass, predicate_columns = '{\"99\": \"n\"}'");
    assertThat(tables.step(table, CUTOFF, 1).get("deleted").asInt()).isOne();
    assertThat(numbers(table)).containsExactly("1");
    assertThat(
            tables.texts(
                "select (home = queen.table_home_v1()) || ' ' || relation_id::regclass || ' ' || column_id || ' ' ||"
                    + " archive_id::regclass || ' ' || predicate_columns from queen.table_policies"))
        .containsExactly("true ev.t 1 ev.a {\"2\": \"n\"}");
    sql.run("update queen.table_policies set home = '1/1'");
    sql.run("drop table ev.t");
    refused("TM009", () -> tables.step(table, CUTOFF, 1), "ev.t is gone");
  }

  @Test
  void whatChangedUnderAPolicyIsNamedAndNothingGoes() {
    String table = events(3);
    tables.set(table, "at", "10 days", Map.of("predicate", "n > 0", "archive", archive()));
    sql.run("alter table ev.a drop column n");
    refused("TM009", () -> tables.step(table, CUTOFF, 1), "archive ev.a lacks column n");
    sql.run("drop table ev.a");
    refused("TM009", () -> tables.step(table, CUTOFF, 1), "archive ev.a is gone");
    tables.set(table, "at", "10 days", Map.of("predicate", "n > 0"));
    sql.run("alter table ev.t rename n to m");
    refused(
        "TM009",
        () -> tables.step(table, CUTOFF, 1),
        "column n of ev.t, which the predicate reads");
    sql.run("alter table ev.t add n int default 1");
    refused(
        "TM009",
        () -> tables.step(table, CUTOFF, 1),
        "column n of ev.t, which the predicate reads");
    tables.set(table, "at", "10 days");
    sql.run("alter table ev.t alter at type timestamp");
    refused(
        "TM009",
        () -> tables.step(table, CUTOFF, 1),
        "column at of ev.t is timestamp without time zone");
    sql.run("alter table ev.t drop column at");
    refused("TM009", () -> tables.step(table, CUTOFF, 1), "column at of ev.t is gone");
    assertThat(sql.number("select count(*) from ev.t")).isEqualTo(3);
  }

  @Test
  void twoStepsOfOnePolicyDoNotMeet() {
    String table = events(4);
    Sql other = another();
    other.begin();
    assertThat(new EventTables(other).step(table, CUTOFF, 1).get("deleted").asInt()).isOne();
    JsonNode step = tables.step(table, CUTOFF, 1);
    assertThat(step.get("state").asText()).isEqualTo("busy");
    assertThat(step.get("done").asBoolean()).isFalse();
    assertThat(step.get("deleted").asInt()).isZero();
    other.commit();
    assertThat(tables.step(table, CUTOFF, 1).get("deleted").asInt()).isOne();
  }

  @Test
  void aTableThatIsRenamedWhileTheStepWaitsForItIsFollowed() {
    String table = events(2);
    Sql other = another();
    other.begin();
    other.run("alter table ev.t rename to old");
    other.run("create table ev.t (at timestamptz, n int)");
    other.run("create index on ev.t (at)");
    other.run("insert into ev.t values ('2020-01-01Z', 1)");
    Sql stepper = another();
    Waiting.Elsewhere<JsonNode> step =
        Waiting.blocked(
            sql,
            stepper,
            s -> s.json("select queen.table_delete_step_v1(?, ?, 10, 30000)", table, CUTOFF));
    other.commit();
    assertThat(step.get().get("relation").asText()).isEqualTo("ev.old");
    assertThat(sql.number("select count(*) from ev.old")).isZero();
    assertThat(sql.number("select count(*) from ev.t")).isOne();
  }

  /** {@code ev.t} with n of 1 and on, one a day from 2020-01-01 on, and a policy of its name. */
  private static String events(int rows) {
    String table = tables.table("t", "timestamptz");
    sql.run(
        "insert into ev.t select timestamptz '2019-12-31Z' + i * interval '1 day', i from generate_series(1, ?) i",
        rows);
    tables.set(table, "at", "10 days");
    return table;
  }

  private static String archive() {
    sql.run("create table ev.a (like ev.t)");
    return "ev.a";
  }

  private static List<String> numbers(String table) {
    return tables.texts("select n from %s order by n".formatted(table));
  }

  private static Map<String, String> named(String... pairs) {
    Map<String, String> named = new TreeMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      if (pairs[i + 1] != null) {
        named.put(pairs[i], pairs[i + 1]);
      }
    }
    return named;
  }
}

package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Sql;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Leaves that cannot be emptied, and rows in them that stay: neither hides what else there is. */
class TableLeavesIT extends OnEventTables {
  private static final Instant CUTOFF = Instant.parse("2099-01-01T00:00:00Z");

  @Test
  void aTemporaryChildOfAnotherSessionIsNoLeaf() {
    String table = tables.table("t", "timestamptz");
    sql.run("insert into ev.t values ('2020-01-01Z', 1)");
    tables.set(table, "at", "10 days");
    try (Sql other = Sql.connect(database.url())) {
      other.run("create temporary table kid () inherits (ev.t)");
      other.run("create index on kid (at)");
      other.run("insert into kid values ('2020-01-01Z', 2)");

      assertThat(tables.texts("select leaf from queen.table_leaves_v1('ev.t'::regclass)"))
          .containsExactly("ev.t");
      JsonNode step = tables.drain(table, CUTOFF, 10);
      assertThat(step.get("done").asBoolean()).isTrue();
      assertThat(sql.number("select count(*) from only ev.t")).isZero();
      assertThat(other.number("select count(*) from kid")).isOne();
      assertThat(tables.texts("select problem from queen.table_status_v1()"))
          .containsExactly("null");
    }
  }

  @Test
  void aForeignPartitionThatIsAttachedLaterIsNamedWhenTheOthersAreEmpty() {
    sql.run("create table ev.p (at timestamptz) partition by range (at)");
    sql.run("create table ev.p1 partition of ev.p for values from (minvalue) to ('2021-01-01Z')");
    sql.run("create index on ev.p (at)");
    sql.run("insert into ev.p values ('2020-01-01Z')");
    tables.set("ev.p", "at", "10 days");
    sql.run("create foreign data wrapper nowhere");
    try {
      sql.run("create server nowhere foreign data wrapper nowhere");
      sql.run(
          "create foreign table ev.far partition of ev.p for values from ('2021-01-01Z') to ('2022-01-01Z') server nowhere");

      JsonNode step = tables.step("ev.p", CUTOFF, 10);
      assertThat(step.get("deleted").asInt()).isOne();
      assertThat(step.get("done").asBoolean()).as("nobody has looked into it").isFalse();
      refused("TM009", () -> tables.step("ev.p", CUTOFF, 10), "ev.far is a foreign table");
    } finally {
      sql.run("drop foreign data wrapper nowhere cascade");
    }
    assertThat(tables.step("ev.p", CUTOFF, 10).get("done").asBoolean()).isTrue();
  }

  @Test
  void asManyKeptRowsOfOneMomentAsABatchDoNotHideTheOthersOfThatMoment() {
    String table = tables.table("t", "timestamptz");
    sql.run("insert into ev.t select '2020-01-01Z', 1 from generate_series(1, 9)");
    sql.run("insert into ev.t select '2020-01-01Z', 2 from generate_series(1, 5)");
    sql.run("insert into ev.t values ('2020-01-02Z', 3)");
    keep("t", "old.n = 1");
    tables.set(table, "at", "10 days");

    assertThat(tables.drain(table, CUTOFF, 2).get("stuck").asBoolean()).isTrue();

    assertThat(tables.texts("select n from ev.t")).containsOnly("1").hasSize(9);
  }

  /** Of thousands of leaves they would be more than the server has room for. */
  @Test
  void ofALeafInWhichNothingWasFoundNoLockIsLeft() {
    sql.run("create table ev.p (at timestamptz, n int) partition by list (n)");
    for (int n = 1; n <= 20; n++) {
      sql.run("create table ev.p%1$d partition of ev.p for values in (%1$d)".formatted(n));
    }
    sql.run("create index on ev.p (at)");
    sql.run("insert into ev.p values ('2020-01-01Z', 7)");
    tables.set("ev.p", "at", "10 days");
    for (String call :
        List.of(
            "select queen.table_delete_step_v1('ev.p', now(), 10)",
            "select queen.table_delete_step_v1('ev.p', now(), 10)",
            "select count(*) from queen.table_look_v1('ev.p')")) {
      sql.begin();
      sql.value(call);
      assertThat(
              tables.texts(
                  "select distinct c.relname from pg_locks l join pg_class c on c.oid = l.relation"
                      + " where l.pid = pg_backend_pid() and c.relname ~ '^p[0-9]'"))
          .as(call)
          .allMatch(name -> name.startsWith("p7"));
      sql.rollback();
    }
  }

  /** The lock on the index alone: whoever plans a statement of the table waits for it. */
  @Test
  void anIndexThatIsLockedIsAFailureOfItsLeafWhereItIsWorkedAtAndSomethingLeftWhereItIsLookedAt() {
    sql.run("create table ev.p (at timestamptz, n int) partition by list (n)");
    sql.run("create table ev.p1 partition of ev.p for values in (1)");
    sql.run("create table ev.p2 partition of ev.p for values in (2)");
    sql.run("create index on ev.p (at)");
    sql.run("insert into ev.p values ('2020-01-01Z', 1)");
    tables.set("ev.p", "at", "10 days");
    try (Sql other = Sql.connect(database.url())) {
      other.begin();
      other.run("alter index ev.p2_at_idx set tablespace pg_default");

      JsonNode step = tables.step("ev.p", CUTOFF, 10);

      assertThat(step.get("deleted").asInt()).isOne();
      assertThat(step.get("done").asBoolean()).as("nobody has looked").isFalse();
      for (int rows : new int[] {10, 1}) {
        refused("55P03", () -> tables.step("ev.p", CUTOFF, rows));
      }
      assertThat(tables.texts("select problem from queen.table_look_v1('ev.p') order by leaf"))
          .element(1)
          .asString()
          .contains("55P03");
      other.rollback();
    }
    assertThat(tables.step("ev.p", CUTOFF, 10).get("done").asBoolean()).isTrue();
  }

  @Test
  void rowsThatStayInManyLeavesAreNotAllLockedByOneStep() {
    sql.run("create table ev.p (at timestamptz, n int) partition by list (n)");
    for (int n = 1; n <= 6; n++) {
      sql.run("create table ev.p%1$d partition of ev.p for values in (%1$d)".formatted(n));
    }
    sql.run("create index on ev.p (at)");
    sql.run("insert into ev.p select '2020-01-01Z', 1 + i % 6 from generate_series(1, 12) i");
    keep("p", "true");
    tables.set("ev.p", "at", "10 days");
    for (int step = 1; step <= 4; step++) {
      JsonNode answer = tables.step("ev.p", CUTOFF, 4);
      assertThat(answer.get("kept").asInt()).isEqualTo(step <= 3 ? 4 : 0);
      assertThat(answer.get("done").asBoolean()).isFalse();
      assertThat(answer.get("stuck").asBoolean()).as("step " + step).isEqualTo(step == 4);
    }
    JsonNode run = sql.json("call queen.table_retention_run_v1(p_duty => 1)");
    assertThat(run.get("policies").findValuesAsText("stopped")).containsExactly("stuck");
    sql.run("drop trigger keep on ev.p");
    assertThat(tables.drain("ev.p", CUTOFF, 4).get("done").asBoolean()).isTrue();
  }

  private static void keep(String leaf, String which) {
    sql.run(
        "create function ev.keep_%s() returns trigger language plpgsql as $$ begin if %s then return null; end if; return old; end $$"
            .formatted(leaf, which));
    sql.run(
        "create trigger keep before delete on ev.%1$s for each row execute function ev.keep_%1$s()"
            .formatted(leaf));
  }
}

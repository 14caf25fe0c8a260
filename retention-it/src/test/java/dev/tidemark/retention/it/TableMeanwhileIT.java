package dev.tidemark.retention.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.Waiting;
import dev.tidemark.retention.it.table.EventTables;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * What others do to a policy, its table, its leaves and its archive while a step waits for them.
 */
class TableMeanwhileIT extends OnEventTables {
  private static final Instant CUTOFF = Instant.parse("2099-01-01T00:00:00Z");

  // The policy.

  @Test
  void aWindowThatIsWidenedWhileAStepWaitsForThePolicyHoldsAtOnce() {
    String table = tables.table("t", "timestamptz");
    sql.run("insert into ev.t values (now() - interval '20 days', 1), (now(), 2)");
    tables.set(table, "at", "10 days");
    Sql setter = another();
    setter.begin();
    new EventTables(setter).set(table, "at", "30 days", Map.of("predicate", "n > 0"));

    Waiting.Elsewhere<JsonNode> step = blockedStep(table);
    setter.commit();

    assertThat(step.get().get("deleted").asInt()).isZero();
    assertThat(tables.texts("select n from ev.t order by n")).containsExactly("1", "2");
    assertThat(tables.texts("select keep || predicate from queen.table_policies"))
        .containsExactly("30 days(n > 0)");
  }

  @Test
  void aPolicyThatIsSwitchedOffWhileAStepWaitsForItDeletesNothingAndStaysOff() {
    String table = old(1);
    Sql setter = another();
    setter.begin();
    new EventTables(setter).set(table, "at", "10 days", Map.of("enabled", false));

    Waiting.Elsewhere<JsonNode> step = blockedStep(table);
    setter.commit();

    assertThat(step.get().get("state").asText()).isEqualTo("disabled");
    assertThat(sql.number("select count(*) from ev.t")).isOne();
    assertThat(sql.<Boolean>value("select enabled from queen.table_policies")).isFalse();
  }

  @Test
  void aPolicyThatIsSetWhileItsStepWaitsForTheTableWaitsForTheStep() {
    old(1);
    tables.set("ev.t", "at", "10 days", Map.of("name", "p"));
    Sql holder = another();
    holder.begin();
    holder.run("alter table ev.t rename to renamed");
    holder.run("alter table ev.renamed rename to t");
    Waiting.Elsewhere<JsonNode> step = blockedStep("p");
    Sql setter = another();
    Waiting.Elsewhere<Integer> set =
        Waiting.blocked(
            sql,
            setter,
            s -> s.run("select queen.table_policy_enable_v1(p_name => 'p', p_enabled => false)"));
    holder.commit();

    assertThat(step.get().get("deleted").asInt()).isOne();
    set.get();
    assertThat(sql.<Boolean>value("select enabled from queen.table_policies where name = 'p'"))
        .isFalse();
    assertThat(tables.step("p", CUTOFF, 10).get("state").asText()).isEqualTo("disabled");
  }

  @Test
  void whoSetsAPolicyAndAStepWaitForEachOtherInOneOrder() {
    String table = old(6);
    tables.step(table, CUTOFF, 2);
    assertThat(sql.number("select count(*) from queen.table_positions")).isOne();
    Sql writer = another();
    writer.begin();
    writer.run("select from ev.t where n = 3 for update");
    Waiting.Elsewhere<JsonNode> step = blockedStep(table);
    Waiting.Elsewhere<JsonNode> set =
        Waiting.blocked(sql, another(), s -> new EventTables(s).set(table, "at", "30 days"));
    writer.rollback();

    assertThat(step.get().get("deleted").asInt()).isEqualTo(4);
    assertThat(set.get().get("created").asBoolean()).isFalse();
    assertThat(sql.number("select count(*) from queen.table_positions")).as("set anew").isZero();
  }

  // A leaf.

  /** The lock of a step is on the table at the top, and this detach needs the one below alone. */
  @Test
  void aPartitionThatIsDetachedWhileAStepWaitsForItIsNotEmptied() {
    sql.run("create table ev.p (at timestamptz, n int) partition by list (n)");
    sql.run("create table ev.low partition of ev.p for values in (1, 2) partition by list (n)");
    sql.run("create table ev.p1 partition of ev.low for values in (1)");
    sql.run("create table ev.p2 partition of ev.low for values in (2)");
    sql.run("create index on ev.p (at)");
    sql.run("insert into ev.p select '2020-01-01Z', 1 + i % 2 from generate_series(1, 4) i");
    tables.set("ev.p", "at", "10 days");
    Sql other = another();
    other.begin();
    other.run("alter table ev.low detach partition ev.p1");

    Waiting.Elsewhere<JsonNode> step = blockedStep("ev.p");
    other.commit();

    JsonNode answer = step.get();
    assertThat(answer.get("leaf").asText()).isEqualTo("ev.p2");
    assertThat(answer.get("deleted").asInt()).isEqualTo(2);
    assertThat(answer.get("done").asBoolean()).isTrue();
    assertThat(sql.number("select count(*) from ev.p1")).isEqualTo(2);
  }

  @Test
  void aChildThatInheritsNoMoreIsNotEmptied() {
    old(0);
    sql.run("create table ev.child () inherits (ev.t)");
    sql.run("create index on ev.child (at)");
    sql.run("insert into ev.child values ('2020-01-01Z', 1)");
    Sql other = another();
    other.begin();
    other.run("alter table ev.child no inherit ev.t");

    Waiting.Elsewhere<JsonNode> step = blockedStep("ev.t");
    other.commit();

    JsonNode answer = step.get();
    assertThat(answer.get("deleted").asInt()).isZero();
    assertThat(answer.get("done").asBoolean()).isTrue();
    assertThat(sql.number("select count(*) from ev.child")).isOne();
  }

  @Test
  void aLeafThatIsDroppedMeanwhileIsNoFailure() {
    old(0);
    sql.run("create table ev.child () inherits (ev.t)");
    sql.run("create index on ev.child (at)");
    sql.run("create table ev.younger () inherits (ev.t)");
    sql.run("create index on ev.younger (at)");
    sql.run("insert into ev.child values ('2020-01-01Z', 1)");
    sql.run("insert into ev.younger values ('2020-01-01Z', 2)");
    Sql other = another();
    other.begin();
    other.run("drop table ev.child");

    Waiting.Elsewhere<JsonNode> step = blockedStep("ev.t");
    other.commit();

    JsonNode answer = step.get();
    assertThat(answer.get("leaf").asText()).isEqualTo("ev.younger");
    assertThat(answer.get("deleted").asInt()).isOne();
    assertThat(answer.get("done").asBoolean()).isTrue();
  }

  @Test
  void aLeafThatIsRenamedMeanwhileIsServedByItsNewNameAndTheStrangerIsNot() {
    partitions();
    Sql other = another();
    other.begin();
    other.run("alter table ev.p1 rename to was_p1");
    other.run("create table ev.p1 (at timestamptz, n int)");
    other.run("create index on ev.p1 (at)");
    other.run("insert into ev.p1 values ('2020-01-01Z', 100)");

    Waiting.Elsewhere<JsonNode> step = blockedStep("ev.p");
    other.commit();

    JsonNode answer = step.get();
    assertThat(answer.get("leaf").asText()).isEqualTo("ev.was_p1");
    assertThat(answer.get("deleted").asInt()).isEqualTo(2);
    assertThat(tables.texts("select leaf from queen.table_history")).containsExactly("ev.was_p1");
    assertThat(tables.texts("select n from ev.p1")).containsExactly("100");
  }

  @Test
  void aLeafThatIsLockedForLongIsPassedAndTheOthersAreServed() {
    partitions();
    Sql other = another();
    other.begin();
    other.run("lock table ev.p1 in access exclusive mode");

    JsonNode answer = tables.step("ev.p", CUTOFF, 10);

    assertThat(answer.get("leaf").asText()).isEqualTo("ev.p2");
    assertThat(answer.get("deleted").asInt()).isEqualTo(2);
    assertThat(answer.get("done").asBoolean()).as("nobody knows what is in it").isFalse();
    JsonNode end = tables.drain("ev.p", CUTOFF, 10);
    assertThat(end.get("stuck").asBoolean()).isTrue();
    assertThat(end.get("done").asBoolean()).isFalse();
    JsonNode run = sql.json("call queen.table_retention_run_v1(p_duty => 1)");
    assertThat(run.get("policies").findValuesAsText("stopped")).containsExactly("stuck");
    other.rollback();
    assertThat(tables.drain("ev.p", CUTOFF, 10).get("done").asBoolean()).isTrue();
    assertThat(sql.number("select count(*) from ev.p")).isZero();
  }

  // The archive.

  @Test
  void rowsNeverLandInATableThatTookTheArchivesName() {
    old(2);
    sql.run("create table ev.archive (like ev.t)");
    tables.set("ev.t", "at", "10 days", Map.of("archive", "ev.archive"));
    Sql other = another();
    other.begin();
    other.run("alter table ev.archive rename to kept");
    other.run("create table ev.archive (like ev.t)");

    Waiting.Elsewhere<JsonNode> step = blockedStep("ev.t");
    other.commit();

    assertThat(step.get().get("archived").asInt()).isEqualTo(2);
    assertThat(sql.number("select count(*) from ev.kept")).isEqualTo(2);
    assertThat(sql.number("select count(*) from ev.archive")).isZero();
  }

  /** A step that waits for as long as somebody needs; returns when it waits. */
  private Waiting.Elsewhere<JsonNode> blockedStep(String policy) {
    return Waiting.blocked(
        sql,
        another(),
        s ->
            s.json(
                "select queen.table_delete_step_v1(p_name => ?, p_cutoff => ?::timestamptz, p_max_rows => 10, p_lock_ms => 30000)",
                policy,
                CUTOFF));
  }

  /** {@code ev.t} with so many rows from long ago, and a policy of its name. */
  private static String old(int rows) {
    String table = tables.table("t", "timestamptz");
    sql.run(
        "insert into ev.t select timestamptz '2020-01-01Z' + i * interval '1 s', i from generate_series(1, ?) i",
        rows);
    tables.set(table, "at", "10 days");
    return table;
  }

  /** {@code ev.p} with two rows in each of two partitions, and a policy of its name. */
  private static void partitions() {
    sql.run("create table ev.p (at timestamptz, n int) partition by list (n)");
    sql.run("create table ev.p1 partition of ev.p for values in (1)");
    sql.run("create table ev.p2 partition of ev.p for values in (2)");
    sql.run("create index on ev.p (at)");
    sql.run("insert into ev.p select '2020-01-01Z', 1 + i % 2 from generate_series(1, 4) i");
    tables.set("ev.p", "at", "10 days");
  }
}

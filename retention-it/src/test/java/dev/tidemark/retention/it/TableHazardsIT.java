package dev.tidemark.retention.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.support.Sql;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code table_hazards_v1}: what keeps a policy from doing what it says, one thing at a time. */
class TableHazardsIT extends OnEventTables {
  @AfterEach
  void nobodyElseAndNothingPublished() {
    sql.run("reset role");
    for (Object name : sql.column("select quote_ident(pubname) from pg_publication")) {
      sql.run("drop publication " + name);
    }
  }

  @Test
  void aRightThatIsMissingOnALeafIsNamedWithTheLeaf() {
    partitions();
    asRetention("ev.p");
    assertThat(hazards()).contains("forbidden");
    assertThat(
            tables.texts(
                "select detail from queen.table_hazards_v1() where hazard = 'forbidden' order by 1"))
        .containsExactly(
            "queen_retention may not delete on ev.p1",
            "queen_retention may not select on ev.p1",
            "queen_retention may not update on ev.p1");
    assertThat(fix("forbidden")).isEqualTo("grant delete on ev.p1 to queen_retention;");
  }

  @Test
  void rowSecurityOfALeafIsOfTheWholeTable() {
    partitions();
    sql.run("alter table ev.p1 enable row level security");
    assertThat(hazards()).as("a superuser").isEmpty();
    asRetention("ev.p", "ev.p1");
    assertThat(hazards()).contains("row security").doesNotContain("forbidden");
    assertThat(detail("row security")).contains("ev.p1");
  }

  @Test
  void whatCascadesIsInNoArchive() {
    sql.run("create table ev.t (id int primary key, at timestamptz)");
    sql.run("create index on ev.t (at)");
    sql.run("create table ev.child (t int references ev.t on delete cascade)");
    sql.run("create index on ev.child (t)");
    tables.set("ev.t", "at", "1 day");
    assertThat(hazards()).as("without an archive").isEmpty();
    sql.run("create table ev.archive (like ev.t)");
    tables.set("ev.t", "at", "1 day", Map.of("archive", "ev.archive"));
    assertThat(hazards()).containsExactly("archive", "cascade");
    assertThat(detail("cascade")).contains("ev.child");
  }

  @Test
  void aRuleThatDoesSomethingElseIsNamedWithItsLeaf() {
    partitions();
    sql.run("create rule note as on delete to ev.p1 do also nothing");
    assertThat(hazards()).isEmpty();
    sql.run("create rule \"Keep\" as on delete to ev.p1 do instead nothing");
    assertThat(hazards()).containsExactly("rule");
    assertThat(fix("rule")).isEqualTo("drop rule \"Keep\" on ev.p1;");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "for table ev.t | | true",
        "for all tables | | true",
        "for table ev.t with (publish = 'insert') | | false",
        "for table ev.t | alter table ev.t replica identity full | false",
        "for table ev.t | alter table ev.t add primary key (n) | false",
        "for table ev.t | alter table ev.t add primary key (n); alter table ev.t replica identity nothing | true",
        "for table ev.t | alter table ev.t alter n set not null; create unique index u on ev.t (n); alter table ev.t replica identity using index u | false"
      })
  void aTableWhoseDeletesArePublishedNeedsAReplicaIdentity(
      String what, String mended, boolean hazard) {
    tables.set(tables.table("t", "timestamptz"), "at", "1 day");
    sql.run("create publication p " + what);
    if (mended != null) {
      sql.run(mended);
    }
    assertThat(hazards()).isEqualTo(hazard ? List.of("replica identity") : List.of());
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void aPartitionIsPublishedWithItsTable(boolean byRoot) {
    partitions();
    sql.run(
        "create publication p for table ev.p with (publish_via_partition_root = " + byRoot + ")");
    assertThat(hazards()).containsExactly("replica identity");
    assertThat(detail("replica identity")).startsWith("ev.p1 ");
    sql.run("alter table ev.p1 replica identity full");
    assertThat(hazards()).isEmpty();
  }

  @Test
  void aPolicyWithoutAConditionBesideAnotherOneDecidesForBoth() {
    String table = tables.table("t", "timestamptz");
    tables.set(table, "at", "1 year", Map.of("name", "audited", "predicate", "n > 1"));
    tables.set(table, "at", "1 day", Map.of("name", "rest", "predicate", "n <= 1"));
    assertThat(hazards()).as("each has its own rows").isEmpty();
    tables.set(table, "at", "1 day", Map.of("name", "rest"));
    assertThat(hazards()).containsExactly("shared");
    assertThat(detail("shared")).contains("'rest'");
    sql.run("select queen.table_policy_enable_v1('rest', false)");
    assertThat(hazards()).containsExactly("disabled");
  }

  @Test
  void aRunThatWasCutOffIsUnfinishedAfterAnHour() {
    tables.set(tables.table("t", "timestamptz"), "at", "1 day");
    sql.run("select queen.table_run_start_v1('ev.t', now() - interval '30 minutes')");
    assertThat(hazards()).as("it may be at work").isEmpty();
    sql.run("select queen.table_run_start_v1('ev.t', now() - interval '2 hours')");
    assertThat(hazards()).containsExactly("unfinished");
    sql.run("update queen.table_runs set last_end_at = now()");
    assertThat(hazards()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"stuck, true", "throttled, true", "busy, true", "done, false", "time, false"})
  void whatHeldUpTheLastRunIsSaid(String stopped, boolean hazard) {
    tables.set(tables.table("t", "timestamptz"), "at", "1 day");
    sql.run(
        "insert into queen.table_runs (policy, last_start_at, last_end_at, last_stopped) values ('ev.t', now(), now(), ?)",
        stopped);
    assertThat(hazards()).isEqualTo(hazard ? List.of("held up") : List.of());
    if (hazard) {
      assertThat(detail("held up")).contains(stopped);
    }
  }

  // What one policy's table says is its own.

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "begin raise exception 'not for you'; end | not for you (P0001)",
        "begin assert false, 'so it is'; end | so it is (P0004)",
        "begin return 1 / (n - n) > 0; end | division by zero (22012)",
        "begin raise sqlstate 'XY123' using message = 'odd'; end | odd (XY123)"
      })
  void aPredicateThatRaisesIsAProblemOfItsPolicyOnly(String body, String problem) {
    sql.run(
        "create function ev.odd(n int) returns boolean immutable language plpgsql as $$ begin return true; end $$");
    for (String name : List.of("a", "b")) {
      tables.table(name, "timestamptz");
      sql.run("insert into ev.%s values (now() - interval '1 year', 1)".formatted(name));
    }
    tables.set("ev.a", "at", "1 day", Map.of("name", "a", "predicate", "ev.odd(n)"));
    tables.set("ev.b", "at", "1 day", Map.of("name", "b"));
    sql.run(
        "create or replace function ev.odd(n int) returns boolean immutable language plpgsql as $$ %s $$"
            .formatted(body));

    assertThat(tables.texts("select problem from queen.table_status_v1()"))
        .containsExactly(problem, "null");
    assertThat(tables.texts("select oldest_at is not null from queen.table_status_v1()"))
        .containsExactly("false", "true");
    assertThat(
            tables.texts(
                "select policy || ' ' || hazard from queen.table_hazards_v1() where hazard = 'problem'"))
        .containsExactly("a problem");
    sql.run("drop function ev.odd(int)");
    assertThat(
            tables.texts(
                "select problem like '%(42883)' from queen.table_status_v1() where policy = 'a'"))
        .containsExactly("true");
    assertThat(tables.texts("select problem from queen.table_status_v1('b')"))
        .containsExactly("null");
  }

  @Test
  void whatPoliciesSayIsToldWithoutALookIntoTheirTables() {
    String table = tables.table("t", "timestamptz");
    tables.set(table, "at", "1 day", Map.of("predicate", "n > 1", "batch", 7));
    try (Sql other = Sql.connect(database.url())) {
      other.begin();
      other.run("lock table ev.t in access exclusive mode");
      sql.run("set lock_timeout = '1ms'");
      assertThat(sql.row("select * from queen.table_rules_v1()"))
          .containsEntry("policy", "ev.t")
          .containsEntry("relation", "ev.t")
          .containsEntry("keep", "1 day")
          .containsEntry("predicate", "(n > 1)")
          .containsEntry("batch", 7)
          .containsEntry("problem", null);
      sql.run("reset lock_timeout");
      other.rollback();
    }
    assertThat(sql.rows("select * from queen.table_rules_v1('nobody')")).isEmpty();
  }

  @Test
  void aTriggerForAStatementOfTheParentSeesNothing() {
    partitions();
    sql.run(
        "create function ev.see() returns trigger language plpgsql as $$ begin return null; end $$");
    sql.run("create trigger rows after delete on ev.p for each row execute function ev.see()");
    tables.set("ev.p", "at", "10 days");
    assertThat(hazards()).doesNotContain("statement trigger");
    sql.run(
        "create trigger all_of_it after delete on ev.p for each statement execute function ev.see()");
    assertThat(detail("statement trigger")).contains("all_of_it of ev.p");
  }

  private static void partitions() {
    sql.run("create table ev.p (at timestamptz, n int) partition by list (n)");
    sql.run("create table ev.p1 partition of ev.p default");
    sql.run("create index on ev.p (at)");
    tables.set("ev.p", "at", "1 day");
  }

  private static void asRetention(String... granted) {
    sql.run("grant usage on schema ev to queen_retention");
    for (String table : granted) {
      sql.run("grant select, update, delete on %s to queen_retention".formatted(table));
    }
    sql.run("set role queen_retention");
  }

  private static List<String> hazards() {
    return tables.texts("select hazard from queen.table_hazards_v1()");
  }

  private static String detail(String hazard) {
    return sql.value(
        "select detail from queen.table_hazards_v1() where hazard = ? order by detail limit 1",
        hazard);
  }

  private static String fix(String hazard) {
    return sql.value(
        "select fix from queen.table_hazards_v1() where hazard = ? order by detail limit 1",
        hazard);
  }
}

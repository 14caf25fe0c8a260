package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.support.DatabaseUrl;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.table.EventTables;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The names that policies keep for a dump, and copies of a database, which need none. */
class TableNamesIT extends OnEventTables {
  private static final Instant CUTOFF = Instant.parse("2099-01-01T00:00:00Z");
  private static final String NAMES =
      "select name || ' ' || relation_schema || '.' || relation_name || '.' || column_name || ' '"
          + " || coalesce(archive_name, '-') from queen.table_policies order by 1";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "alter table ev.events rename to events_old; alter table ev.other rename to events",
        "drop table ev.events; alter table ev.other rename to events",
        "alter table ev.events rename at to born; alter table ev.events add at timestamptz default '2020-01-01Z'",
        "alter table ev.archive rename to archive_old; create table ev.archive (like ev.events)"
      })
  void aCopyByTemplateOfWhatNoRunHasSeenIsRefused(String change) {
    copied(
        change,
        (in, tables) -> {
          refused("TM009", () -> tables.step("p", CUTOFF, 10));
          assertThat(in.number("select count(*) from ev.events")).isOne();
          assertThat(in.number("select count(*) from ev.archive")).isZero();
        });
  }

  @Test
  void aCopyByTemplateGoesOnWhereNothingWasChanged() {
    copied(
        "select",
        (in, tables) -> {
          assertThat(tables.step("p", CUTOFF, 10).get("archived").asInt()).isOne();
          assertThat(
                  in.<Boolean>value(
                      "select home = queen.table_home_v1() from queen.table_policies"))
              .isTrue();
        });
  }

  /** The same by hand: in the second part of its home a copy differs, and in nothing else. */
  @Test
  void inACopyTheNumberThatHasAnotherNameIsRefused() {
    tables.table("t", "timestamptz");
    sql.run("insert into ev.t values ('2020-01-01Z', 1)");
    tables.set("ev.t", "at", "10 days");
    sql.run("update queen.table_policies set home = regexp_replace(home, '/.*/', '/1/')");
    sql.run("alter table ev.t rename to was_t");

    refused("TM009", () -> tables.step("ev.t", CUTOFF, 10), "when this database was copied");

    sql.run("alter table ev.was_t rename to t");
    assertThat(tables.step("ev.t", CUTOFF, 10).get("deleted").asInt()).isOne();
  }

  private static void copied(String change, BiConsumer<Sql, EventTables> look) {
    try (TestDatabase source = TestDatabase.migrated()) {
      try (Sql in = Sql.connect(source.url())) {
        EventTables there = new EventTables(in);
        there.reset();
        for (String name : List.of("events", "other")) {
          there.table(name, "timestamptz");
          in.run("insert into ev.%s values ('2020-01-01Z', 1)".formatted(name));
        }
        in.run("create table ev.archive (like ev.events)");
        there.set("ev.events", "at", "10 days", Map.of("name", "p", "archive", "ev.archive"));
        in.run(change);
      }
      DatabaseUrl of = DatabaseUrl.of(source.url());
      String copy = of.database() + "_copy";
      sql.run("create database %s template %s".formatted(copy, of.database()));
      try (Sql in = Sql.connect(of.with(copy).toString())) {
        look.accept(in, new EventTables(in));
      } finally {
        sql.run("drop database %s with (force)".formatted(copy));
      }
    }
  }

  /** Or a rename there would be followed nowhere, and its name decide in the next dump. */
  @Test
  void aPolicyThatIsOffIsAtHomeWhereItWasRestored() {
    tables.table("t", "timestamptz");
    tables.set("ev.t", "at", "10 days", Map.of("enabled", false));
    sql.run("update queen.table_policies set home = '1/1/1', relation_id = 1");
    sql.run("insert into queen.table_positions (policy, leaf_id) values ('ev.t', 1)");

    assertThat(sql.number("select queen.table_names_v1()")).isOne();

    assertThat(
            sql.<Boolean>value(
                "select home = queen.table_home_v1() and relation_id = 'ev.t'::regclass and not enabled from queen.table_policies"))
        .isTrue();
    assertThat(sql.number("select count(*) from queen.table_positions")).isZero();
    assertThat(sql.number("select queen.table_names_v1()")).isZero();
  }

  @Test
  void aRunWritesDownTheNamesOfAllPoliciesAlsoOfThoseThatAreOff() {
    renamed("off", false);
    renamed("on", true);

    sql.json("call queen.table_retention_run_v1(p_duty => 1)");

    assertThat(tables.texts(NAMES))
        .containsExactly("off ev.new_off.moment new_a_off", "on ev.new_on.moment new_a_on");
    assertThat(sql.number("select queen.table_names_v1()")).as("nothing is to do").isZero();
  }

  @Test
  void aPolicyThatSomebodyIsAtIsLeftForTheNextRun() {
    renamed("a", true);
    renamed("b", false);
    try (Sql other = Sql.connect(database.url())) {
      other.begin();
      other.run("select from queen.table_policies where name = 'b' for update");

      assertThat(sql.number("select queen.table_names_v1()")).isOne();

      assertThat(tables.texts(NAMES)).containsExactly("a ev.new_a.moment new_a_a", "b ev.b.at a_b");
      other.rollback();
    }
    assertThat(sql.number("select queen.table_names_v1()")).isOne();
    assertThat(tables.texts(NAMES))
        .containsExactly("a ev.new_a.moment new_a_a", "b ev.new_b.moment new_a_b");
  }

  /**
   * Of a policy that was set elsewhere the numbers mean nothing, and its names are all there is.
   */
  @Test
  void whatCameWithARestoreKeepsItsNames() {
    renamed("a", true);
    sql.run("update queen.table_policies set home = '1/1'");
    assertThat(sql.number("select queen.table_names_v1()")).isZero();
    assertThat(tables.texts(NAMES)).containsExactly("a ev.a.at a_a");
  }

  private static void renamed(String name, boolean enabled) {
    tables.table(name, "timestamptz");
    sql.run("create table ev.a_%1$s (like ev.%1$s)".formatted(name));
    tables.set(
        "ev." + name,
        "at",
        "10 days",
        Map.of("name", name, "enabled", enabled, "archive", "ev.a_" + name));
    sql.run("alter table ev.%1$s rename to new_%1$s".formatted(name));
    sql.run("alter table ev.new_%s rename at to moment".formatted(name));
    sql.run("alter table ev.a_%1$s rename to new_a_%1$s".formatted(name));
    // The archive has the columns of its table by their names.
    sql.run("alter table ev.new_a_%s rename at to moment".formatted(name));
  }
}

package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A table that changes after its policy was set: what fits no more deletes nothing. */
class TableFitIT extends OnEventTables {
  private static final Instant CUTOFF = Instant.parse("2099-01-01T00:00:00Z");

  @BeforeEach
  void aTableAndAnArchive() {
    tables.table("t", "timestamptz");
    sql.run("insert into ev.t values ('2020-01-01Z', 1)");
    sql.run("create table ev.archive (like ev.t)");
  }

  // Lost.

  @ParameterizedTest
  @ValueSource(
      strings = {
        "drop table ev.t",
        "alter table ev.t drop column at",
        "alter table ev.t rename column n to m",
        "drop table ev.archive"
      })
  void whatWasLostAtHomeIsNotFoundElsewhereByItsName(String change) {
    tables.set("ev.t", "at", "10 days", Map.of("predicate", "n > 0", "archive", "ev.archive"));
    sql.run(change);
    assertThat(sql.number("select queen.table_names_v1()")).isOne();
    assertThat(sql.<Boolean>value("select lost from queen.table_policies")).isTrue();
    assertThat(sql.number("select queen.table_names_v1()")).as("it is known").isZero();
    sql.run("drop schema ev cascade");
    sql.run("create schema ev");
    tables.table("t", "timestamptz");
    sql.run("create table ev.archive (like ev.t)");
    sql.run("insert into ev.t values ('2020-01-01Z', 1)");
    sql.run("update queen.table_policies set home = '1/1'");

    refused("TM009", () -> tables.step("ev.t", CUTOFF, 10), "was gone where the policy was set");

    assertThat(sql.number("select count(*) from ev.t")).isOne();
    tables.set("ev.t", "at", "10 days");
    assertThat(sql.<Boolean>value("select lost from queen.table_policies")).isFalse();
    assertThat(tables.step("ev.t", CUTOFF, 10).get("deleted").asInt()).isOne();
  }

  @Test
  void aColumnThatIsNamedAsBeforeAgainIsLostNoMore() {
    tables.set("ev.t", "at", "10 days", Map.of("predicate", "n > 0"));
    sql.run("alter table ev.t rename column n to m");
    sql.value("select queen.table_names_v1()");
    sql.run("alter table ev.t rename column m to n");
    assertThat(sql.number("select queen.table_names_v1('ev.t')")).isOne();
    assertThat(sql.<Boolean>value("select lost from queen.table_policies")).isFalse();
    assertThat(tables.step("ev.t", CUTOFF, 10).get("deleted").asInt()).isOne();
  }

  // Cascades.

  @Test
  void aCascadeIntoTheTableThatIsMadeLaterTakesNoRowInsideTheWindow() {
    sql.run("create table ev.a (id int primary key, at timestamptz)");
    sql.run("create index on ev.a (at)");
    sql.run("create table ev.b (id int primary key, a int references ev.a on delete cascade)");
    sql.run("create index on ev.b (a)");
    tables.set("ev.a", "at", "10 days");
    sql.run("alter table ev.a add b int references ev.b on delete cascade");
    sql.run("create index on ev.a (b)");
    sql.run("insert into ev.a values (1, '2020-01-01Z', null)");
    sql.run("insert into ev.b values (1, 1)");
    sql.run("insert into ev.a values (2, now(), 1)");

    refused("TM009", () -> tables.step("ev.a", CUTOFF, 10), "a_b_fkey of ev.a", "have to stay");

    assertThat(sql.number("select count(*) from ev.a")).isEqualTo(2);
    sql.run("alter table ev.a drop constraint a_b_fkey");
    assertThat(tables.step("ev.a", CUTOFF, 10).get("deleted").asInt()).isOne();
  }

  @Test
  void anArchiveThatARowTakesItsOwnRowsFromIsRefused() {
    sql.run("create table ev.a (id int primary key, at timestamptz, ref int)");
    sql.run("create index on ev.a (at)");
    sql.run("create table ev.gone (like ev.a)");
    tables.set("ev.a", "at", "10 days", Map.of("name", "before", "archive", "ev.gone"));
    sql.run("alter table ev.gone add foreign key (ref) references ev.a on delete cascade");
    sql.run("create index on ev.gone (ref)");
    sql.run("insert into ev.a values (1, '2020-01-02Z', null), (2, '2020-01-01Z', 1)");

    refused("TM009", () -> tables.step("before", CUTOFF, 1), "gone_ref_fkey of ev.gone");
    refused(
        "22023",
        () -> tables.set("ev.a", "at", "10 days", Map.of("archive", "ev.gone")),
        "gone_ref_fkey of ev.gone",
        "have to stay");
    assertThat(sql.number("select count(*) from ev.a")).isEqualTo(2);
  }

  // Units.

  @ParameterizedTest
  @CsvSource({
    "bigint, epoch_ms, 1, epoch_s",
    "numeric, epoch_us, 1000, epoch_ms",
    "bigint, epoch_ns, 1000000, epoch_us"
  })
  void aNumberThatHasAnotherUnitThanWasSaidGoesNowhere(
      String type, String kind, long perSecond, String unit) {
    sql.run("create table ev.e (at %s)".formatted(type));
    sql.run("create index on ev.e (at)");
    tables.set("ev.e", "at", "10 days", Map.of("kind", kind));
    sql.run(
        "insert into ev.e select extract(epoch from now())::bigint * ? from generate_series(1, 5)",
        perSecond);
    if (type.equals("numeric")) {
      sql.run("insert into ev.e values ('NaN'), ('Infinity')");
    }

    refused("TM009", () -> tables.step("ev.e", CUTOFF, 10), "is no " + kind + " but " + unit);

    assertThat(sql.number("select count(*) from ev.e")).isGreaterThanOrEqualTo(5);
    tables.set("ev.e", "at", "10 days", Map.of("kind", unit));
    assertThat(tables.step("ev.e", CUTOFF, 10).get("done").asBoolean()).isTrue();
    assertThat(sql.number("select count(*) from ev.e")).isGreaterThanOrEqualTo(5);
  }

  @Test
  void aUnitThatChangesAfterTheFirstRowsHaveGoneIsNoticed() {
    sql.run("create table ev.e (at bigint)");
    sql.run("create index on ev.e (at)");
    sql.run(
        "insert into ev.e select 1000 * extract(epoch from now() - interval '1 day' * d)::bigint from unnest(array[90, 91, 1, 2]) d");
    tables.set("ev.e", "at", "10 days", Map.of("kind", "epoch_ms"));
    assertThat(tables.step("ev.e", CUTOFF, 1).get("deleted").asInt()).isOne();
    sql.run("insert into ev.e select at / 1000 from ev.e where at > 0");

    refused("TM009", () -> tables.step("ev.e", CUTOFF, 10), "is no epoch_ms but epoch_s");

    assertThat(sql.number("select count(*) from ev.e")).isEqualTo(6);
  }

  @Test
  void aTimeFarAheadKeepsNoOldRow() {
    sql.run("create table ev.e (at bigint)");
    sql.run("create index on ev.e (at)");
    sql.run("insert into ev.e values (1577836800)");
    tables.set("ev.e", "at", "10 days", Map.of("kind", "epoch_s"));
    sql.run("insert into ev.e values (1577836800000)");
    assertThat(tables.step("ev.e", CUTOFF, 10).get("done").asBoolean()).isTrue();
    assertThat(tables.texts("select at from ev.e")).containsExactly("1577836800000");
  }

  // Columns of children.

  @Test
  void whatAChildHasBesidesIsInNoArchive() {
    tables.set("ev.t", "at", "10 days", Map.of("archive", "ev.archive"));
    sql.run("create table ev.child (extra text) inherits (ev.t)");
    sql.run("create index on ev.child (at)");
    sql.run("insert into ev.child values ('2020-01-01Z', 2, 'x')");
    assertThat(tables.step("ev.t", CUTOFF, 1).get("deleted").asInt()).isOne();
    refused("TM009", () -> tables.step("ev.t", CUTOFF, 1), "column extra of ev.child");
    assertThat(sql.number("select count(*) from ev.child")).isOne();
    refused(
        "22023",
        () -> tables.set("ev.t", "at", "10 days", Map.of("archive", "ev.archive")),
        "extra of ev.child");
    tables.set("ev.t", "at", "10 days");
    assertThat(tables.step("ev.t", CUTOFF, 1).get("deleted").asInt()).isOne();
  }
}

package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.table.EventTables;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code table_policy_set_v1}: what is kept of a policy, and what is refused. */
class TablePolicyIT extends OnEventTables {
  private static final Instant CUTOFF = Instant.parse("2020-03-01T00:00:00Z");

  @BeforeEach
  void aTable() {
    tables.table("t", "timestamptz");
  }

  /** A refusal leaves nothing: no policy, no table of its own. */
  @AfterEach
  void nothingTemporaryIsLeft() {
    assertThat(
            tables.texts(
                "select relname from pg_class where relnamespace = pg_my_temp_schema() and relkind = 'r'"))
        .isEmpty();
  }

  @Test
  void aPolicyIsKeptAsItWasSetAndSetAgainAsAWhole() {
    JsonNode first =
        tables.set(
            "ev.t",
            "at",
            "30 days",
            Map.of("name", "p", "batch", 500, "predicate", "n > 1", "enabled", false));
    assertThat(first.get("created").asBoolean()).isTrue();
    assertThat(first.get("relation").asText()).isEqualTo("ev.t");
    assertThat(first.get("kind").asText()).isEqualTo("timestamptz");
    assertThat(first.get("predicate").asText()).isEqualTo("(n > 1)");
    assertThat(first.get("batch").asInt()).isEqualTo(500);
    assertThat(first.get("enabled").asBoolean()).isFalse();
    assertThat(first.get("warnings")).isEmpty();

    JsonNode again = tables.set("ev.t", "at", "1 mon 2 days 03:00:00", Map.of("name", "p"));
    assertThat(again.get("created").asBoolean()).isFalse();
    assertThat(again.get("predicate").isNull()).isTrue();
    assertThat(again.get("batch").asInt()).isEqualTo(10_000);
    assertThat(again.get("enabled").asBoolean()).isTrue();
    assertThat(again.get("keep").asText()).isEqualTo("1 mon 2 days 03:00:00");
    assertThat(again.get("warnings")).isEmpty();
    assertThat(sql.number("select count(*) from queen.table_policies")).isOne();
  }

  @Test
  void settingAgainBeginsFromTheBeginningAndTheNameIsTheTableHoweverItIsTyped() {
    sql.run("insert into ev.t values ('2020-01-01Z', 1), ('2020-01-02Z', 2)");
    assertThat(tables.set("EV.t", "at", "1 day").get("name").asText()).isEqualTo("ev.t");
    tables.step("ev.t", CUTOFF, 1);
    assertThat(sql.number("select count(*) from queen.table_positions")).isOne();
    assertThat(tables.set("ev.\"t\"", "at", "1 day").get("created").asBoolean()).isFalse();
    assertThat(sql.number("select count(*) from queen.table_positions")).isZero();
  }

  @Test
  void theNameIsTheTableUnderAnySetting() {
    sql.run("create table public.\"Loose\" (at timestamptz)");
    sql.run("create index on public.\"Loose\" (at)");
    try (Sql quoting = Sql.connect(database.url())) {
      quoting.run("set quote_all_identifiers = on");
      EventTables by = new EventTables(quoting);
      assertThat(by.set("ev.t", "at", "1 day").get("name").asText()).isEqualTo("ev.t");
      for (String typed : new String[] {"EV.T", " ev . t ", "\"ev\".t"}) {
        JsonNode again = by.set(typed, "at", "1 day");
        assertThat(again.get("name").asText()).as(typed).isEqualTo("ev.t");
        assertThat(again.get("created").asBoolean()).as(typed).isFalse();
      }
      assertThat(by.set("\"Loose\"", "at", "1 day").get("name").asText()).isEqualTo("\"Loose\"");
      assertThat(by.set("public.\"Loose\"", "at", "1 day").get("created").asBoolean()).isFalse();
    } finally {
      sql.run("drop table public.\"Loose\"");
    }
  }

  @Test
  void howRunsEndedOfAPolicyThatWasReplacedIsForgotten() {
    tables.set("ev.t", "at", "1 day");
    sql.run("call queen.table_retention_run_v1()");
    assertThat(sql.number("select count(*) from queen.table_runs")).isOne();
    tables.set("ev.t", "at", "1 day", Map.of("predicate", "n > 1"));
    assertThat(sql.number("select count(*) from queen.table_runs")).isZero();
  }

  @Test
  void aTableOfSchemaPublicNeedsNoSchema() {
    sql.run("create table public.loose (\"At\" timestamptz)");
    sql.run("create index on public.loose (\"At\")");
    assertThat(tables.set("loose", "At", "1 day").get("relation").asText())
        .isEqualTo("public.loose");
    JsonNode again = tables.set("public.LOOSE", "\"At\"", "1 day");
    assertThat(again.get("column").asText()).isEqualTo("At");
    assertThat(again.get("name").asText()).isEqualTo("loose");
    assertThat(again.get("created").asBoolean()).isFalse();
    sql.run("drop table public.loose");
  }

  @Test
  void ofTwoColumnsTheOneThatIsCalledExactlySo() {
    sql.run("create table ev.two (\"AT\" timestamptz, at timestamptz)");
    sql.run("create index on ev.two (\"AT\")");
    sql.run("create index on ev.two (at)");
    assertThat(tables.set("ev.two", "AT", "1 day").get("column").asText()).isEqualTo("AT");
    assertThat(tables.set("ev.two", "aT", "1 day").get("column").asText()).isEqualTo("at");
    assertThat(tables.set("ev.two", "\"AT\"", "1 day").get("column").asText()).isEqualTo("AT");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nothing | there is no relation nothing",
        "no.thing | there is no relation",
        "a.b.c | there is no relation",
        "'' | must not be null or empty",
        "ev.\"t | must be a name as SQL spells it",
        "pg_catalog.pg_class | belongs to the server",
        "information_schema.sql_features | belongs to the server",
        "queen.log_segments | the message log",
        "queen_streams.state | the message log",
        "ev.v | is a view",
        "ev.m | is a materialized view",
        "ev.t_at_idx | is a index",
        "ev.s | is a sequence",
        "ev.y | is a type",
        "ev.f | is a foreign table",
        "pg_temp.x | there is no relation"
      })
  void whatIsNoTableOfOnesOwnIsRefused(String relation, String says) {
    sql.run("create view ev.v as select * from ev.t");
    sql.run("create materialized view ev.m as select * from ev.t");
    sql.run("create sequence ev.s");
    sql.run("create type ev.y as (at timestamptz)");
    sql.run("create foreign data wrapper nowhere");
    sql.run("create server nowhere foreign data wrapper nowhere");
    sql.run("create foreign table ev.f (at timestamptz) server nowhere");
    try {
      refused("22023", () -> tables.set(relation, "at", "1 day"), says);
      refused("22023", () -> tables.set("ev.t", "at", "1 day", Map.of("archive", relation)), says);
    } finally {
      sql.run("drop foreign data wrapper nowhere cascade");
    }
    assertThat(sql.number("select count(*) from queen.table_policies")).isZero();
  }

  @Test
  void aTemporaryTableAndNoTableAtAllAreRefused() {
    sql.run("create temporary table x (at timestamptz)");
    String schema = sql.value("select pg_my_temp_schema()::regnamespace::text");
    refused("22023", () -> tables.set(schema + ".x", "at", "1 day"), "is a temporary table");
    sql.run("drop table pg_temp.x");
    refused("22023", () -> tables.set(null, "at", "1 day"), "p_relation");
    refused("22023", () -> tables.set("ev.t", "at", "1 day", Map.of("name", "")), "p_name");
  }

  @ParameterizedTest
  @ValueSource(strings = {"nope", "", "a t", "ctid", "at.at", "\"at", "gone", "1"})
  void whatIsNoColumnIsRefused(String column) {
    sql.run("alter table ev.t add gone timestamptz, add \"........pg.dropped.3........x\" int");
    sql.run("alter table ev.t drop gone");
    refused("22023", () -> tables.set("ev.t", column, "1 day"), "p_column", "ev.t");
  }

  @Test
  void aColumnMustBeNamed() {
    refused("22023", () -> tables.set("ev.t", null, "1 day"), "p_column", "null");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "null",
      value = {
        "text | null | there is none",
        "time | null | there is none",
        "int | null | epoch_s, epoch_ms, epoch_us, epoch_ns",
        "bigint | timestamptz | epoch_s, epoch_ms, epoch_us, epoch_ns",
        "smallint | epoch_s | there is none",
        "timestamptz | timestamp | must be timestamptz",
        "timestamptz | nonsense | must be timestamptz",
        "timestamp | timestamptz | must be timestamp",
        "uuid | epoch_ms | must be uuidv7"
      })
  void aKindThatTheTypeIsNotIsRefused(String type, String kind, String says) {
    String table = tables.table("k", type);
    refused(
        "22023",
        () -> tables.set(table, "at", "1 day", kind == null ? Map.of() : Map.of("kind", kind)),
        "p_kind",
        says);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "null",
      value = {
        "timestamp | null | pg_timezone_names",
        "date | null | pg_timezone_names",
        "timestamp | Nowhere/Land | pg_timezone_names",
        "timestamp | CEST | pg_timezone_names",
        "timestamp | +02 | pg_timezone_names",
        "timestamptz | UTC | has no zone",
        "uuid | UTC | has no zone"
      })
  void aZoneThatIsMissingOrUnknownOrTooMuchIsRefused(String type, String zone, String says) {
    String table = tables.table("z", type);
    refused(
        "22023",
        () -> tables.set(table, "at", "1 day", zone == null ? Map.of() : Map.of("zone", zone)),
        "p_zone",
        says);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0",
        "0 days",
        "-1 day",
        "1 month -1 day",
        "-1 month 40 days",
        "1 day -00:00:00.000001",
        "1001 years",
        "1000 years 1 day",
        "potatoes",
        "",
        "infinity",
        "-infinity",
        "300000000 years"
      })
  void aWindowThatIsNoneIsRefused(String keep) {
    refused("22023", () -> tables.set("ev.t", "at", keep), "p_keep");
  }

  @Test
  void aWindowMustBeGivenAndMayBeAsShortOrAsLongAsATimeIs() {
    refused("22023", () -> tables.set("ev.t", "at", null), "p_keep", "null");
    tables.set("ev.t", "at", "00:00:00.000001");
    tables.set("ev.t", "at", "1000 years");
    assertThat(tables.step("ev.t", Instant.now(), 1).get("done").asBoolean()).isTrue();
  }

  @Test
  void theWindowIsCountedInUtcWhateverTheSessionSays() {
    sql.run("set timezone = 'America/New_York'");
    assertThat(
            sql.<Boolean>value(
                "select queen.table_cutoff_v1('1 mon 1 day') = (now() at time zone 'UTC' - interval '1 mon 1 day') at time zone 'UTC'"))
        .isTrue();
    sql.run("reset timezone");
  }

  @Test
  void theRestOfTheArgumentsAreRefusedByName() {
    for (Integer batch : new Integer[] {0, -1, 100_001}) {
      refused("22023", () -> tables.set("ev.t", "at", "1 day", Map.of("batch", batch)), "p_batch");
    }
    for (String given :
        new String[] {
          "p_batch => null", "p_enabled => null", "p_strategy => null", "p_strategy => 'drop'"
        }) {
      refused(
          "22023",
          () ->
              sql.value(
                  "select queen.table_policy_set_v1('ev.t', 'at', '1 day', " + given + ")::text"),
          given.substring(0, given.indexOf(' ')));
    }
    refused(
        "22023", () -> sql.value("select queen.table_policy_enable_v1('p', null)"), "p_enabled");
    refused("TM008", () -> sql.value("select queen.table_policy_enable_v1('p', true)"), "'p'");
    refused("TM008", () -> sql.value("select queen.table_policy_enable_v1(null, true)"), "null");
  }

  // What a batch needs.

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select 1",
        "create index on ev.bare (n, at)",
        "create index on ev.bare (at) where n > 0",
        "create index on ev.bare using hash (at)",
        "create index on ev.bare using brin (at)",
        "create index on ev.bare ((n is null), at)",
        "create index i on ev.bare (at); update pg_index set indisvalid = false where indexrelid = 'ev.i'::regclass"
      })
  void aTableWithoutAUsableIndexIsRefusedWithTheIndexToCreate(String index) {
    sql.run("create table ev.bare (at timestamptz, n int)");
    sql.run(index);
    refused(
        "22023",
        () -> tables.set("ev.bare", "at", "1 day"),
        "p_column",
        "ev.bare",
        "create index concurrently on ev.bare (at);");
    sql.run("create index on ev.bare (at desc nulls last, n)");
    tables.set("ev.bare", "at", "1 day");
  }

  @Test
  void soIsATableWithOneLeafWithoutOneOrOneThatIsForeign() {
    sql.run("create table ev.p (at timestamptz) partition by range (at)");
    sql.run(
        "create table ev.p1 partition of ev.p for values from ('2020-01-01Z') to ('2021-01-01Z')");
    sql.run("create table ev.p2 partition of ev.p default partition by range (at)");
    sql.run("create table ev.\"P 3\" partition of ev.p2 default");
    sql.run("create index on ev.p1 (at)");
    refused(
        "22023",
        () -> tables.set("ev.p", "at", "1 day"),
        "create index concurrently on ev.\"P 3\" (at);");
    sql.run("create index on ev.\"P 3\" (at)");
    tables.set("ev.p", "at", "1 day");
    sql.run("create foreign data wrapper nowhere");
    sql.run("create server nowhere foreign data wrapper nowhere");
    sql.run(
        "create foreign table ev.far partition of ev.p for values from ('2021-01-01Z') to ('2022-01-01Z') server nowhere");
    refused("22023", () -> tables.set("ev.p", "at", "1 day"), "ev.far is a foreign table");
    sql.run("drop foreign data wrapper nowhere cascade");
  }

  @Test
  void aForeignKeyThatPointsHereNeedsAnIndexAndItIsNamed() {
    sql.run("create table ev.parent (at timestamptz, a int, b int, primary key (a, b))");
    sql.run("create index on ev.parent (at)");
    sql.run(
        "create table ev.child (x int, \"Y\" int, constraint \"Points\" foreign key (x, \"Y\") references ev.parent)");
    for (String not :
        new String[] {
          "create index one on ev.child (x)",
          "create index three on ev.child (x) include (\"Y\")",
          "create index part on ev.child (x, \"Y\") where x > 0"
        }) {
      sql.run(not);
      refused(
          "22023",
          () -> tables.set("ev.parent", "at", "1 day"),
          "\"Points\"",
          "ev.child",
          "create index concurrently on ev.child (x, \"Y\");");
    }
    sql.run("create index on ev.child (\"Y\", x, (x + 1))");
    JsonNode set = tables.set("ev.parent", "at", "1 day");
    assertThat(set.get("warnings").findValuesAsText("hazard")).containsExactly("referenced");
    sql.run("alter table ev.child drop constraint \"Points\"");
    sql.run(
        "alter table ev.child add foreign key (x, \"Y\") references ev.parent on delete cascade");
    assertThat(tables.set("ev.parent", "at", "1 day").get("warnings")).isEmpty();
  }

  @Test
  void soDoesOneThatPointsAtAPartition() {
    sql.run(
        "create table ev.p (at timestamptz, id int, primary key (id, at)) partition by range (at)");
    sql.run("create table ev.p1 partition of ev.p default");
    sql.run("create index on ev.p (at)");
    sql.run(
        "create table ev.child (id int, at timestamptz, foreign key (id, at) references ev.p1)");
    refused("22023", () -> tables.set("ev.p", "at", "1 day"), "ev.child");
    sql.run("drop table ev.child");
    sql.run("create table ev.child (id int, at timestamptz, foreign key (id, at) references ev.p)");
    refused("22023", () -> tables.set("ev.p", "at", "1 day"), "ev.child");
    refused("22023", () -> tables.set("ev.p1", "at", "1 day"), "ev.child");
    sql.run("create index on ev.child (id, at)");
    tables.set("ev.p", "at", "1 day");
  }

  @Test
  void anArchiveThatCouldNotKeepTheRowsIsRefused() {
    sql.run("create table ev.child () inherits (ev.t)");
    sql.run("create index on ev.child (at)");
    sql.run("create table ev.less (at timestamptz)");
    sql.run("create table ev.other (at timestamptz, n bigint)");
    sql.run("create table ev.a (like ev.t)");
    sql.run("create index on ev.a (at)");
    refused("22023", () -> archived("ev.t", "ev.t"), "p_archive", "another table");
    refused("22023", () -> archived("ev.t", "ev.child"), "p_archive", "another table");
    refused("22023", () -> archived("ev.child", "ev.t"), "p_archive", "another table");
    refused("22023", () -> archived("ev.t", "ev.less"), "p_archive", "lacks n");
    refused("22023", () -> archived("ev.t", "ev.other"), "p_archive", "lacks n");
    assertThat(archived("ev.t", "ev.a").get("warnings").findValuesAsText("hazard"))
        .containsExactly("archive");
    sql.run("create table ev.b (like ev.t)");
    sql.run("create index on ev.b (at)");
    archived("ev.a", "ev.b");
    refused("22023", () -> archived("ev.b", "ev.t"), "p_archive", "lead back");
    assertThat(archived("ev.t", "ev.a").get("warnings")).isEmpty();
  }

  /** What a session writes as 12/03/2024 is another day to the next one, or none. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "d < date '2024-03-12' | date '2024-03-11' | date '2024-10-01'",
        "i > interval '-1 day -02:03:04' | interval '-1 day' | interval '-1 day -03:00:00'",
        "i < interval '-1 day +02:03:04' | interval '-1 day' | interval '-1 day +03:00:00'",
        "f > 0.1::float8 + 0 | 0.1000000000000001 | 0.1",
        "z < timestamptz '2024-03-12 00:00:00+05' | timestamptz '2024-03-11 18:59:59Z' | timestamptz '2024-03-11 19:00:00Z'"
      })
  void aConditionMeansTheSameInEverySession(String condition, String goes, String stays) {
    sql.run(
        "create table ev.c (at timestamptz, n int, d date, i interval, f float8, z timestamptz)");
    sql.run("create index on ev.c (at)");
    String column = condition.substring(0, 1);
    sql.run(
        "insert into ev.c (at, n, %1$s) values ('2020-01-01Z', 1, %2$s), ('2020-01-01Z', 2, %3$s)"
            .formatted(column, goes, stays));
    // By a function, since the driver works in one DateStyle alone.
    sql.run(
        """
        create function ev.elsewhere(p_predicate text) returns jsonb language plpgsql
            set datestyle = 'SQL, DMY' set intervalstyle = 'sql_standard'
            set extra_float_digits = -15 set timezone = 'Asia/Kathmandu'
        as $$ begin return queen.table_policy_set_v1('ev.c', 'at', '10 days', p_predicate => p_predicate); end $$
        """);
    sql.json("select ev.elsewhere(?)", condition);
    tables.drain("ev.c", CUTOFF, 10);
    assertThat(tables.texts("select n from ev.c")).containsExactly("2");
  }

  @Test
  void aSchemaThatTheSetterMayNotLookIntoIsNamedWithTheGrant() {
    sql.run("grant select, update, delete on ev.t to queen_retention");
    sql.run("set role queen_retention");
    try {
      refused(
          "42501",
          () -> tables.set("ev.t", "at", "10 days"),
          "may not usage on schema ev",
          "grant usage on schema ev to queen_retention");
    } finally {
      sql.run("reset role");
    }
  }

  private static JsonNode archived(String table, String archive) {
    return tables.set(table, "at", "1 day", Map.of("archive", archive));
  }

  // The predicate.

  @ParameterizedTest
  @ValueSource(
      strings = {
        "false) or (true",
        "true); drop table ev.t; --",
        "true; drop table ev.t",
        "true);",
        "true) or (exists (select 1)",
        "exists (select from ev.t)",
        "n in (select 1)",
        "count(*) > 1",
        "row_number() over () > 1",
        "generate_series(1, 2) > 1",
        "n",
        "n + 1",
        "'text'",
        "nobody = 1",
        "no_such_function(n)",
        "n = $1",
        "",
        " ",
        "--",
        "/*",
        "'",
        "\"",
        "$$",
        "true) not valid, add check (true",
        "true), alter column n set default (1",
        "true) no inherit, add constraint more check (true",
        "t is not null",
        "tableoid > 0",
        "ctid = '(0,1)'",
        "1 / 0 > 1",
        "n = 'x'",
        "true) union select (1",
        "true) limit (1",
        "true group by (n"
      })
  void whatIsNoConditionOnOneRowIsRefused(String predicate) {
    sql.run("insert into ev.t values ('2020-01-01Z', 1)");
    refused(
        "22023",
        () -> tables.set("ev.t", "at", "1 day", Map.of("predicate", predicate)),
        "p_predicate");
    assertThat(sql.number("select count(*) from ev.t")).isOne();
    assertThat(sql.number("select count(*) from queen.table_policies")).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "n > 1 or true | ((n > 1) OR true)",
        "t.n = 1 | (n = 1)",
        "n = 1 -- why | (n = 1)",
        "(n = 1) /* ; */ | (n = 1)",
        "n = length(';') | (n = length(';'::text))",
        "state = 'done' | (state = 'done'::ev.state)",
        "ev.odd(n) | ev.odd(n)"
      })
  void aConditionIsKeptAsTheServerSpellsIt(String predicate, String kept) {
    sql.run("create type ev.state as enum ('new', 'done')");
    sql.run("alter table ev.t add gone int, add state ev.state");
    sql.run("alter table ev.t drop gone");
    sql.run(
        "create function ev.odd(int) returns boolean language sql immutable as 'select $1 % 2 = 1'");
    sql.run("insert into ev.t values ('2020-01-01Z', 1, 'done')");
    assertThat(
            tables
                .set("ev.t", "at", "1 day", Map.of("predicate", predicate))
                .get("predicate")
                .asText())
        .isEqualTo(kept);
    assertThat(tables.drain("ev.t", CUTOFF, 1).get("done").asBoolean()).isTrue();
    assertThat(sql.number("select count(*) from ev.t")).isZero();
  }

  @Test
  void aTemporaryTableOfTheSameNameIsSaidToBeInTheWay() {
    sql.run("create temporary table t (n int)");
    Throwable refusal =
        catchThrowable(() -> tables.set("ev.t", "at", "1 day", Map.of("predicate", "n = 1")));
    assertThat(refusal).hasMessageContaining("already exists");
    sql.run("drop table pg_temp.t");
  }

  // What a delete takes along.

  @Test
  void aTableThatCascadesIntoItselfIsRefused() {
    sql.run(
        "create table ev.node (id int primary key, at timestamptz, up int references ev.node on delete cascade)");
    sql.run("create index on ev.node (at)");
    sql.run("create index on ev.node (up)");
    refused(
        "22023",
        () -> tables.set("ev.node", "at", "1 day"),
        "node_up_fkey",
        "cascade into itself",
        "set null");
    sql.run("alter table ev.node drop constraint node_up_fkey");
    sql.run("alter table ev.node add foreign key (up) references ev.node on delete set null");
    tables.set("ev.node", "at", "1 day");
  }

  @Test
  void soIsOneThatCascadesIntoItselfByAnotherTable() {
    sql.run("create table ev.a (id int primary key, at timestamptz, b int)");
    sql.run("create index on ev.a (at)");
    sql.run("create index on ev.a (b)");
    sql.run("create table ev.b (id int primary key, a int references ev.a on delete cascade)");
    sql.run("create index on ev.b (a)");
    tables.set("ev.a", "at", "1 day");
    sql.run(
        "alter table ev.a add constraint back foreign key (b) references ev.b on delete cascade");
    refused("22023", () -> tables.set("ev.a", "at", "1 day"), "back", "cascade into itself");
    sql.run("alter table ev.a drop constraint back");
    sql.run("alter table ev.a add constraint back foreign key (b) references ev.b");
    tables.set("ev.a", "at", "1 day");
  }

  @ParameterizedTest
  @CsvSource({"brin, false", "gin, false", "hash, true", "btree, true"})
  void anIndexOfAForeignKeyIsOneThatFindsARow(String method, boolean finds) {
    sql.run("create table ev.parent (id jsonb primary key, at timestamptz)");
    sql.run("create table ev.numbered (id int primary key, at timestamptz)");
    boolean gin = method.equals("gin");
    String parent = gin ? "ev.parent" : "ev.numbered";
    sql.run("create index on %s (at)".formatted(parent));
    sql.run("create table ev.child (p %s references %s)".formatted(gin ? "jsonb" : "int", parent));
    sql.run("create index on ev.child using %s (p)".formatted(method));
    if (finds) {
      tables.set(parent, "at", "1 day");
    } else {
      refused(
          "22023",
          () -> tables.set(parent, "at", "1 day"),
          "create index concurrently on ev.child (p);");
    }
  }

  // The unit of a number.

  @ParameterizedTest
  @CsvSource({
    "epoch_ms, 1700000000, epoch_s",
    "epoch_s, 1700000000000, epoch_ms",
    "epoch_us, 1700000000000, epoch_ms",
    "epoch_ms, 1700000000000000, epoch_us",
    "epoch_ns, 1700000000000000, epoch_us",
    "epoch_us, 1700000000000000000, epoch_ns"
  })
  void aNumberWhoseNewestValueMakesSenseInAnotherUnitIsRefusedWithThatUnit(
      String wrong, long newest, String right) {
    String table = tables.table("k", "bigint");
    sql.run("insert into ev.k values (1, 1), (?, 2)", newest);
    refused(
        "22023",
        () -> tables.set(table, "at", "1 day", Map.of("kind", wrong)),
        "p_kind",
        "p_kind => '" + right + "'");
    assertThat(sql.number("select count(*) from queen.table_policies")).isZero();
    tables.set(table, "at", "1 day", Map.of("kind", right));
    sql.run("delete from ev.k");
    tables.set(table, "at", "1 day", Map.of("kind", wrong, "name", "empty"));
  }

  // Whose rights.

  @Test
  void aPolicyIsSetByARoleThatCouldDeleteByHand() {
    sql.run("create table ev.p (at timestamptz, n int) partition by list (n)");
    sql.run("create table ev.\"P 1\" partition of ev.p default");
    sql.run("create index on ev.p (at)");
    sql.run("create table ev.a (like ev.p)");
    sql.run("insert into ev.p values ('2020-01-01Z', 1)");
    sql.run("grant usage on schema ev to queen_retention");
    try (Sql retention = Sql.connect(database.url())) {
      retention.run("set role queen_retention");
      EventTables by = new EventTables(retention);
      for (String[] missing :
          new String[][] {
            {"select", "ev.\"P 1\""},
            {"update", "ev.\"P 1\""},
            {"delete", "ev.\"P 1\""},
            {"select", "ev.p"},
            {"update", "ev.p"},
            {"delete", "ev.p"},
            {"insert", "ev.a"}
          }) {
        sql.run("grant select, update, delete on ev.p, ev.\"P 1\" to queen_retention");
        sql.run("grant insert on ev.a to queen_retention");
        sql.run("revoke %s on %s from queen_retention".formatted((Object[]) missing));
        refused(
            missing[0] + " on " + missing[1],
            "42501",
            () -> by.set("ev.p", "at", "1 day", Map.of("archive", "ev.a")),
            "queen_retention may not %s on %s".formatted((Object[]) missing),
            "grant %s on %s to queen_retention;".formatted((Object[]) missing));
      }
      sql.run("grant insert on ev.a to queen_retention");
      by.set("ev.p", "at", "1 day", Map.of("archive", "ev.a"));
      assertThat(by.step("ev.p", CUTOFF, 10).get("archived").asInt()).isOne();
    }
  }

  // Removing.

  @Test
  void aPolicyThatIsRemovedTakesNothingMoreAndItsHistoryStays() {
    sql.run("insert into ev.t values ('2020-01-01Z', 1), ('2020-01-02Z', 2)");
    tables.set("ev.t", "at", "1 day");
    tables.step("ev.t", CUTOFF, 1);
    assertThat(sql.<Boolean>value("select queen.table_policy_remove_v1('ev.t')")).isTrue();
    assertThat(sql.<Boolean>value("select queen.table_policy_remove_v1('ev.t')")).isFalse();
    refused("TM008", () -> tables.step("ev.t", CUTOFF, 1));
    assertThat(sql.number("select count(*) from queen.table_positions")).isZero();
    assertThat(sql.number("select count(*) from queen.table_runs")).isZero();
    assertThat(sql.number("select count(*) from queen.table_history")).isOne();
    assertThat(sql.number("select count(*) from ev.t")).isOne();
  }

  @Test
  void aPolicyWhoseTableIsGoneCanBeRemovedAndSwitched() {
    tables.set("ev.t", "at", "1 day");
    sql.run("drop table ev.t");
    assertThat(sql.<Boolean>value("select queen.table_policy_enable_v1('ev.t', false)")).isTrue();
    assertThat(sql.<Boolean>value("select queen.table_policy_enable_v1('ev.t', false)")).isFalse();
    assertThat(sql.<Boolean>value("select queen.table_policy_remove_v1('ev.t')")).isTrue();
  }
}

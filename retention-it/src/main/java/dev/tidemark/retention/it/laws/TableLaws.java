package dev.tidemark.retention.it.laws;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.suite.Law;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.Waiting;
import dev.tidemark.retention.it.table.EventClock;
import dev.tidemark.retention.it.table.EventTables;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * Event tables: no row inside the window ever goes, none outside stays once a step says done, and
 * what is archived and what survives is what there was.
 */
public class TableLaws {
  private static final String POLICY = "law";
  private static final Instant OLD = Instant.parse("2020-01-02T00:00:00Z");
  private static final String LONG_AGO = "'2020-01-01Z'";

  private static TestDatabase database;
  private static Sql sql;
  private static EventTables tables;

  @BeforeContainer
  static void open() {
    database = Target.open();
    sql = database.connect();
    tables = new EventTables(sql);
  }

  @AfterContainer
  static void close() {
    EventTables.forget(sql);
    database.close();
  }

  @Law(tries = 60, atLength = 2000)
  void theWindowIsKeptToTheMicrosecond(@ForAll("stories") Story story) {
    World world = new World(story);
    for (Act act : story.acts()) {
      world.insert(act.offsets());
      world.step(act.maxRows());
    }
    world.drain();
  }

  /** Whatever the column, and by chance only now and then. */
  @Example
  void whatIsOfTheCutoffsOwnMomentStays() {
    for (EventClock clock : EventClock.values()) {
      World world = new World(new Story(clock, Duration.ZERO, false, false, false, List.of()));
      world.insert(List.of(Duration.ZERO, Duration.ofNanos(1_000), Duration.ofNanos(-1_000)));
      world.drain();
    }
  }

  @Example
  void noCallerReachesIntoTheWindow() {
    String table = numbered("t", "now() - interval '61 minutes'", "now() - interval '59 minutes'");
    tables.set(table, "at", "1 hour", Map.of("name", POLICY));
    assertThat(
            tables.drain(POLICY, Instant.parse("2099-01-01T00:00:00Z"), 10).get("done").asBoolean())
        .isTrue();
    assertThat(tables.texts("select n from ev.t")).containsExactly("2");
  }

  @Example
  void aPredicateIsAConditionAndNothingElse() {
    String table = numbered("t", LONG_AGO, LONG_AGO);
    for (String escape : List.of("false) or (true", "true); delete from ev.t; select (true")) {
      refused(
          "22023",
          () -> tables.set(table, "at", "1 hour", Map.of("name", POLICY, "predicate", escape)),
          "p_predicate");
    }
    assertThat(sql.number("select count(*) from ev.t")).isEqualTo(2);
  }

  @Example
  void aTableThatTookTheNameIsAnotherTable() {
    String table = numbered("t", LONG_AGO);
    tables.set(table, "at", "1 hour", Map.of("name", POLICY));
    sql.run("alter table ev.t rename to kept");
    sql.run("create table ev.t as select * from ev.kept");
    assertThat(tables.step(POLICY, OLD, 10).get("relation").asText()).isEqualTo("ev.kept");
    assertThat(sql.number("select count(*) from ev.t")).isOne();
    sql.run("drop table ev.kept");
    refused("TM009", () -> tables.step(POLICY, OLD, 10), "ev.kept is gone");
    assertThat(sql.number("select count(*) from ev.t")).isOne();
  }

  @Example
  void whereTheNumbersMeanNothingTheNamesDecide() {
    String table = numbered("t", LONG_AGO);
    numbered("stranger", LONG_AGO);
    tables.set(table, "at", "1 hour", Map.of("name", POLICY));
    sql.run("update queen.table_policies set home = '1/1', relation_id = 'ev.stranger'::regclass");
    assertThat(tables.step(POLICY, OLD, 10).get("relation").asText()).isEqualTo("ev.t");
    assertThat(sql.number("select count(*) from ev.stranger")).isOne();
    assertThat(sql.number("select count(*) from ev.t")).isZero();
  }

  @Example
  void whatIsLostWhereItWasSetIsFoundNowhereElse() {
    String table = numbered("t", LONG_AGO);
    tables.set(table, "at", "1 hour", Map.of("name", POLICY));
    sql.run("alter table ev.t rename to kept");
    sql.run("create table ev.t as select * from ev.kept");
    sql.run("drop table ev.kept");
    sql.run("select queen.table_names_v1()");
    sql.run("update queen.table_policies set home = '1/1', relation_name = 't'");
    refused("TM009", () -> tables.step(POLICY, OLD, 10), "was gone where");
    assertThat(sql.number("select count(*) from ev.t")).isOne();
  }

  @Example
  void aConditionReadsTheSameInEverySession() {
    tables.reset();
    sql.run("create table ev.t (at timestamptz, day date)");
    sql.run("create index on ev.t (at)");
    sql.run(
        "insert into ev.t values (%1$s, '2020-02-03'), (%1$s, '2020-03-03')".formatted(LONG_AGO));
    // The driver insists on dates in ISO between two statements.
    sql.run(
        "create function ev.set_it() returns jsonb language sql set datestyle = 'SQL, DMY' as $$ select queen.table_policy_set_v1('ev.t', 'at', '1 hour', p_name => '%s', p_predicate => 'day < ''04/02/2020''') $$"
            .formatted(POLICY));
    sql.run("select ev.set_it()");
    assertThat(tables.drain(POLICY, OLD, 10).get("done").asBoolean()).isTrue();
    assertThat(tables.texts("select day from ev.t")).containsExactly("2020-03-03");
  }

  @Example
  void onePolicyThatFailsStopsNoOther() {
    tables.set(numbered("t", LONG_AGO), "at", "1 hour", Map.of("name", "a"));
    sql.run("create table ev.u as select * from ev.t");
    sql.run("create index on ev.u (at)");
    tables.set("ev.u", "at", "1 hour", Map.of("name", "b"));
    sql.run(
        "create function ev.no() returns trigger language plpgsql as $$ begin raise 'no'; end $$");
    sql.run("create trigger no before delete on ev.t for each row execute function ev.no()");
    JsonNode run = sql.json("call queen.table_retention_run_v1(p_duty => 1, p_raise => false)");
    assertThat(run.get("failed").asInt()).isOne();
    assertThat(sql.number("select count(*) from ev.t")).isOne();
    assertThat(sql.number("select count(*) from ev.u")).isZero();
  }

  /** The first five of each leaf, of one moment with the others. */
  @Example
  void rowsThatStayHideNoOthersAndEndARun() {
    numbered("t");
    sql.run("create table ev.child () inherits (ev.t)");
    sql.run("create index on ev.child (at)");
    sql.run(
        "create function ev.keep() returns trigger language plpgsql as $$ begin if old.n <= 5 then return null; end if; return old; end $$");
    for (String leaf : List.of("t", "child")) {
      sql.run(
          "insert into ev.%s select %s, i from generate_series(1, 8) i".formatted(leaf, LONG_AGO));
      sql.run(
          "create trigger keep before delete on ev.%s for each row execute function ev.keep()"
              .formatted(leaf));
    }
    tables.set("ev.t", "at", "1 hour", Map.of("name", POLICY));
    JsonNode end = tables.drain(POLICY, OLD, 2);
    assertThat(end.get("stuck").asBoolean()).isTrue();
    assertThat(sql.number("select count(*) from ev.t where n > 5")).isZero();
    assertThat(sql.number("select count(*) from ev.t")).isEqualTo(10);
    for (String leaf : List.of("t", "child")) {
      sql.run("drop trigger keep on ev." + leaf);
    }
    assertThat(tables.drain(POLICY, OLD, 2).get("done").asBoolean()).as("asked anew").isTrue();
    assertThat(sql.number("select count(*) from ev.t")).isZero();
  }

  /** Of one moment the index has the others last, and the table has them first. */
  @Example
  void rowsThatStayHideNoOthersWhateverTheIndex() {
    tables.reset();
    sql.run("create table ev.t (at timestamptz, n int)");
    sql.run("create index on ev.t (at, n)");
    sql.run("insert into ev.t select %s, i from generate_series(9, 1, -1) i".formatted(LONG_AGO));
    sql.run(
        "create function ev.keep() returns trigger language plpgsql as $$ begin if old.n <= 5 then return null; end if; return old; end $$");
    sql.run("create trigger keep before delete on ev.t for each row execute function ev.keep()");
    tables.set("ev.t", "at", "1 hour", Map.of("name", POLICY));
    assertThat(tables.drain(POLICY, OLD, 2).get("stuck").asBoolean()).isTrue();
    assertThat(tables.texts("select n from ev.t order by n"))
        .containsExactly("1", "2", "3", "4", "5");
  }

  @Example
  void whatIsNoLeafAnyMoreIsLeftAlone() {
    String table = numbered("t");
    sql.run("create table ev.child () inherits (ev.t)");
    sql.run("create index on ev.child (at)");
    sql.run("insert into ev.child values (%s, 1)".formatted(LONG_AGO));
    tables.set(table, "at", "1 hour", Map.of("name", POLICY));
    try (Sql other = database.connect();
        Sql stepper = database.connect()) {
      other.begin();
      other.run("alter table ev.child no inherit ev.t");
      Waiting.Elsewhere<JsonNode> step = patientStep(stepper);
      other.commit();
      assertThat(step.get().get("done").asBoolean()).isTrue();
    }
    assertThat(sql.number("select count(*) from ev.child")).isOne();
  }

  @Example
  void aWindowThatIsWidenedMeanwhileIsKept() {
    String table = numbered("t", "now() - interval '2 hours'");
    tables.set(table, "at", "1 hour", Map.of("name", POLICY));
    try (Sql setter = database.connect();
        Sql stepper = database.connect()) {
      setter.begin();
      new EventTables(setter).set(table, "at", "1 day", Map.of("name", POLICY));
      Waiting.Elsewhere<JsonNode> step = patientStep(stepper);
      setter.commit();
      assertThat(step.get().get("done").asBoolean()).isTrue();
    }
    assertThat(sql.number("select count(*) from ev.t")).isOne();
  }

  private static Waiting.Elsewhere<JsonNode> patientStep(Sql stepper) {
    return Waiting.blocked(
        sql,
        stepper,
        s -> s.json("select queen.table_delete_step_v1(?, now(), 10, 20000)", POLICY));
  }

  @Example
  void aRowThatIsHeldInAnotherTableIsPassed() {
    tables.reset();
    sql.run("create table ev.t (n int primary key, at timestamptz)");
    sql.run("create index on ev.t (at)");
    sql.run("create table ev.c (n int references ev.t on delete cascade)");
    sql.run("create index on ev.c (n)");
    sql.run("insert into ev.t select i, %s from generate_series(1, 3) i".formatted(LONG_AGO));
    sql.run("insert into ev.c select n from ev.t");
    tables.set("ev.t", "at", "1 hour", Map.of("name", POLICY, "batch", 20));
    try (Sql other = database.connect()) {
      other.begin();
      other.run("select from ev.c where n = 2 for update");
      JsonNode run = sql.json("call queen.table_retention_run_v1(p_duty => 1, p_raise => false)");
      assertThat(run.get("policies").findValuesAsText("stopped")).containsExactly("stuck");
      other.rollback();
    }
    assertThat(tables.texts("select n from ev.t")).containsExactly("2");
  }

  /** {@code ev.<name>} in a new schema, or in the one that is there, with rows of these times. */
  private static String numbered(String name, String... times) {
    if (name.equals("t")) {
      tables.reset();
    }
    String table = tables.table(name, "timestamptz");
    for (int i = 0; i < times.length; i++) {
      sql.run("insert into %s values (%s, %d)".formatted(table, times[i], i + 1));
    }
    return table;
  }

  /** Between two steps rows come in, as old as they like. */
  private record Act(List<Duration> offsets, int maxRows) {}

  private record Story(
      EventClock clock,
      Duration cutoff,
      boolean archive,
      boolean predicate,
      boolean leaves,
      List<Act> acts) {}

  @Provide
  Arbitrary<Story> stories() {
    Arbitrary<Duration> micros =
        Arbitraries.of(-1_000_001L, -1_000L, -999L, -2L, -1L, 0L, 0L, 1L, 2L, 999L, 1_000_000L)
            .map(m -> Duration.ofNanos(m * 1_000));
    Arbitrary<Duration> coarse =
        Arbitraries.of(
                0, 0, 0, 1, -1, 29, -29, -30, 31, -59, -60, 60, -61, -90, 120, -1440, 1440, -2000,
                -60_000)
            .map(Duration::ofMinutes);
    Arbitrary<Duration> offsets = Combinators.combine(micros, coarse).as(Duration::plus);
    Arbitrary<Act> acts =
        Combinators.combine(offsets.list().ofMaxSize(12), Arbitraries.integers().between(1, 6))
            .as(Act::new);
    Arbitrary<Duration> cutoffs =
        Combinators.combine(
                Arbitraries.integers().between(-90, 90),
                Arbitraries.of(0L, 1L, 999_999L, 1_000L, 500L))
            .as((minutes, more) -> Duration.ofMinutes(minutes).plusNanos(more * 1_000));
    return Combinators.combine(
            Arbitraries.of(EventClock.class),
            cutoffs,
            Arbitraries.of(true, false),
            Arbitraries.of(true, false),
            Arbitraries.of(true, false),
            acts.list().ofMinSize(1).ofMaxSize(6))
        .as(Story::new);
  }

  /** The table, and what a model without SQL knows of its rows. */
  private static final class World {
    private final Story story;
    private final Instant cutoff;
    private final List<Instant> rows = new ArrayList<>();

    World(Story story) {
      this.story = story;
      this.cutoff = story.clock().around().plus(story.cutoff());
      tables.reset();
      String columns = "at %s, n int".formatted(story.clock().type());
      if (story.leaves()) {
        sql.run("create table ev.t (%s) partition by list ((n %% 2))".formatted(columns));
        sql.run("create table ev.t0 partition of ev.t for values in (0)");
        sql.run("create table ev.t1 partition of ev.t for values in (1)");
      } else {
        sql.run("create table ev.t (%s)".formatted(columns));
      }
      sql.run("create index on ev.t (at)");
      sql.run("create table ev.archive (%s)".formatted(columns));
      Map<String, Object> more =
          new TreeMap<>(Map.of("kind", story.clock().kind(), "name", POLICY));
      if (story.clock().zone() != null) {
        more.put("zone", story.clock().zone());
      }
      if (story.archive()) {
        more.put("archive", "ev.archive");
      }
      if (story.predicate()) {
        more.put("predicate", "n % 3 <> 0");
      }
      tables.set("ev.t", "at", "1 day", more);
    }

    void insert(List<Duration> offsets) {
      for (Duration offset : offsets) {
        Instant at = cutoff.plus(offset);
        sql.run(
            "insert into ev.t values ('%s', %d)"
                .formatted(story.clock().value(at, rows.size()), rows.size()));
        rows.add(at);
      }
    }

    void step(int maxRows) {
      TreeSet<Integer> before = there();
      JsonNode step = tables.step(POLICY, cutoff, maxRows);
      TreeSet<Integer> after = there();
      assertThat(before).containsAll(after);
      assertThat(step.get("deleted").asInt())
          .isEqualTo(before.size() - after.size())
          .isLessThanOrEqualTo(maxRows);
      assertThat(step.get("archived").asInt())
          .isEqualTo(story.archive() ? step.get("deleted").asInt() : 0);
      before.removeAll(after);
      assertThat(before).as("what went, inside the window").noneMatch(this::hasToStay);
      if (step.get("done").asBoolean()) {
        assertThat(after).as("what is left when it says done").noneMatch(this::hasToGo);
      }
      nothingIsLost(after);
    }

    void drain() {
      for (int steps = 0; steps <= rows.size() + 2; steps++) {
        step(3);
      }
      assertThat(tables.step(POLICY, cutoff, 3).get("done").asBoolean()).isTrue();
      assertThat(sql.number("select coalesce(sum(rows_deleted), 0) from queen.table_history"))
          .isEqualTo(rows.size() - there().size());
    }

    private void nothingIsLost(TreeSet<Integer> survivors) {
      List<String> archived = tables.texts("select n from ev.archive order by n");
      if (!story.archive()) {
        assertThat(archived).isEmpty();
        return;
      }
      List<String> all = new ArrayList<>(archived);
      survivors.forEach(n -> all.add(String.valueOf(n)));
      List<String> inserted = new ArrayList<>();
      for (int n = 0; n < rows.size(); n++) {
        inserted.add(String.valueOf(n));
      }
      assertThat(all).containsExactlyInAnyOrderElementsOf(inserted);
    }

    private boolean hasToStay(int n) {
      return story.clock().mayBeInside(rows.get(n), cutoff) || story.predicate() && n % 3 == 0;
    }

    private boolean hasToGo(int n) {
      return story.clock().isOutside(rows.get(n), cutoff) && !(story.predicate() && n % 3 == 0);
    }

    private static TreeSet<Integer> there() {
      TreeSet<Integer> there = new TreeSet<>();
      sql.column("select n from ev.t").forEach(n -> there.add((Integer) n));
      return there;
    }
  }
}

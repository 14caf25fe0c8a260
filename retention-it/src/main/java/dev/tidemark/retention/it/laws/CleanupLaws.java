package dev.tidemark.retention.it.laws;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.suite.Law;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

/**
 * The cleanup's way over the empty partitions. In parts of any size, and whatever keeps some of
 * them, exactly the dead ones go, and none is passed over.
 */
public class CleanupLaws {
  /** More than any of these needs: a step that lies about its end must not go on for ever. */
  private static final int MANY = 1_000;

  private static final String CLEANUP =
      "select queen.log_partition_cleanup_step_v1('2021-01-01Z', ?";

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private static Sql holder;
  private String queue = "";

  /** What becomes of a partition. */
  enum Fate {
    DEAD,
    KEPT,
    HELD
  }

  /** A partition: in which second it fell silent, and its fate. */
  record Silent(int second, Fate fate) {}

  @BeforeContainer
  static void open() {
    database = Target.open();
    sql = database.connect();
    holder = database.connect();
    log = new TestLog(sql);
  }

  @AfterContainer
  static void close() {
    database.close();
  }

  /** From position to position. */
  @Law(tries = 60, atLength = 2_000)
  void inPartsOfAnySizeTheDeadOnesGoAndNoneIsPassedOver(
      @ForAll("silences") List<Silent> silences,
      @ForAll @IntRange(min = 1, max = 5) int maxRows,
      @ForAll @IntRange(min = 1, max = 8) int maxRead) {
    make(silences);
    hold();
    JsonNode part = part(maxRows, maxRead, null);
    int parts = 1;
    while (!part.get("done").asBoolean()) {
      assertThat(part.get("deleted").asInt()).isLessThanOrEqualTo(Math.min(maxRows, maxRead));
      JsonNode next = part(maxRows, maxRead, part);
      assertThat(later(part, next)).as("%s comes after %s", next, part).isTrue();
      part = next;
      assertThat(++parts).as("parts").isLessThanOrEqualTo(silences.size() + 2);
    }
    assertThat(part.get("last_at").isNull() && part.get("last_id").isNull()).isTrue();
    assertThat(left())
        .as("all but the dead ones")
        .containsExactlyElementsOf(not(silences, Fate.DEAD));

    release();
    inOneGo(maxRows);
    assertThat(left())
        .as("what was held goes later")
        .containsExactlyElementsOf(only(silences, Fate.KEPT));
    forget();
  }

  /** Without a position: whoever loops until done, or until nothing went. */
  @Law(tries = 60, atLength = 2_000)
  void aLoopWithoutAPositionGetsPastWhatIsKeptAndHeld(
      @ForAll("silences") List<Silent> silences, @ForAll @IntRange(min = 1, max = 3) int maxRows) {
    make(silences);
    hold();
    inOneGo(maxRows);
    assertThat(left()).containsExactlyElementsOf(not(silences, Fate.DEAD));
    release();
    forget();
  }

  /** What a part has passed is not looked at again in this lap, and goes in the next. */
  @Law(tries = 30, atLength = 1_000)
  void whatIsFreedBehindThePositionWaitsForTheNextLap(
      @ForAll @IntRange(min = 1, max = 12) int kept, @ForAll @IntRange(min = 1, max = 4) int read) {
    List<Silent> silences =
        IntStream.range(0, kept + read).mapToObj(i -> new Silent(i, Fate.KEPT)).toList();
    make(silences);
    JsonNode part = part(10, kept, null);
    sql.run(
        "delete from queen.log_dlq d using queen.log_partitions p where p.id = d.partition_id and p.name like 'kept%'");
    for (int parts = 0; !part.get("done").asBoolean(); parts++) {
      assertThat(parts).as("parts").isLessThanOrEqualTo(silences.size() + 2);
      part = part(10, read, part);
    }
    assertThat(left()).hasSize(kept);
    inOneGo(10);
    assertThat(left()).isEmpty();
    forget();
  }

  @Provide
  Arbitrary<List<Silent>> silences() {
    Arbitrary<Fate> fates =
        Arbitraries.frequency(
            Tuple.of(3, Fate.DEAD), Tuple.of(6, Fate.KEPT), Tuple.of(2, Fate.HELD));
    return Combinators.combine(Arbitraries.integers().between(0, 4), fates)
        .as(Silent::new)
        .list()
        .ofMaxSize(40);
  }

  /** In one queue, with a name that says number and fate. */
  private void make(List<Silent> silences) {
    queue = "cleanup-" + UUID.randomUUID();
    log.configure(queue, "{}");
    for (int i = 0; i < silences.size(); i++) {
      sql.run(
          "insert into queen.log_partitions (queue_id, name, created_at, last_write_at)"
              + " select q.id, ?, '2020-01-01Z', '2020-01-01Z'::timestamptz + ? * interval '1 s' from queen.queues q where q.name = ?",
          name(i, silences.get(i).fate()),
          silences.get(i).second(),
          queue);
    }
    sql.run(
        "insert into queen.log_dlq (partition_id, transaction_id) select p.id, 't' from queen.log_partitions p where p.name like 'kept%'");
  }

  private void hold() {
    holder.begin();
    holder.rows("select from queen.log_partitions where name like 'held%' for update");
  }

  private void release() {
    holder.rollback();
  }

  private void inOneGo(int maxRows) {
    JsonNode batch;
    int batches = 0;
    do {
      batch = sql.json(CLEANUP + ")", maxRows);
      assertThat(++batches).as("batches").isLessThanOrEqualTo(MANY);
    } while (!batch.get("done").asBoolean() && batch.get("deleted").asInt() > 0);
  }

  private static JsonNode part(int maxRows, int maxRead, @Nullable JsonNode after) {
    return sql.json(
        CLEANUP + ", ?, ?::timestamptz, ?::uuid)",
        maxRows,
        maxRead,
        after == null ? null : after.get("last_at").asText(),
        after == null ? null : after.get("last_id").asText());
  }

  private static boolean later(JsonNode part, JsonNode next) {
    return next.get("done").asBoolean()
        || sql.<Boolean>value(
            "select (?::timestamptz, ?::uuid) > (?::timestamptz, ?::uuid)",
            next.get("last_at").asText(),
            next.get("last_id").asText(),
            part.get("last_at").asText(),
            part.get("last_id").asText());
  }

  private List<Object> left() {
    return sql.column(
        "select p.name from queen.log_partitions p join queen.queues q on q.id = p.queue_id where q.name = ?"
            + " order by p.name collate \"C\"",
        queue);
  }

  private static List<Object> not(List<Silent> silences, Fate fate) {
    return named(
        silences, IntStream.range(0, silences.size()).filter(i -> silences.get(i).fate() != fate));
  }

  private static List<Object> only(List<Silent> silences, Fate fate) {
    return named(
        silences, IntStream.range(0, silences.size()).filter(i -> silences.get(i).fate() == fate));
  }

  private static List<Object> named(List<Silent> silences, IntStream numbers) {
    return numbers.mapToObj(i -> (Object) name(i, silences.get(i).fate())).sorted().toList();
  }

  private static String name(int number, Fate fate) {
    return fate.name().toLowerCase(Locale.ROOT) + number;
  }

  private void forget() {
    sql.json("select queen.delete_queue_v1(p_name => ?)", queue);
  }
}

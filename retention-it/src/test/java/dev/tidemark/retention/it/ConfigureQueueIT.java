package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.Waiting;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code configure_queue_v1}: create, merge, replace, refuse. */
class ConfigureQueueIT {
  private static final String DEFAULTS =
      """
      {"namespace": null, "task": null, "retentionEnabled": false, "retentionSeconds": 0,
       "completedRetentionSeconds": 0, "maxWaitTimeSeconds": 0, "dedupWindowSeconds": 3600,
       "leaseTime": 300, "retryLimit": 3}
      """;
  private static final String OTHERS =
      """
      {"namespace": "n", "task": "t", "retentionEnabled": true, "retentionSeconds": 1,
       "completedRetentionSeconds": 2, "maxWaitTimeSeconds": 3, "dedupWindowSeconds": 4,
       "leaseTime": 5, "retryLimit": 6}
      """;

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private String queue;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    log = new TestLog(sql);
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void aNameThatIsFree() {
    queue = UUID.randomUUID().toString();
  }

  @Test
  void aNewQueueHasTheDefaults() {
    assertThat(log.configure(queue, "{}")).isEqualTo(json(DEFAULTS));
    assertThat(stored(sql, queue)).isEqualTo(json(DEFAULTS));
  }

  @Test
  void everyKeyIsStoredAsGiven() {
    assertThat(log.configure(queue, OTHERS)).isEqualTo(json(OTHERS));
    assertThat(stored(sql, queue)).isEqualTo(json(OTHERS));
  }

  @Test
  void anEditKeepsEveryKeyItDoesNotName() {
    log.configure(queue, OTHERS);
    json(OTHERS)
        .fieldNames()
        .forEachRemaining(
            key -> {
              String one = "{\"" + key + "\": " + json(OTHERS).get(key) + "}";
              assertThat(log.configure(queue, one)).as(key).isEqualTo(json(OTHERS));
            });
    assertThat(log.configure(queue, "{}")).isEqualTo(json(OTHERS));
    assertThat(log.configure(queue, "{\"mode\": \"merge\", \"leaseTime\": 77}").get("leaseTime"))
        .hasToString("77");
    assertThat(stored(sql, queue).get("retryLimit")).hasToString("6");
  }

  @Test
  void anExplicitNullRestoresTheDefaultOfThatKeyAlone() {
    json(OTHERS)
        .fieldNames()
        .forEachRemaining(
            key -> {
              log.configure(queue, OTHERS);
              JsonNode after = log.configure(queue, "{\"" + key + "\": null}");
              assertThat(after.get(key)).as(key).isEqualTo(json(DEFAULTS).get(key));
              assertThat(stored(sql, queue)).isEqualTo(after);
              String other = key.equals("task") ? "namespace" : "task";
              assertThat(after.get(other)).as(other).isEqualTo(json(OTHERS).get(other));
            });
  }

  @Test
  void modeReplaceStartsFromTheDefaults() {
    log.configure(queue, OTHERS);
    JsonNode after = log.configure(queue, "{\"mode\": \"replace\", \"leaseTime\": 9}");
    assertThat(after)
        .isEqualTo(json(DEFAULTS.replace("\"leaseTime\": 300", "\"leaseTime\": 9")))
        .isEqualTo(stored(sql, queue));
  }

  @Test
  void aNullModeMerges() {
    log.configure(queue, OTHERS);
    assertThat(log.configure(queue, "{\"mode\": null}")).isEqualTo(json(OTHERS));
  }

  @ParameterizedTest
  @CsvSource({"1.0, 1", "1e2, 100", "2147483647, 2147483647", "-0, 0", "7.000, 7"})
  void aWholeNumberIsTakenHoweverItIsSpelledAndAnsweredAsStored(String given, String kept) {
    JsonNode answer = log.configure(queue, "{\"retentionSeconds\": " + given + "}");
    assertThat(answer.get("retentionSeconds")).hasToString(kept);
    assertThat(stored(sql, queue)).isEqualTo(answer);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "retentionSeconds",
        "completedRetentionSeconds",
        "maxWaitTimeSeconds",
        "dedupWindowSeconds",
        "leaseTime",
        "retryLimit"
      })
  void aNumberMustBeWholeAndFrom0To2147483647(String key) {
    for (String bad :
        List.of(
            "\"1\"",
            "true",
            "[1]",
            "{}",
            "-1",
            "1.5",
            "0.999999999999999999",
            "2147483648",
            "1e300",
            "-1e300",
            "\"\"")) {
      refusedAndUnchanged(key, bad, "from 0 to 2147483647");
    }
  }

  @Test
  void aBooleanMustBeOne() {
    for (String bad : List.of("1", "0", "\"true\"", "[true]", "{}")) {
      refusedAndUnchanged("retentionEnabled", bad, "true or false");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"namespace", "task"})
  void aTextMustBeAString(String key) {
    for (String bad : List.of("1", "false", "[\"a\"]", "{}")) {
      refusedAndUnchanged(key, bad, "a string");
    }
  }

  @Test
  void theModeIsMergeOrReplace() {
    for (String bad : List.of("\"Replace\"", "\"\"", "true", "1", "{}", "[\"merge\"]")) {
      refusedAndUnchanged("mode", bad, "\"merge\" or \"replace\"");
    }
  }

  @Test
  void anUnknownKeyIsRefusedAndTheKnownOnesNamed() {
    refusedAndUnchanged("retentionSecond", "1", "retentionSeconds, retryLimit, task, mode");
    refusedAndUnchanged("retention_seconds", "1", "unknown");
    refusedAndUnchanged("", "null", "unknown");
  }

  @Test
  void oneBadKeyLeavesTheGoodOneBesideItUnapplied() {
    // Whichever of the two is looked at first.
    for (String options :
        List.of(
            "{\"task\": \"new\", \"retentionSeconds\": -1}",
            "{\"task\": 1, \"retentionSeconds\": 99}",
            "{\"mode\": \"replace\", \"retentionSeconds\": -1}")) {
      log.configure(queue, OTHERS);
      refused(options, "22023", () -> log.configure(queue, options));
      assertThat(stored(sql, queue)).as(options).isEqualTo(json(OTHERS));
      String free = UUID.randomUUID().toString();
      refused(options, "22023", () -> log.configure(free, options));
      assertThat(sql.number("select count(*) from queen.queues where name = ?", free)).isZero();
    }
  }

  @Test
  void aQueueNeedsAName() {
    refused("22023", () -> log.configure(null, "{}"), "p_name");
    refused("22023", () -> log.configure("", "{}"), "p_name");
  }

  @Test
  void aQueuesNameIsAtMost1024BytesLong() {
    String longest = "\u00e9".repeat(512 - 18) + UUID.randomUUID();
    assertThat(log.configure(longest, "{}")).isNotNull();
    refused("22023", () -> log.configure(longest + "x", "{}"), "p_name", "1024", "not 1025");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[]", "1", "\"retentionSeconds\"", "null", "true"})
  void theOptionsMustBeAnObject(String options) {
    refused("22023", () -> log.configure(queue, options), "p_options");
    refused("22023", () -> log.configure(queue, null), "p_options");
    assertThat(sql.number("select count(*) from queen.queues where name = ?", queue)).isZero();
  }

  @Test
  void twoEditsOfDifferentKeysAtOnceBothSurvive() {
    log.configure(queue, "{}");
    editedAtOnce();
  }

  @Test
  void twoFirstEditsAtOnceMakeOneQueueWithBoth() {
    editedAtOnce();
  }

  private void editedAtOnce() {
    try (Sql first = database.connect();
        Sql second = database.connect()) {
      first.begin();
      new TestLog(first).configure(queue, "{\"retentionSeconds\": 11}");
      Waiting.Elsewhere<JsonNode> later =
          Waiting.blocked(
              sql, second, s -> new TestLog(s).configure(queue, "{\"maxWaitTimeSeconds\": 22}"));
      first.commit();
      assertThat(later.get().get("retentionSeconds")).hasToString("11");
    }
    assertThat(stored(sql, queue).get("retentionSeconds")).hasToString("11");
    assertThat(stored(sql, queue).get("maxWaitTimeSeconds")).hasToString("22");
  }

  @Test
  void anEditThatWaitedForADeleteMakesTheQueueAnew() {
    log.configure(queue, OTHERS);
    UUID partition = log.partition(queue, "p");
    try (Sql busy = database.connect();
        Sql deleting = database.connect();
        Sql editing = database.connect()) {
      busy.begin();
      busy.row("select 1 from queen.log_partitions where id = ? for update", partition);
      // The delete has only locked the queue's row when the edit arrives at it.
      Waiting.Elsewhere<JsonNode> delete =
          Waiting.blocked(
              sql, deleting, s -> s.json("select queen.delete_queue_v1(p_name => ?)", queue));
      Waiting.Elsewhere<JsonNode> edit =
          Waiting.blocked(sql, editing, s -> new TestLog(s).configure(queue, "{\"leaseTime\": 9}"));
      busy.commit();
      assertThat(delete.get().get("deleted").asBoolean()).isTrue();
      assertThat(edit.get())
          .isEqualTo(json(DEFAULTS.replace("\"leaseTime\": 300", "\"leaseTime\": 9")));
    }
    assertThat(stored(sql, queue).get("leaseTime")).hasToString("9");
  }

  @Test
  void theDocumentedDefaultsAreThoseOfTheColumns() {
    Map<String, String> documented = new TreeMap<>();
    sql.json("select queen.queue_option_defaults_v1()")
        .properties()
        .forEach(e -> documented.put(column(e.getKey()), e.getValue().toString()));
    Map<String, String> columns = new TreeMap<>();
    sql.rows(
            """
            select a.attname, coalesce(pg_get_expr(d.adbin, d.adrelid), 'null') as value
              from pg_attribute a
              left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
             where a.attrelid = 'queen.queues'::regclass and a.attnum > 0 and not a.attisdropped
               and a.attname not in ('id', 'name', 'created_at')
            """)
        .forEach(row -> columns.put((String) row.get("attname"), (String) row.get("value")));
    assertThat(documented).isEqualTo(columns).hasSize(9);
  }

  private void refusedAndUnchanged(String key, String value, String says) {
    String options = "{\"" + key + "\": " + value + "}";
    log.configure(queue, OTHERS);
    refused(options, "22023", () -> log.configure(queue, options), "option " + key + ":", says);
    assertThat(stored(sql, queue)).as(options).isEqualTo(json(OTHERS));
  }

  private static String column(String key) {
    return key.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }

  private static JsonNode json(String text) {
    return sql.json("select ?::jsonb", text);
  }

  /** The row itself, under the names of the options. */
  private static JsonNode stored(Sql sql, String queue) {
    return sql.json(
        """
        select jsonb_build_object('namespace', namespace, 'task', task, 'retentionEnabled', retention_enabled,
            'retentionSeconds', retention_seconds, 'completedRetentionSeconds', completed_retention_seconds,
            'maxWaitTimeSeconds', max_wait_time_seconds, 'dedupWindowSeconds', dedup_window_seconds,
            'leaseTime', lease_time, 'retryLimit', retry_limit)
          from queen.queues where name = ?
        """,
        queue);
  }
}

package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code get_retention_timeseries_v1}. */
class TimeseriesIT {
  private static final Instant DAY = Instant.parse("2026-03-29T00:00:00Z");

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;

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
  void anEmptyHistory() {
    sql.run("truncate queen.retention_history, queen.retention_history_minutes");
  }

  @AfterEach
  void anHonestSession() {
    sql.run("reset all");
  }

  @ParameterizedTest
  @CsvSource({
    "PT0.000001S, 1",
    "PT60M, 1",
    "PT60M0.000001S, 5",
    "PT6H, 5",
    "PT6H0.000001S, 15",
    "P1D, 15",
    "P1DT0.000001S, 60",
    "P7D, 60",
    "P7DT0.000001S, 360",
    "P365D, 360"
  })
  void theBucketGrowsWithTheRange(String range, int minutes) {
    assertThat(between(DAY, DAY.plus(Duration.parse(range))).get("bucketMinutes").asInt())
        .isEqualTo(minutes);
  }

  @Test
  void eventsFallIntoTheBucketTheyBelongTo() {
    UUID queue = UUID.randomUUID();
    event(queue, DAY.plusSeconds(59).plusNanos(999_999_000), 1, 1, "retention");
    event(queue, DAY.plusSeconds(60), 2, 1, "retention");
    event(queue, DAY.plusSeconds(119), 4, 1, "retention");
    JsonNode answer = between(DAY, DAY.plus(Duration.ofHours(1)));
    assertThat(series(answer)).containsExactly("2026-03-29T00:00:00Z 1", "2026-03-29T00:01:00Z 6");
    assertThat(answer.at("/series/1/rules/retention/segments").asInt()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"UTC", "Asia/Kathmandu", "Europe/Berlin", "America/St_Johns"})
  void sixHourBucketsAreOfUtcWhateverTheSessionsZone(String zone) {
    UUID queue = UUID.randomUUID();
    // Over the change to summer time in Europe.
    event(queue, DAY.minusNanos(1000), 1, 1, "retention");
    event(queue, DAY, 2, 1, "retention");
    event(queue, DAY.plus(Duration.ofHours(6)).minusNanos(1000), 4, 1, "retention");
    event(queue, DAY.plus(Duration.ofHours(6)), 8, 1, "retention");
    event(queue, DAY.plus(Duration.ofHours(18)), 16, 1, "retention");
    sql.run("set timezone = '" + zone + "'");
    JsonNode answer = between(DAY.minus(Duration.ofDays(4)), DAY.plus(Duration.ofDays(4)));
    assertThat(answer.get("bucketMinutes").asInt()).isEqualTo(360);
    assertThat(series(answer))
        .containsExactly(
            "2026-03-28T18:00:00Z 1",
            "2026-03-29T00:00:00Z 6",
            "2026-03-29T06:00:00Z 8",
            "2026-03-29T18:00:00Z 16");
    assertThat(answer.at("/series/0/time").asText()).isEqualTo("2026-03-28T18:00:00+00:00");
  }

  @Test
  void aTimeWithoutAZoneIsUtcWhateverTheSessionsZone() {
    sql.run("set timezone = 'Asia/Kathmandu'");
    JsonNode answer = series("{\"from\": \"2026-03-29\", \"to\": \"2026-03-29T01:00:00.000001\"}");
    assertThat(answer.get("timeRange").toString())
        .isEqualTo(
            "{\"to\":\"2026-03-29T01:00:00.000001+00:00\",\"from\":\"2026-03-29T00:00:00+00:00\"}");
    assertThat(
            series("{\"from\": \"2026-03-29T02:00+02:00\", \"to\": \"2026-03-29T01:00Z\"}")
                .at("/timeRange/from")
                .asText())
        .isEqualTo("2026-03-29T00:00:00+00:00");
  }

  @Test
  void theDefaultIsTheLastHour() {
    UUID queue = UUID.randomUUID();
    event(queue, log.ago(Duration.ofMinutes(59)), 1, 1, "retention");
    event(queue, log.ago(Duration.ofMinutes(61)), 2, 1, "retention");
    JsonNode answer = series("{}");
    assertThat(answer.get("bucketMinutes").asInt()).isOne();
    assertThat(answer.at("/totals/messages").asInt()).isOne();
    assertThat(series("{\"from\": null, \"to\": null, \"queue\": null}").get("totals"))
        .isEqualTo(answer.get("totals"));
  }

  @Test
  void theRangeIncludesItsBeginningAndNotItsEnd() {
    UUID queue = UUID.randomUUID();
    Instant to = DAY.plus(Duration.ofHours(1));
    event(queue, DAY.minusNanos(1000), 1, 1, "retention");
    event(queue, DAY, 2, 1, "retention");
    event(queue, to.minusNanos(1000), 4, 1, "retention");
    event(queue, to, 8, 1, "retention");
    assertThat(between(DAY, to).at("/totals/messages").asInt()).isEqualTo(6);
  }

  @Test
  void deletionsAreSplitByRule() {
    UUID queue = UUID.randomUUID();
    event(queue, DAY, 10, 1, "retention");
    event(queue, DAY.plusSeconds(1), 20, 2, "completed_retention");
    event(queue, DAY.plusSeconds(2), 30, 3, "completed_retention");
    event(queue, DAY.plusSeconds(61), 40, 4, "max_wait_time_eviction");
    JsonNode answer = between(DAY, DAY.plus(Duration.ofHours(1)));
    assertThat(answer.get("series").get(0).get("rules"))
        .isEqualTo(
            json(
                """
                {"retention": {"messages": 10, "segments": 1}, "completed_retention": {"messages": 50, "segments": 5}}\
                """));
    assertThat(answer.get("totals"))
        .isEqualTo(
            json(
                """
                {"messages": 100, "segments": 10, "rules": {
                    "retention": {"messages": 10, "segments": 1},
                    "completed_retention": {"messages": 50, "segments": 5},
                    "max_wait_time_eviction": {"messages": 40, "segments": 4}}}\
                """));
  }

  @Test
  void whatWasRolledUpCountsAsOfWhereItsMinuteBegins() {
    UUID queue = queue("rolled", "{\"namespace\": \"old\"}");
    event(queue, DAY.plusSeconds(30), 1, 1, "retention");
    event(queue, DAY.plusSeconds(59), 2, 1, "completed_retention");
    event(queue, DAY.plusSeconds(60), 4, 1, "retention");
    event(queue, DAY.plusSeconds(60), 8, 1, "__x__");
    event(null, DAY.plusSeconds(61), 16, 1, "retention");
    JsonNode before = between(DAY, DAY.plus(Duration.ofHours(1)));
    sql.rows("select queen.log_history_roll_up_step_v1(null, ?, 10)", DAY.plusSeconds(61));
    assertThat(sql.number("select count(*) from queen.retention_history_minutes")).isEqualTo(3);
    assertThat(sql.number("select count(*) from queen.retention_history")).isEqualTo(2);

    assertThat(between(DAY, DAY.plus(Duration.ofHours(1)))).isEqualTo(before);
    assertThat(between(DAY.plusNanos(1_000), DAY.plusSeconds(60)).at("/totals/messages").asInt())
        .as("begins inside a minute that was rolled up")
        .isZero();
    assertThat(between(DAY, DAY.plusNanos(1_000)).at("/totals/messages").asInt())
        .as("ends inside it")
        .isEqualTo(3);
    assertThat(
            series("{\"from\": \"2026-03-29\", \"to\": \"2026-03-30\", \"namespace\": \"old\"}")
                .at("/totals/messages")
                .asInt())
        .isEqualTo(7);
  }

  @ParameterizedTest
  @ValueSource(strings = {"on", "off"})
  void onlyNamesBetweenTwoUnderscoresAreNoDeletions(String standardStrings) {
    UUID queue = UUID.randomUUID();
    for (String event : List.of("__partition_deleted__", "____", "__x__")) {
      event(queue, DAY, 1000, 1, event);
    }
    for (String rule :
        List.of("_x_", "__x_", "_x__", "retention", "a__x__", "__x__a", "xxyxx", "___")) {
      event(queue, DAY, 1, 1, rule);
    }
    JsonNode answer;
    // A session that has not parsed the function yet. Where a backslash escapes in plain strings,
    // its
    // pattern must still mean the same.
    try (Sql fresh = database.connect()) {
      fresh.run("set escape_string_warning = off");
      fresh.run("set standard_conforming_strings = " + standardStrings);
      answer =
          fresh.json(
              "select queen.get_retention_timeseries_v1(p_filters => ?::jsonb)",
              "{\"from\": \"" + DAY + "\", \"to\": \"" + DAY.plusSeconds(60) + "\"}");
    }
    assertThat(answer.at("/totals/rules").properties().stream().map(e -> e.getKey()))
        .containsExactlyInAnyOrder(
            "_x_", "__x_", "_x__", "retention", "a__x__", "__x__a", "xxyxx", "___");
  }

  @Test
  void aFilterLeavesTheEventsOfItsQueueNamespaceOrTask() {
    UUID a = queue("a", "{\"namespace\": \"n\", \"task\": \"t\"}");
    UUID b = queue("b", "{\"namespace\": \"n\", \"task\": \"u\"}");
    UUID c = queue("c", "{}");
    event(a, DAY, 1, 1, "retention");
    event(b, DAY, 2, 1, "retention");
    event(c, DAY, 4, 1, "retention");
    event(null, DAY, 8, 1, "retention");
    assertThat(messages("\"queue\": \"a\"")).isEqualTo(1);
    assertThat(messages("\"namespace\": \"n\"")).isEqualTo(3);
    assertThat(messages("\"task\": \"u\"")).isEqualTo(2);
    assertThat(messages("\"namespace\": \"n\", \"task\": \"t\"")).isEqualTo(1);
    assertThat(messages("\"queue\": \"b\", \"task\": \"t\"")).isZero();
    assertThat(messages("\"queue\": \"A\"")).isZero();
    assertThat(messages("\"queue\": \"%\"")).isZero();
    assertThat(messages("\"queue\": \"\"")).isZero();
    assertThat(messages("\"queue\": null")).isEqualTo(15);
  }

  @Test
  void aDeletedPartitionStillAnswersItsQueuesFilter() {
    UUID partition = log.partition("outlived", "p");
    log.append(partition, log.ago(Duration.ofHours(2)), 3);
    log.retentionStep(partition, log.ago(Duration.ZERO), null, 10);
    sql.run("delete from queen.log_partitions where id = ?", partition);
    assertThat(series("{\"queue\": \"outlived\"}").at("/totals/messages").asInt()).isEqualTo(3);
  }

  @Test
  void totalsAreExactFarBeyondThirtyTwoAndSixtyFourBits() {
    UUID queue = UUID.randomUUID();
    event(queue, DAY, 3_000_000_001L, 2_200_000_000L, "retention");
    event(queue, DAY, 9_223_372_036_854_775_807L, 1, "retention");
    event(queue, DAY, 9_223_372_036_854_775_807L, 1, "retention");
    JsonNode answer = between(DAY, DAY.plusSeconds(60));
    assertThat(answer.at("/totals/messages").bigIntegerValue()).hasToString("18446744076709551615");
    assertThat(answer.at("/series/0/rules/retention/messages").bigIntegerValue())
        .hasToString("18446744076709551615");
    assertThat(answer.at("/totals/segments").asLong()).isEqualTo(2_200_000_002L);
  }

  @Test
  void nothingDeletedIsAnEmptySeriesWithTotalsOfZero() {
    JsonNode answer = between(DAY, DAY.plusSeconds(60));
    assertThat(answer.get("series").toString()).isEqualTo("[]");
    assertThat(answer.get("totals"))
        .isEqualTo(json("{\"messages\": 0, \"segments\": 0, \"rules\": {}}"));
  }

  @Test
  void theAnswerHasTheContractsKeys() {
    assertThat(between(DAY, DAY.plusSeconds(60)).properties().stream().map(e -> e.getKey()))
        .containsExactlyInAnyOrder("timeRange", "bucketMinutes", "series", "totals");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[]", "1", "\"queue\"", "null"})
  void theFiltersAreAnObject(String filters) {
    refused("22023", () -> series(filters), "p_filters");
    refused("22023", () -> series((String) null), "p_filters", "null");
  }

  @Test
  void aFilterIsKnownAndAString() {
    refused("22023", () -> series("{\"Queue\": \"a\"}"), "filter Queue");
    refused("22023", () -> series("{\"queue\": 1}"), "filter queue", "1");
    refused("22023", () -> series("{\"from\": 1767225600}"), "filter from");
    refused("22023", () -> series("{\"task\": [\"t\"]}"), "filter task");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "yesterday",
        "now",
        "today",
        "epoch",
        "infinity",
        "-infinity",
        "",
        "2026-02-30",
        "2026-13-01",
        "29.03.2026",
        "03/29/2026",
        "2026",
        "999999-01-01",
        "2026-03-29T25:00Z",
        "2026-03-29T00:00+99",
        "2026-03-29 Mars/Olympus"
      })
  void aTimeIsOfIso8601(String time) {
    refused("22023", () -> series("{\"from\": \"" + time + "\"}"), "filter from", "ISO 8601");
    refused("22023", () -> series("{\"to\": \"" + time + "\"}"), "filter to", "ISO 8601");
  }

  @Test
  void theRangeIsNotEmptyAndNotReversed() {
    refused("22023", () -> between(DAY, DAY), "filter from", "before");
    refused("22023", () -> between(DAY.plusSeconds(1), DAY), "filter from", "before");
    refused("22023", () -> series("{\"from\": \"9999-01-01\"}"), "filter from", "before");
  }

  private static void event(UUID queue, Instant at, long messages, long segments, String rule) {
    sql.run(
        "insert into queen.retention_history (partition_id, queue_id, messages_deleted,"
            + " segments_deleted, retention_type, executed_at) values (gen_random_uuid(), ?, ?, ?,"
            + " ?, ?)",
        queue,
        messages,
        segments,
        rule,
        at);
  }

  private static UUID queue(String name, String options) {
    log.configure(name, options);
    return sql.value("select id from queen.queues where name = ?", name);
  }

  private static JsonNode between(Instant from, Instant to) {
    return series("{\"from\": \"" + from + "\", \"to\": \"" + to + "\"}");
  }

  private static long messages(String filter) {
    return series(
            "{\"from\": \"" + DAY + "\", \"to\": \"" + DAY.plusSeconds(60) + "\", " + filter + "}")
        .at("/totals/messages")
        .asLong();
  }

  private static JsonNode series(String filters) {
    return sql.json("select queen.get_retention_timeseries_v1(p_filters => ?::jsonb)", filters);
  }

  /** Each bucket as its time and its messages over all rules. */
  private static List<String> series(JsonNode answer) {
    List<String> buckets = new ArrayList<>();
    for (JsonNode bucket : answer.get("series")) {
      long messages = 0;
      for (JsonNode rule : bucket.get("rules")) {
        messages += rule.get("messages").asLong();
      }
      buckets.add(
          java.time.OffsetDateTime.parse(bucket.get("time").asText()).toInstant() + " " + messages);
    }
    return buckets;
  }

  private static JsonNode json(String text) {
    return sql.json("select ?::jsonb", text);
  }
}

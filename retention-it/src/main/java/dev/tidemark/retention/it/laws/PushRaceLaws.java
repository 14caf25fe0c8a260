package dev.tidemark.retention.it.laws;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.PushBy;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestPush;
import dev.tidemark.retention.it.support.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A push, by each of the three ways, against whoever wants its partition at the same time. */
public class PushRaceLaws {
  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private Sql first;
  private Sql second;
  private String queue;

  @BeforeAll
  static void open() {
    database = Target.open();
    sql = database.connect();
    // What should be skipped and is waited for instead then fails, where it would hang.
    sql.run("set lock_timeout = '10s'");
    log = new TestLog(sql);
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void twoSessionsAndANameOfItsOwn() {
    first = database.connect();
    second = database.connect();
    queue = "push-races-" + UUID.randomUUID();
  }

  @AfterEach
  void nothingIsBrokenAndNothingIsOrphaned() {
    first.close();
    second.close();
    deleteQueue(sql);
    assertThat(Invariants.broken(sql)).isEmpty();
    for (String table : List.of("log_txns", "log_dlq")) {
      assertThat(
              sql.rows(
                  "select partition_id from queen."
                      + table
                      + " t where not exists (select 1 from queen.log_partitions p where p.id ="
                      + " t.partition_id)"))
          .as(table + " has no foreign key")
          .isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void ofTwoFirstContactsTheSecondPushesIntoWhatTheFirstCreated(PushBy by) {
    first.begin();
    assertQueuedAt(by.push(first, queue, "a"), 0);
    Waiting.Elsewhere<List<JsonNode>> push =
        Waiting.blocked(sql, second, s -> by.push(s, queue, "b"));
    first.commit();
    assertQueuedAt(push.get(), 1);
    assertThat(blobs()).hasSize(2 * by.partitions().size());
  }

  @ParameterizedTest
  @EnumSource
  void aFirstContactFindsTheDuplicateOfTheOneThatCameBeforeIt(PushBy by) {
    first.begin();
    by.push(first, queue, "a");
    Waiting.Elsewhere<List<JsonNode>> push =
        Waiting.blocked(sql, second, s -> by.push(s, queue, "a"));
    first.commit();
    assertThat(push.get())
        .extracting(a -> a.get("status").asText())
        .containsOnly("duplicate")
        .hasSameSizeAs(by.partitions());
  }

  @ParameterizedTest
  @EnumSource
  void aFirstContactThatIsUndoneLeavesTheNextToCreateAll(PushBy by) {
    first.begin();
    by.push(first, queue, "a");
    Waiting.Elsewhere<List<JsonNode>> push =
        Waiting.blocked(sql, second, s -> by.push(s, queue, "a"));
    first.rollback();
    assertQueuedAt(push.get(), 0);
    assertThat(blobs()).containsOnly("a").hasSameSizeAs(by.partitions());
  }

  @ParameterizedTest
  @EnumSource
  void aDuplicateThatCommitsWhileThePushWaitsIsSeen(PushBy by) {
    by.push(sql, queue, "old");
    first.begin();
    by.push(first, queue, "a");
    Waiting.Elsewhere<List<JsonNode>> push =
        Waiting.blocked(sql, second, s -> by.push(s, queue, "a"));
    first.commit();
    assertThat(push.get())
        .hasSameSizeAs(by.partitions())
        .allSatisfy(
            answer ->
                assertThat(answer.toString())
                    .isEqualTo("{\"dups\":[{\"i\":0,\"off\":1}],\"status\":\"duplicate\"}"));
    assertThat(partitions(by)).allSatisfy(id -> assertThat(log.segments(id)).hasSize(2));
  }

  @ParameterizedTest
  @EnumSource
  void aPushThatWaitedForOneThatWasUndoneIsQueuedInItsPlace(PushBy by) {
    by.push(sql, queue, "old");
    first.begin();
    by.push(first, queue, "a");
    Waiting.Elsewhere<List<JsonNode>> push =
        Waiting.blocked(sql, second, s -> by.push(s, queue, "a"));
    first.rollback();
    assertQueuedAt(push.get(), 1);
  }

  // An import puts its segments where a push would.

  @ParameterizedTest
  @EnumSource
  void anImportBehindAPushGoesOnWhereThatEnded(PushBy by) {
    UUID partition = log.partition(queue, "p");
    first.begin();
    assertQueuedAt(by.push(first, queue, "a"), 0);
    Instant afterThePush = log.ago(Duration.ZERO);
    Waiting.Elsewhere<Long> imported =
        Waiting.blocked(sql, second, s -> new TestLog(s).append(partition, afterThePush, 2));
    first.commit();
    assertThat(imported.get()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void aPushBehindAnImportGoesOnWhereThatEnded(PushBy by) {
    List<UUID> ids = partitions(by);
    first.begin();
    ids.forEach(id -> new TestLog(first).append(id, log.ago(Duration.ZERO), 2));
    Waiting.Elsewhere<List<JsonNode>> push =
        Waiting.blocked(sql, second, s -> by.push(s, queue, "a"));
    first.commit();
    assertQueuedAt(push.get(), 2);
  }

  @ParameterizedTest
  @EnumSource
  void aCleanupSkipsWhatAPushHolds(PushBy by) {
    List<UUID> before = partitions(by);
    before.forEach(PushRaceLaws::silence);
    first.begin();
    assertQueuedAt(by.push(first, queue, "a"), 0);
    assertThat(cleanup(sql)).isZero();
    first.commit();
    assertThat(cleanup(sql)).isZero();
    assertThat(partitions(by)).isEqualTo(before);
    assertThat(blobs()).containsOnly("a").hasSameSizeAs(before);
  }

  @ParameterizedTest
  @EnumSource
  void aPushThatWaitedForTheCleanupFailsLoudlyAndItsRetryFindsANewPartition(PushBy by) {
    UUID old = log.partition(queue, "p");
    silence(old);
    int partitions = by.partitions().size();
    by.partitions().stream().skip(1).forEach(q -> new TestPush(sql).push(queue, q, "old"));
    first.begin();
    assertThat(cleanup(first)).isOne();
    Waiting.Elsewhere<List<JsonNode>> push =
        Waiting.blocked(sql, second, s -> by.push(s, queue, "a"));
    first.commit();
    refused(
        "TM007",
        push::get,
        "QMULTI resolved %d of %d segments".formatted(partitions - 1, partitions));
    assertThat(blobs()).as("all or nothing").hasSize(partitions - 1).doesNotContain("a");

    List<JsonNode> retry = by.push(second, queue, "a");
    assertThat(retry).extracting(a -> a.get("status").asText()).containsOnly("queued");
    assertThat(retry.get(0).get("baseOffset").asLong()).isZero();
    assertThat(log.partition(queue, "p")).isNotEqualTo(old);
    assertThat(blobs()).filteredOn("a"::equals).hasSize(partitions);
  }

  @ParameterizedTest
  @EnumSource
  void aQueueDeleteWaitsForThePushAndTakesWhatItBrought(PushBy by) {
    by.push(sql, queue, "old");
    List<UUID> before = partitions(by);
    before.forEach(PushRaceLaws::deadLetter);
    first.begin();
    assertQueuedAt(by.push(first, queue, "a"), 1);
    Waiting.Elsewhere<JsonNode> delete = Waiting.blocked(sql, second, this::deleteQueue);
    first.commit();
    assertThat(delete.get().get("partitions").asInt()).isEqualTo(before.size());
    assertThat(blobs()).isEmpty();

    assertQueuedAt(by.push(first, queue, "a"), 0);
    assertThat(partitions(by)).doesNotContainAnyElementsOf(before);
  }

  @ParameterizedTest
  @EnumSource
  void aPushThatWaitedForTheDeleteOfItsQueueFailsLoudlyAndItsRetryStartsAnew(PushBy by) {
    by.push(sql, queue, "old");
    List<UUID> before = partitions(by);
    before.forEach(PushRaceLaws::deadLetter);
    first.begin();
    deleteQueue(first);
    Waiting.Elsewhere<List<JsonNode>> push =
        Waiting.blocked(sql, second, s -> by.push(s, queue, "a"));
    first.commit();
    refused("TM007", push::get, "QMULTI resolved 0 of %d segments".formatted(before.size()));
    assertThat(sql.number("select count(*) from queen.queues where name = ?", queue)).isZero();

    assertQueuedAt(by.push(second, queue, "a"), 0);
    assertThat(partitions(by)).doesNotContainAnyElementsOf(before);
    assertThat(blobs()).containsOnly("a").hasSameSizeAs(before);
  }

  @ParameterizedTest
  @EnumSource
  void aQueueDeleteThatIsUndoneLetsTheWaitingPushGoOn(PushBy by) {
    by.push(sql, queue, "old");
    List<UUID> before = partitions(by);
    first.begin();
    deleteQueue(first);
    Waiting.Elsewhere<List<JsonNode>> push =
        Waiting.blocked(sql, second, s -> by.push(s, queue, "a"));
    first.rollback();
    assertQueuedAt(push.get(), 1);
    assertThat(partitions(by)).isEqualTo(before);
  }

  private List<UUID> partitions(PushBy by) {
    return by.partitions().stream().map(name -> log.partition(queue, name)).toList();
  }

  /** What the queue holds, in any order. */
  private List<String> blobs() {
    return sql
        .rows(
            "select convert_from(s.blob, 'UTF8') as blob from queen.log_segments s join"
                + " queen.log_partitions p on p.id = s.partition_id join queen.queues q on q.id ="
                + " p.queue_id where q.name = ?",
            queue)
        .stream()
        .map(r -> String.valueOf(r.get("blob")))
        .toList();
  }

  private static void silence(UUID partition) {
    sql.run(
        "update queen.log_partitions set created_at = '2020-01-01Z', last_write_at = '2020-01-01Z'"
            + " where id = ?",
        partition);
  }

  private static void deadLetter(UUID partition) {
    sql.rows("select queen.log_dlq_put_v1(?, 't', null, null, null, null)", partition);
  }

  private static int cleanup(Sql session) {
    return session
        .json("select queen.log_partition_cleanup_step_v1('2021-01-01Z', 10)")
        .get("deleted")
        .asInt();
  }

  private JsonNode deleteQueue(Sql session) {
    return session.json("select queen.delete_queue_v1(p_name => ?)", queue);
  }

  private static void assertQueuedAt(List<JsonNode> answers, long offset) {
    assertThat(answers)
        .extracting(a -> a.get("status").asText() + " " + a.get("baseOffset"))
        .containsOnly("queued " + offset);
  }
}

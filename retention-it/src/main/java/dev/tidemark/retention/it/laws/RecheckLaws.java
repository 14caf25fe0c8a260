package dev.tidemark.retention.it.laws;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.step.StepKind;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Gate;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestPush;
import dev.tidemark.retention.it.support.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * What was read before the lock may be stale; what decides is read under it. In each case somebody
 * commits in the very moment between the two.
 */
public class RecheckLaws {
  private static final String SILENCE = "2020-01-01T00:00:00Z";
  private static final Instant CLEANUP = Instant.parse("2021-01-01T00:00:00Z");

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private Sql first;
  private Sql second;
  private String queue;
  private UUID partition;
  private Instant old;

  /** What makes an empty and silent partition one that the cleanup has to leave. */
  enum Revival {
    PUSH("select queen.log_push_one_v1(q.name, p.name, 1, '0123456789abcdef', null, '')"),
    PUSH_THAT_WAS_TAKEN(
        "select queen.log_retention_step_v1(p.id, 'infinity', null,"
            + " (queen.log_push_one_v1(q.name, p.name, 1, '0123456789abcdef', null, '') is not null)::int)"),
    DEAD_LETTER("select queen.log_dlq_put_v1(p.id, 't', null, null, null, null)"),
    STREAMS_STATE("insert into queen_streams.state (partition_id, key) select p.id, 'k'"),
    CURSOR("select queen.log_seek_v1(p.id, 'g', 0)"),
    LEASE(
        "insert into queen.log_consumers (partition_id, consumer_group, committed, batch_end, worker_id, created_at)"
            + " select p.id, 'g', -1, 0, 'w', '2020-01-01Z'");

    private final String statement;

    Revival(String statement) {
      this.statement = statement;
    }

    void of(Sql session, UUID partition) {
      session.run(
          statement
              + " from queen.log_partitions p join queen.queues q on q.id = p.queue_id where p.id = ?",
          partition);
    }
  }

  @BeforeAll
  static void open() {
    database = Target.open();
    sql = database.connect();
    log = new TestLog(sql);
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void aPartitionOfTwoOldSegments() {
    first = database.connect();
    second = database.connect();
    queue = "recheck-" + UUID.randomUUID();
    partition = log.partition(queue, "p");
    old = log.ago(Duration.ofDays(10));
    log.append(partition, old, 2);
    log.append(partition, old, 2);
  }

  @AfterEach
  void invariantsHold() {
    first.close();
    second.close();
    assertThat(Invariants.broken(sql)).isEmpty();
    sql.json("select queen.delete_queue_v1(p_name => ?)", queue);
    sql.run("delete from queen_streams.state where partition_id = ?", partition);
  }

  // A step behind somebody who commits.

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "BY_CONSUMPTION")
  void aStepSeesTheSegmentOfThePushItWaitedFor(StepKind kind) {
    first.begin();
    new TestLog(first).append(partition, old, 2);
    Waiting.Elsewhere<JsonNode> step = blocked(s -> kind.run(s, partition, cutoff(), 10));
    first.commit();
    assertThat(step.get().get("deleted").asLong()).isEqualTo(3);
    assertThat(kind.left(sql, partition)).isZero();
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "BY_CONSUMPTION")
  void aStepThatWaitedForAPushStillDeletesNoMoreThanABatch(StepKind kind) {
    first.begin();
    new TestLog(first).append(partition, old, 2);
    Waiting.Elsewhere<JsonNode> step = blocked(s -> kind.run(s, partition, cutoff(), 2));
    first.commit();
    assertThat(step.get().get("deleted").asLong()).isEqualTo(2);
    assertThat(step.get().get("done").asBoolean()).as("a full batch").isFalse();
    assertThat(kind.left(sql, partition)).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "BY_CONSUMPTION")
  void aStepThatEmptiedTheOldRowsKeepsTheFreshOneItWaitedFor(StepKind kind) {
    first.begin();
    new TestPush(first).push(queue, "p", "fresh");
    Waiting.Elsewhere<JsonNode> step = blocked(s -> kind.run(s, partition, cutoff(), 10));
    first.commit();
    assertThat(step.get().get("deleted").asLong()).isEqualTo(2);
    assertThat(kind.left(sql, partition)).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void aStepBehindAnotherGoesOnWhereThatEnded(StepKind kind) {
    log.commit(partition, "through", 3);
    first.begin();
    kind.run(first, partition, cutoff(), 1);
    Waiting.Elsewhere<JsonNode> step = blocked(s -> kind.run(s, partition, cutoff(), 1));
    first.commit();
    assertThat(step.get().get("deleted").asLong()).isEqualTo(1);
    assertThat(step.get().path("new_log_start").asLong(4)).isEqualTo(4);
    assertThat(step.get().path("new_txns_start").asLong(4)).isEqualTo(4);
    assertThat(kind.left(sql, partition)).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void aStepBehindTheDeleteOfItsQueueHasNothingToDo(StepKind kind) {
    first.begin();
    first.json("select queen.delete_queue_v1(p_name => ?)", queue);
    Waiting.Elsewhere<JsonNode> step = blocked(s -> kind.run(s, partition, cutoff(), 1));
    first.commit();
    assertThat(step.get().get("deleted").asLong()).isZero();
    assertThat(step.get().get("done").asBoolean()).isTrue();
    assertThat(log.history(partition)).isEmpty();
  }

  @Test
  void nothingGoesThatAGroupWantsWhoseFirstPopAStepWaitedFor() {
    log.commit(partition, "through", 3);
    first.begin();
    assertThat(pop(first, "joining", 1)).containsExactly(0L);
    Waiting.Elsewhere<JsonNode> step = blocked(this::byConsumption);
    first.commit();
    assertThat(step.get().get("deleted").asLong()).isZero();
    assertThat(log.segments(partition)).hasSize(2);
  }

  @Test
  void nothingGoesThatAGroupWantsAgainWhoseSeekBackAStepWaitedFor() {
    log.commit(partition, "g", 3);
    first.begin();
    new TestLog(first).commit(partition, "g", 1);
    Waiting.Elsewhere<JsonNode> step = blocked(this::byConsumption);
    first.commit();
    assertThat(step.get().get("new_log_start").asLong()).isEqualTo(2);
    assertThat(pop(sql, "g", 10)).containsExactly(2L);
  }

  @Test
  void aSeekBackBehindAStepResumesAtWhatTheStepLeft() {
    log.commit(partition, "g", 1);
    first.begin();
    assertThat(byConsumption(first).get("deleted").asLong()).isEqualTo(1);
    Waiting.Elsewhere<Integer> seek =
        blocked(
            s -> {
              new TestLog(s).commit(partition, "g", -1);
              return 0;
            });
    first.commit();
    seek.get();
    assertThat(byConsumption(sql).get("deleted").asLong()).isZero();
    assertThat(pop(sql, "g", 10)).containsExactly(2L);
  }

  // The cleanup, between its scan and its locks.

  @ParameterizedTest
  @EnumSource
  void theCleanupLeavesWhatCameToLifeBetweenItsScanAndItsLocks(Revival revival) {
    UUID dead = silent("dead");
    UUID revived = silent("revived");
    Gate.standBefore(second);
    try (Gate gate = Gate.atRead(database, "queen.log_partitions")) {
      Waiting.Elsewhere<JsonNode> cleanup = blocked(RecheckLaws::cleanup);
      revival.of(sql, revived);
      gate.open();
      assertThat(cleanup.get().get("deleted").asInt()).isOne();
    }
    assertThat(exists(dead)).isFalse();
    assertThat(exists(revived)).isTrue();
    sql.run("delete from queen_streams.state where partition_id = ?", revived);
  }

  @Test
  void theCleanupSkipsWhatOthersHoldAndWaitsForNobody() {
    UUID dead = silent("dead");
    UUID locked = silent("locked");
    UUID leased = silent("leased");
    log.commit(leased, "g", -1);
    sql.run(
        "update queen.log_consumers set created_at = '2020-01-01Z' where partition_id = ?", leased);
    first.begin();
    first.row("select 1 from queen.log_partitions where id = ? for key share", locked);
    first.row("select 1 from queen.log_consumers where partition_id = ? for update", leased);
    second.run("set lock_timeout = '1ms'");
    assertThat(cleanup(second).get("deleted").asInt()).isOne();
    first.rollback();
    assertThat(exists(dead)).isFalse();
    assertThat(exists(locked)).isTrue();
    assertThat(exists(leased)).isTrue();
    assertThat(cleanup(second).get("deleted").asInt()).isEqualTo(2);
  }

  @Test
  void aPushBehindTheCleanupFailsLoudlyAndItsRetryFindsANewPartition() {
    UUID dead = silent("dead");
    first.begin();
    assertThat(cleanup(first).get("deleted").asInt()).isOne();
    Waiting.Elsewhere<JsonNode> push = blocked(s -> new TestPush(s).push(queue, "dead", "a"));
    first.commit();
    refused("TM007", push::get, "QMULTI resolved 0 of 1 segments");
    assertThat(new TestPush(sql).push(queue, "dead", "a").get("baseOffset").asInt()).isZero();
    assertThat(log.partition(queue, "dead")).isNotEqualTo(dead);
  }

  @Test
  void aDeadLetterBehindTheCleanupIsRefused() {
    UUID dead = silent("dead");
    first.begin();
    assertThat(cleanup(first).get("deleted").asInt()).isOne();
    Waiting.Elsewhere<Integer> letter =
        blocked(s -> s.run("select queen.log_dlq_put_v1(?, 't', null, null, null, null)", dead));
    first.commit();
    refused("TM004", letter::get, dead.toString());
  }

  // The walk, between its look and its locks.

  /** Everything is gone but the sidecar, and the watermark is wrong: what the walk is there for. */
  @Test
  void theWalkMendsByWhatItReadsUnderTheLock() {
    log.evictStep(partition, cutoff(), 10);
    sql.run("update queen.log_partitions set oldest_live_at = ? where id = ?", old, partition);
    Gate.standBefore(second);
    try (Gate gate = Gate.atRead(database, "queen.log_txns")) {
      Waiting.Elsewhere<JsonNode> walk =
          blocked(s -> s.json("select queen.log_watermark_walk_step_v1(null, 1000)"));
      new TestPush(sql).push(queue, "p", "pushed");
      gate.open();
      assertThat(walk.get().get("repaired").asInt()).isOne();
    }
    assertThat(log.row(partition).oldestLiveAt()).isEqualTo(log.lastCreatedAt(partition));
  }

  @Test
  void theWalkPassesWhatOthersHoldAndWaitsForNobody() {
    sql.run("update queen.log_partitions set oldest_live_at = null where id = ?", partition);
    first.begin();
    first.row("select 1 from queen.log_partitions where id = ? for key share", partition);
    second.run("set lock_timeout = '1ms'");
    JsonNode walk = second.json("select queen.log_watermark_walk_step_v1(null, 1000)");
    assertThat(walk.get("repaired").asInt()).isZero();
    assertThat(walk.get("held").asInt()).isOne();
    first.rollback();
    walk = second.json("select queen.log_watermark_walk_step_v1(null, 1000)");
    assertThat(walk.get("repaired").asInt()).isOne();
  }

  private <T> Waiting.Elsewhere<T> blocked(Function<Sql, T> work) {
    return Waiting.blocked(sql, second, work);
  }

  private JsonNode byConsumption(Sql session) {
    return StepKind.BY_CONSUMPTION.run(session, partition, cutoff(), 10);
  }

  private Instant cutoff() {
    return old.plus(Duration.ofDays(5));
  }

  private List<Object> pop(Sql session, String group, int max) {
    return session.column(
        "select from_offset from queen.log_pop_v1(?, 'p', ?, 'w', ?, 60)", queue, group, max);
  }

  private UUID silent(String name) {
    UUID id = log.partition(queue, name);
    sql.run(
        "update queen.log_partitions set created_at = ?::timestamptz, last_write_at = ?::timestamptz where id = ?",
        SILENCE,
        SILENCE,
        id);
    return id;
  }

  private static JsonNode cleanup(Sql session) {
    return session.json("select queen.log_partition_cleanup_step_v1(?, 10)", CLEANUP);
  }

  private static boolean exists(UUID id) {
    return sql.number("select count(*) from queen.log_partitions where id = ?", id) == 1;
  }
}

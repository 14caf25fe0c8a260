package dev.tidemark.retention.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.SqlFailure;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestLog.History;
import dev.tidemark.retention.it.support.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A step beside other sessions: whom it waits for, what it then sees, and what it holds. */
class RetentionStepLocksIT {
  private static TestDatabase database;
  private static Sql observer;
  private static TestLog log;
  private Sql other;
  private Sql stepper;
  private UUID partition;
  private Instant old;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    observer = database.connect();
    log = new TestLog(observer);
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void aPartitionOfTwoOldSegments() {
    other = database.connect();
    stepper = database.connect();
    partition = log.partition("locks", UUID.randomUUID().toString());
    old = log.ago(Duration.ofDays(10));
    log.append(partition, old, 2);
    log.append(partition, old, 2);
  }

  @AfterEach
  void invariantsHold() {
    other.close();
    stepper.close();
    assertThat(Invariants.broken(observer)).isEmpty();
  }

  @Test
  void aStepWaitsForAPusherAndSeesWhatItCommitted() {
    other.begin();
    new TestLog(other).append(partition, old, 2);
    Waiting.Elsewhere<JsonNode> step = blocked(byAge(10));
    other.commit();
    assertThat(step.get().get("deleted").asLong()).isEqualTo(3);
    assertThat(log.row(partition).oldestLiveAt()).isNull();
  }

  @Test
  void aStepThatEmptiesTheOldSegmentsKeepsTheFreshOneItWaitedFor() {
    Instant fresh = log.ago(Duration.ZERO);
    other.begin();
    new TestLog(other).append(partition, fresh, 2);
    Waiting.Elsewhere<JsonNode> step = blocked(byAge(10));
    other.commit();
    assertThat(step.get().get("deleted").asLong()).isEqualTo(2);
    assertThat(log.row(partition).logStart()).isEqualTo(4);
    assertThat(log.row(partition).oldestLiveAt()).isEqualTo(fresh);
  }

  @Test
  void aStepThatWaitedForAnAbortedPushSeesNothingOfIt() {
    other.begin();
    new TestLog(other).append(partition, old, 2);
    Waiting.Elsewhere<JsonNode> step = blocked(byAge(10));
    other.rollback();
    assertThat(step.get().get("deleted").asLong()).isEqualTo(2);
  }

  @Test
  void aStepWaitsForAnotherStepAndGoesOnFromWhereThatEnded() {
    other.begin();
    step(other, 1);
    Waiting.Elsewhere<JsonNode> step = blocked(byAge(1));
    other.commit();
    assertThat(step.get().get("new_log_start").asLong()).isEqualTo(4);
    assertThat(log.history(partition))
        .containsExactly(new History(1, 2, "retention"), new History(1, 2, "retention"));
  }

  @Test
  void aPusherWaitsForTheStep() {
    stepper.begin();
    step(stepper, 10);
    Waiting.Elsewhere<Long> push =
        Waiting.blocked(observer, other, session -> new TestLog(session).append(partition, old, 2));
    stepper.commit();
    assertThat(push.get()).isEqualTo(4);
    assertThat(log.row(partition).oldestLiveAt()).isEqualTo(old);
  }

  @Test
  void aGroupThatJoinsFirstIsWaitedForAndPinsWhatItHasNotCommitted() {
    log.commit(partition, "through", 3);
    other.begin();
    join(other);
    Waiting.Elsewhere<JsonNode> step = blocked(this::byConsumption);
    other.commit();
    assertThat(step.get().get("deleted").asLong()).isZero();
  }

  @Test
  void aGroupThatJoinsLaterWaitsForTheStep() {
    log.commit(partition, "through", 3);
    stepper.begin();
    assertThat(byConsumption(stepper).get("deleted").asLong()).isEqualTo(2);
    Waiting.Elsewhere<Integer> join =
        Waiting.blocked(observer, other, RetentionStepLocksIT.this::join);
    stepper.commit();
    assertThat(join.get()).isEqualTo(1);
  }

  @Test
  void aSeekBackIsWaitedForAndPinsWhatItWentBackTo() {
    log.commit(partition, "group", 3);
    other.begin();
    new TestLog(other).commit(partition, "group", 1);
    Waiting.Elsewhere<JsonNode> step = blocked(this::byConsumption);
    other.commit();
    assertThat(step.get().get("new_log_start").asLong()).isEqualTo(2);
  }

  @Test
  void aPartitionThatVanishesUnderTheWaitIsDone() {
    UUID doomed = log.partition("doomed", "p");
    log.append(doomed, old, 1);
    other.begin();
    other.json("select queen.delete_queue_v1(p_name => 'doomed')");
    Waiting.Elsewhere<JsonNode> step =
        blocked(session -> new TestLog(session).retentionStep(doomed, cutoff(), null, 10));
    other.commit();
    assertThat(step.get().get("deleted").asLong()).isZero();
    assertThat(step.get().get("done").asBoolean()).isTrue();
  }

  @Test
  void aStepHoldsExactlyOnePartition() {
    UUID neighbour = log.partition("locks", UUID.randomUUID().toString());
    log.append(neighbour, old, 1);
    stepper.begin();
    step(stepper, 10);
    assertThat(
            observer.rows(
                "select p.id from queen.log_partitions p where p.id not in"
                    + " (select f.id from queen.log_partitions f for update skip locked)"))
        .extracting(row -> row.get("id"))
        .containsExactly(partition);
    assertThat(
            observer.rows(
                "select q.name from queen.queues q where q.id not in"
                    + " (select f.id from queen.queues f for update skip locked)"))
        .as("the queue row stays free")
        .isEmpty();
    stepper.rollback();
  }

  @Test
  void twoPartitionsAreSteppedSideBySide() {
    UUID neighbour = log.partition("locks", UUID.randomUUID().toString());
    log.append(neighbour, old, 1);
    stepper.begin();
    step(stepper, 10);
    other.run("set lock_timeout = '1ms'");
    JsonNode step = new TestLog(other).retentionStep(neighbour, cutoff(), null, 10);
    assertThat(step.get("deleted").asLong()).isEqualTo(1);
    stepper.rollback();
  }

  @Test
  void aStepThatMayNotWaitFailsAndChangesNothing() {
    other.begin();
    other.run("select 1 from queen.log_partitions where id = ? for update", partition);
    stepper.run("set lock_timeout = '1ms'");
    assertThatExceptionOfType(SqlFailure.class)
        .isThrownBy(() -> step(stepper, 10))
        .extracting(SqlFailure::state)
        .isEqualTo("55P03");
    other.rollback();
    assertThat(log.segments(partition)).hasSize(2);
  }

  @Test
  void aRollbackTakesTheDeleteTheWatermarkAndTheHistoryBackTogether() {
    TestLog.Row before = log.row(partition);
    stepper.begin();
    assertThat(step(stepper, 10).get("deleted").asLong()).isEqualTo(2);
    stepper.rollback();
    assertThat(log.segments(partition)).hasSize(2);
    assertThat(log.row(partition)).isEqualTo(before);
    assertThat(log.history(partition)).isEmpty();
  }

  @Test
  void aTriggerThatRaisesLeavesNothingBehind() {
    observer.run(
        "create function public.poison() returns trigger language plpgsql as"
            + " $$begin raise exception 'poison' using errcode = 'P0001'; end$$");
    observer.run(
        "create trigger poison before insert on queen.retention_history for each row execute function public.poison()");
    try {
      assertThatExceptionOfType(SqlFailure.class)
          .isThrownBy(() -> step(stepper, 10))
          .extracting(SqlFailure::state)
          .isEqualTo("P0001");
    } finally {
      observer.run("drop trigger poison on queen.retention_history");
    }
    assertThat(log.segments(partition)).hasSize(2);
    assertThat(log.row(partition).logStart()).isZero();
  }

  private Waiting.Elsewhere<JsonNode> blocked(Function<Sql, JsonNode> step) {
    return Waiting.blocked(observer, stepper, step);
  }

  private Function<Sql, JsonNode> byAge(int maxRows) {
    return session -> step(session, maxRows);
  }

  private JsonNode step(Sql session, int maxRows) {
    return new TestLog(session).retentionStep(partition, cutoff(), null, maxRows);
  }

  private JsonNode byConsumption(Sql session) {
    return new TestLog(session).retentionStep(partition, null, cutoff(), 10);
  }

  private int join(Sql session) {
    return session.run(
        "insert into queen.log_consumers (partition_id, consumer_group) values (?, 'joining')",
        partition);
  }

  private Instant cutoff() {
    return old.plus(Duration.ofDays(5));
  }
}

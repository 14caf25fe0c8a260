package dev.tidemark.retention.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import dev.tidemark.retention.core.database.InvalidArgumentException;
import dev.tidemark.retention.core.database.NotFoundException;
import dev.tidemark.retention.core.database.UnfitSessionException;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestPush;
import dev.tidemark.retention.sql.BrokerGateway;
import dev.tidemark.retention.sql.BrokerGateway.Acked;
import dev.tidemark.retention.sql.BrokerGateway.Duplicate;
import dev.tidemark.retention.sql.BrokerGateway.Popped;
import dev.tidemark.retention.sql.BrokerGateway.Pushed;
import dev.tidemark.retention.sql.BrokerGateway.Queued;
import dev.tidemark.retention.sql.BrokerGateway.Reader;
import dev.tidemark.retention.sql.BrokerGateway.Repeated;
import dev.tidemark.retention.sql.BrokerGateway.Segment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Push, pop and ack over the gateway: what is bound and what comes back. */
class BrokerGatewayIT {
  private static final Reader READER = new Reader("g", "w");

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private static BrokerGateway broker;
  private String queue;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    log = new TestLog(sql);
    broker = new BrokerGateway(database.pool());
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void aNewQueue() {
    queue = UUID.randomUUID().toString();
  }

  @AfterEach
  void invariantsHold() {
    assertThat(Invariants.broken(sql)).isEmpty();
  }

  @Test
  void aPushIsQueuedWithTheStampOfTheDatabase() {
    assertThat(queued(broker.push(segment("p", "a", "b"))).baseOffset()).isZero();

    Queued second = queued(broker.push(segment("p", "c")));

    assertThat(second.baseOffset()).isEqualTo(2);
    assertThat(second.createdAt())
        .isEqualTo(
            sql.<Instant>value(
                "select s.created_at from queen.log_segments s join queen.log_partitions p on p.id ="
                    + " s.partition_id join queen.queues q on q.id = p.queue_id where q.name = ? and"
                    + " s.base_offset = 2",
                queue));
  }

  @Test
  void aRepeatedMessageIsRefusedWithTheOffsetItHas() {
    broker.push(segment("p", "a", "b"));

    assertThat(broker.push(segment("p", "c", "b", "a")))
        .isEqualTo(
            new Duplicate(
                List.of(new Repeated(1, OptionalLong.of(1)), new Repeated(2, OptionalLong.of(0)))));
    assertThat(broker.push(segment("p", "d", "e", "d", "b")))
        .as("one twice in the push itself, one held")
        .isEqualTo(
            new Duplicate(
                List.of(
                    new Repeated(2, OptionalLong.empty()), new Repeated(3, OptionalLong.of(1)))));
  }

  @Test
  void whatTheCallerHasVerifiedIsNotSearchedAgain() {
    broker.push(segment("p", "a", "b"));

    assertThat(broker.push(verified("p", 1, "a"))).isInstanceOf(Queued.class);
    assertThat(broker.push(verified("p", 0, "b"))).isInstanceOf(Duplicate.class);
  }

  @Test
  void aMultiPushAnswersInTheOrderItWasGivenWhateverTheOrderOfTheLocks() {
    broker.push(segment("p3", "x"));
    for (int round = 0; round < 5; round++) {
      List<Pushed> answers =
          broker.pushMulti(
              List.of(
                  segment("p9", "a" + round),
                  segment("p3", "x"),
                  verified("p5", -1, "b" + round, "c" + round),
                  segment("p1", "d" + round)));

      assertThat(answers).hasSize(4);
      assertThat(queued(answers.get(0)).baseOffset()).isEqualTo(round);
      assertThat(answers.get(1))
          .isEqualTo(new Duplicate(List.of(new Repeated(0, OptionalLong.of(0)))));
      assertThat(queued(answers.get(2)).baseOffset()).isEqualTo(2L * round);
      assertThat(queued(answers.get(3)).baseOffset()).isEqualTo(round);
    }
  }

  @Test
  void bytesArriveAsTheyWereAlsoNone() {
    byte[] every = new byte[256];
    for (int i = 0; i < every.length; i++) {
      every[i] = (byte) i;
    }
    broker.push(new Segment(queue, "p", 1, TestPush.hashes("a"), OptionalLong.empty(), every));
    broker.pushMulti(
        List.of(
            new Segment(queue, "p", 1, TestPush.hashes("b"), OptionalLong.empty(), new byte[0])));

    assertThat(pop(Optional.of("p"), 10))
        .extracting(Popped::blob)
        .containsExactly(every, new byte[0]);
  }

  @Test
  void aBatchMayBeginAndEndInTheMiddleOfASegmentAndIsAcked() {
    broker.push(segment("p", "a", "b", "c"));
    broker.push(segment("p", "d", "e"));

    List<Popped> batch = pop(Optional.empty(), 4);
    assertThat(batch)
        .extracting(Popped::fromOffset, Popped::toOffset, Popped::baseOffset, Popped::endOffset)
        .containsExactly(Assertions.tuple(0L, 2L, 0L, 2L), Assertions.tuple(3L, 3L, 3L, 4L));
    UUID partition = batch.get(0).partitionId();
    assertThat(pop(Optional.empty(), 4)).as("leased").isEmpty();
    assertThat(broker.ack(partition, new Reader("g", "another"), 3))
        .isEqualTo(new Acked(false, OptionalLong.of(-1)));
    assertThat(broker.ackByHash(partition, READER, TestPush.hashes("b")))
        .isEqualTo(new Acked(true, OptionalLong.of(1)));
    assertThat(broker.ackByHash(partition, READER, TestPush.hashes("unknown")))
        .isEqualTo(new Acked(false, OptionalLong.of(1)));
    assertThat(broker.ack(partition, READER, 3)).isEqualTo(new Acked(true, OptionalLong.of(3)));
    assertThat(broker.ack(partition, new Reader("nobody", "w"), 3))
        .isEqualTo(new Acked(false, OptionalLong.empty()));
    assertThat(pop(Optional.of("p"), 10)).extracting(Popped::fromOffset).containsExactly(4L);
    assertThat(pop(Optional.of("nowhere"), 10)).isEmpty();
  }

  @Test
  void theLeaseLastsAsLongAsAskedForOrAsTheQueueSays() {
    log.configure(queue, "{\"leaseTime\": 77}");
    broker.push(segment("p", "a"));
    broker.push(segment("q", "a"));

    pop(Optional.of("p"), 1);
    broker.pop(queue, Optional.of("q"), READER, 1, OptionalInt.of(5));

    assertThat(
            sql.rows(
                "select extract(epoch from c.lease_expires_at - c.lease_acquired_at)::int as s from"
                    + " queen.log_consumers c join queen.log_partitions p on p.id = c.partition_id"
                    + " join queen.queues q on q.id = p.queue_id where q.name = ? order by p.name",
                queue))
        .extracting(row -> row.get("s"))
        .containsExactly(77, 5);
  }

  @Test
  void errorsNameTheArgument() {
    assertThat(
            catchThrowableOfType(
                InvalidArgumentException.class,
                () ->
                    broker.push(
                        new Segment(
                            queue, "p", 2, new byte[16], OptionalLong.empty(), new byte[0]))))
        .hasMessageContaining("p_hashes");
    assertThat(
            catchThrowableOfType(InvalidArgumentException.class, () -> broker.pushMulti(List.of())))
        .hasMessageContaining("same length");
    assertThat(
            catchThrowableOfType(
                InvalidArgumentException.class,
                () -> broker.pushMulti(List.of(segment("p", "a"), segment("p", "b")))))
        .hasMessageContaining("distinct");
    assertThat(
            catchThrowableOfType(
                InvalidArgumentException.class,
                () -> broker.ackByHash(UUID.randomUUID(), READER, new byte[3])))
        .hasMessageContaining("p_hash");
    assertThat(catchThrowable(() -> pop(Optional.empty(), 1)))
        .isInstanceOf(NotFoundException.class);
    broker.push(segment("p", "a"));
    assertThat(catchThrowableOfType(InvalidArgumentException.class, () -> pop(Optional.empty(), 0)))
        .hasMessageContaining("p_max_messages");
  }

  @Test
  void anotherIsolationLevelIsRefused() {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(database.url());
    pool.setMaximumPoolSize(1);
    pool.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
    try (pool) {
      assertThat(catchThrowable(() -> new BrokerGateway(pool).push(segment("p", "a"))))
          .isInstanceOf(UnfitSessionException.class);
    }
  }

  @Test
  void aVanishedPartitionIsPushedIntoAnew() {
    broker.push(segment("p", "a"));
    log.retentionStep(log.partition(queue, "p"), log.ago(Duration.ZERO), null, 10);
    sql.json("select queen.delete_queue_v1(?)", queue);

    assertThat(queued(broker.push(segment("p", "a"))).baseOffset()).isZero();
  }

  private List<Popped> pop(Optional<String> partition, int messages) {
    return broker.pop(queue, partition, READER, messages, OptionalInt.empty());
  }

  private Segment segment(String partition, String... words) {
    return new Segment(
        queue,
        partition,
        words.length,
        TestPush.hashes(words),
        OptionalLong.empty(),
        TestPush.blob(words));
  }

  private Segment verified(String partition, long offset, String... words) {
    return new Segment(
        queue,
        partition,
        words.length,
        TestPush.hashes(words),
        OptionalLong.of(offset),
        TestPush.blob(words));
  }

  private static Queued queued(Pushed pushed) {
    assertThat(pushed).isInstanceOf(Queued.class);
    return (Queued) pushed;
  }
}

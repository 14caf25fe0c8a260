package dev.tidemark.retention.sql;

import static org.jooq.impl.DSL.val;
import static org.jooq.impl.SQLDataType.BIGINT;
import static org.jooq.impl.SQLDataType.BOOLEAN;
import static org.jooq.impl.SQLDataType.CLOB;
import static org.jooq.impl.SQLDataType.INTEGER;

import dev.tidemark.retention.sql.queen.Routines;
import dev.tidemark.retention.sql.queen.tables.LogPopV1;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import javax.sql.DataSource;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.Record;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * The broker's side of the log: push, pop, ack. Thread-safe; every call borrows a connection and is
 * one statement that commits by itself, so what it locks is free when it returns.
 *
 * <p>Errors as in {@link SqlStates}. Nothing is retried here: after a {@link
 * dev.tidemark.retention.core.database.DatabaseUnavailableException} the call may or may not have
 * been committed, and only the caller knows what a second one means. A repeated push is refused as
 * a {@link Duplicate} while the queue's {@code dedupWindowSeconds} last, and a repeated ack changes
 * nothing. The pool's default isolation level has to be READ COMMITTED; at another one every call
 * is an {@link dev.tidemark.retention.core.database.UnfitSessionException}.
 */
public final class BrokerGateway {
  private static final Field<String> STATUS = JsonCall.key("status", CLOB);
  private static final Field<Long> BASE_OFFSET = JsonCall.key("baseOffset", BIGINT);
  private static final Field<OffsetDateTime> CREATED_AT =
      JsonCall.key("createdAt", SQLDataType.TIMESTAMPWITHTIMEZONE);
  private static final Field<Integer[]> DUP_MESSAGES =
      JsonCall.keys("dups", "i", INTEGER).as("dupMessages");
  private static final Field<Long[]> DUP_OFFSETS =
      JsonCall.keys("dups", "off", BIGINT).as("dupOffsets");
  private static final Field<?>[] PUSHED = {
    STATUS, BASE_OFFSET, CREATED_AT, DUP_MESSAGES, DUP_OFFSETS
  };

  private static final Field<Boolean> ACKED = JsonCall.key("acked", BOOLEAN);
  private static final Field<Long> COMMITTED = JsonCall.key("committed", BIGINT);

  private final DataSource dataSource;

  public BrokerGateway(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /**
   * Pushes one segment: {@code queen.log_push_one_v1}. Queue and partition are created on first
   * contact. Locks the partition row while it runs.
   *
   * @throws dev.tidemark.retention.core.database.InvalidArgumentException naming the argument
   * @throws dev.tidemark.retention.core.database.StepFailedException TM007: the partition was
   *     deleted in this moment, a second push creates it anew; TM006: offsets would run out
   */
  public Pushed push(Segment segment) {
    try (Session session = Session.open(dataSource)) {
      return session.autocommit(
          dsl ->
              pushed(
                  JsonCall.call(
                      dsl,
                      Routines.logPushOneV1(
                          val(segment.queue()),
                          val(segment.partition()),
                          val(segment.messages()),
                          val(segment.hashes()),
                          val(verified(segment), BIGINT),
                          val(segment.blob())),
                      PUSHED)));
    }
  }

  /**
   * Pushes one segment into each of several partitions, in one transaction: {@code
   * queen.log_push_multi_v1}. Segments with duplicates are refused, the others are queued all the
   * same. Locks all partition rows while it runs, in ascending order of their ids.
   *
   * @param segments at least one; no two of the same partition
   * @return the answers in the order of the segments
   * @throws dev.tidemark.retention.core.database.InvalidArgumentException naming the argument
   * @throws dev.tidemark.retention.core.database.StepFailedException as {@link #push}; then nothing
   *     was pushed
   */
  public List<Pushed> pushMulti(List<Segment> segments) {
    Field<JSONB> function =
        Routines.logPushMultiV1(
            val(array(segments, Segment::queue, String[]::new)),
            val(array(segments, Segment::partition, String[]::new)),
            val(array(segments, Segment::messages, Integer[]::new)),
            ByteArrays.of(segments, Segment::hashes),
            val(array(segments, BrokerGateway::verified, Long[]::new)),
            ByteArrays.of(segments, Segment::blob));
    try (Session session = Session.open(dataSource)) {
      return session.autocommit(
          dsl -> JsonCall.callForArray(dsl, function, BrokerGateway::pushed, PUSHED));
    }
  }

  private static <T extends @Nullable Object> T[] array(
      List<Segment> segments, Function<Segment, T> part, IntFunction<T[]> make) {
    return segments.stream().map(part).toArray(make);
  }

  private static @Nullable Long verified(Segment segment) {
    return segment.verified().isPresent() ? segment.verified().getAsLong() : null;
  }

  private static Pushed pushed(Record answer) {
    if (answer.get(STATUS).equals("queued")) {
      return new Queued(answer.get(BASE_OFFSET), answer.get(CREATED_AT).toInstant());
    }
    Integer[] messages = answer.get(DUP_MESSAGES);
    @Nullable Long[] offsets = answer.get(DUP_OFFSETS);
    List<Repeated> repeated = new ArrayList<>();
    for (int i = 0; i < messages.length; i++) {
      Long offset = offsets[i];
      repeated.add(
          new Repeated(
              messages[i], offset == null ? OptionalLong.empty() : OptionalLong.of(offset)));
    }
    return new Duplicate(repeated);
  }

  /**
   * Leases the next messages of one partition to a worker of a group: {@code queen.log_pop_v1}. The
   * first pop makes the group a cursor. Locks the cursor row while it runs; the lease outlives it.
   *
   * @param partition a name; empty = any that has work, the one with the oldest data first
   * @param maxMessages the most that is leased; at least 1
   * @param leaseSeconds how long; empty = the queue's {@code leaseTime}
   * @return one row a segment touched, of one partition, in log order; none: nothing to do now
   * @throws dev.tidemark.retention.core.database.InvalidArgumentException naming the argument
   * @throws dev.tidemark.retention.core.database.NotFoundException when there is no such queue
   */
  public List<Popped> pop(
      String queue,
      Optional<String> partition,
      Reader reader,
      int maxMessages,
      OptionalInt leaseSeconds) {
    LogPopV1 p = LogPopV1.LOG_POP_V1;
    Integer lease = leaseSeconds.isPresent() ? leaseSeconds.getAsInt() : null;
    try (Session session = Session.open(dataSource)) {
      return session.autocommit(
          dsl ->
              dsl.selectFrom(
                      p.call(
                          val(queue),
                          val(partition.orElse(null), CLOB),
                          val(reader.group()),
                          val(reader.worker()),
                          val(maxMessages),
                          val(lease, INTEGER)))
                  .fetch(
                      row ->
                          new Popped(
                              row.get(p.PARTITION_ID),
                              row.get(p.FROM_OFFSET),
                              row.get(p.TO_OFFSET),
                              row.get(p.BASE_OFFSET),
                              row.get(p.END_OFFSET),
                              row.get(p.CREATED_AT).toInstant(),
                              row.get(p.BLOB))));
    }
  }

  /**
   * Commits everything up to and including an offset of the leased batch: {@code queen.log_ack_v1}.
   * Locks the cursor row while it runs.
   *
   * @throws dev.tidemark.retention.core.database.InvalidArgumentException naming the argument
   */
  public Acked ack(UUID partitionId, Reader reader, long offset) {
    return ack(
        Routines.logAckV1(
            val(partitionId), val(reader.group()), val(reader.worker()), val(offset)));
  }

  /**
   * The same for a worker that knows only the message's hash: {@code queen.log_ack_by_hash_v1}. One
   * that is unknown, or purged since, is not acked.
   *
   * @param hash the 16 bytes it was pushed with
   * @throws dev.tidemark.retention.core.database.InvalidArgumentException naming the argument
   */
  public Acked ackByHash(UUID partitionId, Reader reader, byte[] hash) {
    return ack(
        Routines.logAckByHashV1(
            val(partitionId), val(reader.group()), val(reader.worker()), val(hash)));
  }

  private Acked ack(Field<JSONB> function) {
    try (Session session = Session.open(dataSource)) {
      Record answer = session.autocommit(dsl -> JsonCall.call(dsl, function, ACKED, COMMITTED));
      Long committed = answer.get(COMMITTED);
      return new Acked(
          answer.get(ACKED), committed == null ? OptionalLong.empty() : OptionalLong.of(committed));
    }
  }

  /**
   * A segment to push. The arrays are not copied.
   *
   * @param hashes 16 bytes a message, in frame order
   * @param verified no offset of the partition at or below it holds one of these hashes; empty =
   *     nothing is known
   * @param blob the messages; opaque to SQL
   */
  public record Segment(
      String queue,
      String partition,
      int messages,
      byte[] hashes,
      OptionalLong verified,
      byte[] blob) {}

  /** What became of a pushed segment. */
  public sealed interface Pushed permits Queued, Duplicate {}

  /**
   * It is in the log.
   *
   * @param baseOffset of its first message
   * @param createdAt the database's stamp, never before the partition's last one
   */
  public record Queued(long baseOffset, Instant createdAt) implements Pushed {}

  /** Nothing of it is in the log: these messages are there already, or twice in it. */
  public record Duplicate(List<Repeated> messages) implements Pushed {}

  /**
   * A message of a refused segment.
   *
   * @param message its place in the segment, from 0
   * @param offset where the log holds it; empty when the first one is in the segment itself
   */
  public record Repeated(int message, OptionalLong offset) {}

  /** Who reads: a worker of a group. */
  public record Reader(String group, String worker) {}

  /**
   * Leased messages [fromOffset, toOffset] of the segment [baseOffset, endOffset], whose blob holds
   * them all.
   */
  public record Popped(
      UUID partitionId,
      long fromOffset,
      long toOffset,
      long baseOffset,
      long endOffset,
      Instant createdAt,
      byte[] blob) {}

  /**
   * What became of an ack.
   *
   * @param acked false: the lease is another's, or the offset is not in it
   * @param committed the last offset done, -1 = none; empty: the group has no cursor there
   */
  public record Acked(boolean acked, OptionalLong committed) {}
}

package dev.tidemark.retention.sql;

import static org.jooq.impl.DSL.val;

import dev.tidemark.retention.sql.queen.tables.LogInvariantsV1;
import dev.tidemark.retention.sql.queen.tables.QueueCursorsV1;
import dev.tidemark.retention.sql.queen.tables.QueueHistoryV1;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * What somebody asks who wants to see for himself: the invariants, the cursors, the deletions one
 * by one. Thread-safe; takes no lock. Errors as in {@link SqlStates}.
 */
public final class AuditGateway {
  private final DataSource dataSource;

  public AuditGateway(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /**
   * What is broken in the tables, over all partitions: {@code queen.log_invariants_v1}; none = all
   * that one look can tell holds. Reads every segment's metadata.
   */
  public List<Broken> brokenInvariants() {
    LogInvariantsV1 b = LogInvariantsV1.LOG_INVARIANTS_V1;
    try (Session session = Session.open(dataSource)) {
      return session.autocommit(
          dsl ->
              dsl.selectFrom(b.call())
                  .fetch(
                      row ->
                          new Broken(
                              row.get(b.PARTITION_ID), row.get(b.INVARIANT), row.get(b.BROKEN))));
    }
  }

  /**
   * A queue's partitions, each with the cursors in it: {@code queen.queue_cursors_v1}, one
   * snapshot.
   *
   * @throws dev.tidemark.retention.core.database.NotFoundException when there is no such queue
   */
  public List<PartitionCursors> cursors(String queue) {
    QueueCursorsV1 c = QueueCursorsV1.QUEUE_CURSORS_V1;
    List<PartitionCursors> partitions = new ArrayList<>();
    try (Session session = Session.open(dataSource)) {
      session
          .autocommit(dsl -> dsl.selectFrom(c.call(val(queue))).fetch())
          .forEach(
              row -> {
                UUID id = row.get(c.PARTITION_ID);
                if (partitions.isEmpty() || !last(partitions).id().equals(id)) {
                  partitions.add(
                      new PartitionCursors(
                          id,
                          row.get(c.PARTITION_NAME),
                          row.get(c.LOG_START),
                          row.get(c.TXNS_START),
                          row.get(c.LAST_OFFSET),
                          Times.instant(row.get(c.OLDEST_LIVE_AT)),
                          new ArrayList<>()));
                }
                if (row.get(c.CONSUMER_GROUP) != null) {
                  last(partitions)
                      .cursors()
                      .add(new Cursor(row.get(c.CONSUMER_GROUP), row.get(c.COMMITTED)));
                }
              });
    }
    return partitions;
  }

  private static PartitionCursors last(List<PartitionCursors> partitions) {
    return partitions.get(partitions.size() - 1);
  }

  /**
   * A page of a queue's deletions, in the order of their ids: {@code queen.queue_history_v1}. Fewer
   * than asked for: the end.
   *
   * @param after the last id seen; empty = from the beginning
   * @throws dev.tidemark.retention.core.database.NotFoundException when there is no such queue
   */
  public List<Deletion> deletions(String queue, OptionalLong after, int maxRows) {
    QueueHistoryV1 h = QueueHistoryV1.QUEUE_HISTORY_V1;
    try (Session session = Session.open(dataSource)) {
      return session.autocommit(
          dsl ->
              dsl.selectFrom(h.call(val(queue), val(after.orElse(0)), val(maxRows)))
                  .fetch(
                      row ->
                          new Deletion(
                              row.get(h.ID),
                              row.get(h.PARTITION_ID),
                              row.get(h.RETENTION_TYPE),
                              row.get(h.SEGMENTS_DELETED),
                              row.get(h.MESSAGES_DELETED))));
    }
  }

  /** A violation. {@code invariant} is its number; {@code broken} says what was found. */
  public record Broken(UUID partitionId, int invariant, String broken) {}

  /**
   * Where a partition's log and sidecar begin and end, and how far each group is.
   *
   * @param oldestLiveAt {@code null} when nothing is live
   * @param cursors by group; none where nobody reads
   */
  public record PartitionCursors(
      UUID id,
      String name,
      long logStart,
      long txnsStart,
      long lastOffset,
      @Nullable Instant oldestLiveAt,
      List<Cursor> cursors) {}

  /** {@code committed}: the last offset done, -1 = none. */
  public record Cursor(String group, long committed) {}

  /** One deleting step, or an event of the partition itself ({@code __x__}). */
  public record Deletion(long id, UUID partitionId, String rule, long segments, long messages) {}
}

package dev.tidemark.retention.sql;

import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.val;
import static org.jooq.impl.SQLDataType.BIGINT;
import static org.jooq.impl.SQLDataType.BOOLEAN;
import static org.jooq.impl.SQLDataType.CLOB;
import static org.jooq.impl.SQLDataType.INTEGER;

import dev.tidemark.retention.sql.queen.Routines;
import dev.tidemark.retention.sql.queen.tables.QueuePartitionsV1;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.Record;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Queues and their partitions. Thread-safe; every call borrows a connection. Errors as in {@link
 * SqlStates}.
 */
public final class QueueGateway {
  private static final Field<String> NAMESPACE = JsonCall.key("namespace", CLOB);
  private static final Field<String> TASK = JsonCall.key("task", CLOB);
  private static final Field<Boolean> ENABLED = JsonCall.key("retentionEnabled", BOOLEAN);
  private static final Field<Integer> RETENTION = JsonCall.key("retentionSeconds", INTEGER);
  private static final Field<Integer> COMPLETED =
      JsonCall.key("completedRetentionSeconds", INTEGER);
  private static final Field<Integer> MAX_WAIT = JsonCall.key("maxWaitTimeSeconds", INTEGER);
  private static final Field<Integer> DEDUP = JsonCall.key("dedupWindowSeconds", INTEGER);
  private static final Field<Integer> LEASE = JsonCall.key("leaseTime", INTEGER);
  private static final Field<Integer> RETRIES = JsonCall.key("retryLimit", INTEGER);
  private static final Field<?>[] OPTIONS = {
    NAMESPACE, TASK, ENABLED, RETENTION, COMPLETED, MAX_WAIT, DEDUP, LEASE, RETRIES
  };

  private final DataSource dataSource;

  public QueueGateway(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /**
   * Creates a queue or edits its options: {@code queen.configure_queue_v1}.
   *
   * @param options by key; a value is a String, a Boolean, a BigDecimal, or {@code null} = the
   *     default
   * @throws dev.tidemark.retention.core.database.InvalidArgumentException naming the option;
   *     nothing changed
   */
  public QueueOptions configure(String queue, Map<String, @Nullable Object> options) {
    Field<?>[] entries =
        options.entrySet().stream()
            .flatMap(e -> Stream.of(inline(e.getKey()), scalar(e.getValue())))
            .toArray(Field<?>[]::new);
    Field<JSONB> object = Session.server("jsonb_build_object", SQLDataType.JSONB, entries);
    try (Session session = Session.open(dataSource)) {
      Record answer =
          session.autocommit(
              dsl -> JsonCall.call(dsl, Routines.configureQueueV1(val(queue), object), OPTIONS));
      return new QueueOptions(
          answer.get(NAMESPACE),
          answer.get(TASK),
          answer.get(ENABLED),
          answer.get(RETENTION),
          answer.get(COMPLETED),
          answer.get(MAX_WAIT),
          answer.get(DEDUP),
          answer.get(LEASE),
          answer.get(RETRIES));
    }
  }

  private static Field<?> scalar(@Nullable Object value) {
    if (value == null) {
      return DSL.castNull(SQLDataType.JSONB);
    }
    if (value instanceof BigDecimal number) {
      return val(number, SQLDataType.NUMERIC);
    }
    if (value instanceof String || value instanceof Boolean) {
      return val(value);
    }
    throw new IllegalArgumentException(
        "an option is a String, a Boolean, a BigDecimal or null, not " + value.getClass());
  }

  /** Removes a queue and all it holds: {@code queen.delete_queue_v1}; false when there was none. */
  public boolean delete(String queue) {
    Field<Boolean> deleted = JsonCall.key("deleted", BOOLEAN);
    try (Session session = Session.open(dataSource)) {
      return session.transaction(
          dsl -> JsonCall.call(dsl, Routines.deleteQueueV1(val(queue)), deleted).get(deleted));
    }
  }

  /**
   * Removes a consumer group: {@code queen.log_group_delete_v1}; the number of cursors that went.
   */
  public long deleteGroup(String queue, String group) {
    Field<Long> deleted = JsonCall.key("deleted", BIGINT);
    Field<JSONB> function = Routines.logGroupDeleteV1(val(queue), val(group));
    try (Session session = Session.open(dataSource)) {
      return session.autocommit(dsl -> JsonCall.call(dsl, function, deleted).get(deleted));
    }
  }

  /**
   * Lists a queue's partitions by name: {@code queen.queue_partitions_v1}.
   *
   * @throws dev.tidemark.retention.core.database.NotFoundException when there is no such queue
   */
  public List<PartitionLog> partitions(String queue) {
    QueuePartitionsV1 p = QueuePartitionsV1.QUEUE_PARTITIONS_V1;
    try (Session session = Session.open(dataSource)) {
      return session.autocommit(
          dsl ->
              dsl.selectFrom(p.call(val(queue)))
                  .fetch(
                      row ->
                          new PartitionLog(
                              row.get(p.PARTITION_ID),
                              row.get(p.PARTITION_NAME),
                              row.get(p.LOG_START),
                              row.get(p.LAST_OFFSET))));
    }
  }

  /**
   * Where a partition's log begins and ends: live offsets are [logStart, lastOffset], none when
   * logStart is past it.
   */
  public record PartitionLog(UUID id, String name, long logStart, long lastOffset) {
    public long liveMessages() {
      return lastOffset - logStart + 1;
    }
  }
}

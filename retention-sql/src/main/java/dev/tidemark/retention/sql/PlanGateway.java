package dev.tidemark.retention.sql;

import static org.jooq.impl.DSL.val;

import dev.tidemark.retention.core.plan.QueueRule;
import dev.tidemark.retention.sql.queen.tables.LogCleanupPreviewV1;
import dev.tidemark.retention.sql.queen.tables.LogRetentionPreviewV1;
import dev.tidemark.retention.sql.queen.tables.LogRulesV1;
import dev.tidemark.retention.sql.queen.tables.WorkerMetricsPreviewV1;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * What a cycle would delete if it began now, and drained all that is due. Every answer is of one
 * snapshot and one clock, taken in a transaction in which the server refuses to write or to lock a
 * row. Thread-safe.
 */
public final class PlanGateway {
  private static final int MOST_ROWS_COUNTED = 100_000;

  private final DataSource dataSource;

  public PlanGateway(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /**
   * Plans one queue, or all.
   *
   * @param queue {@code null} = all; samples and history belong to no queue and are counted only
   *     then. A queue that does not exist has no rule
   * @param cleanupAfter silence before an empty partition goes; {@code null} = none goes
   * @param metricsKept how long samples and history stay
   */
  public Plan plan(@Nullable String queue, @Nullable Duration cleanupAfter, Duration metricsKept) {
    try (Session session = Session.open(dataSource)) {
      return session.snapshot(
          dsl -> {
            OffsetDateTime now =
                dsl.select(Session.server("now", SQLDataType.TIMESTAMPWITHTIMEZONE))
                    .fetchSingle()
                    .value1();
            return new Plan(
                now.toInstant(),
                rules(dsl, queue),
                partitions(dsl, queue),
                cleanup(dsl, queue, cleanupAfter == null ? null : now.minus(cleanupAfter)),
                queue == null ? oldRows(dsl, now.minus(metricsKept)) : List.of());
          });
    }
  }

  private static List<QueueRule> rules(DSLContext dsl, @Nullable String queue) {
    LogRulesV1 r = LogRulesV1.LOG_RULES_V1;
    return dsl
        .selectFrom(r.call(DSL.castNull(SQLDataType.UUID.array())))
        .orderBy(r.QUEUE_NAME)
        .fetch(Rules::of)
        .stream()
        .filter(rule -> queue == null || queue.equals(rule.queueName()))
        .toList();
  }

  private static List<Preview> partitions(DSLContext dsl, @Nullable String queue) {
    LogRetentionPreviewV1 p = LogRetentionPreviewV1.LOG_RETENTION_PREVIEW_V1;
    return dsl.selectFrom(p.call(val(queue)))
        .fetch(
            row ->
                new Preview(
                    row.get(p.QUEUE_NAME),
                    row.get(p.PARTITION_NAME),
                    row.get(p.RULE),
                    row.get(p.SEGMENTS),
                    row.get(p.MESSAGES),
                    row.get(p.REASON)));
  }

  private static List<EmptyPartition> cleanup(
      DSLContext dsl, @Nullable String queue, @Nullable OffsetDateTime cutoff) {
    LogCleanupPreviewV1 c = LogCleanupPreviewV1.LOG_CLEANUP_PREVIEW_V1;
    return dsl.selectFrom(c.call(val(queue), val(cutoff)))
        .fetch(
            row ->
                new EmptyPartition(
                    row.get(c.QUEUE_NAME),
                    row.get(c.PARTITION_NAME),
                    row.get(c.LAST_WRITE_AT).toInstant(),
                    row.get(c.REASON)));
  }

  private static List<OldRows> oldRows(DSLContext dsl, OffsetDateTime cutoff) {
    WorkerMetricsPreviewV1 m = WorkerMetricsPreviewV1.WORKER_METRICS_PREVIEW_V1;
    return dsl.selectFrom(m.call(val(cutoff), val(MOST_ROWS_COUNTED)))
        .fetch(
            row ->
                new OldRows(
                    row.get(m.TABLE_NAME), row.get(m.ROWS), row.get(m.ROWS) >= MOST_ROWS_COUNTED));
  }

  /**
   * What would go.
   *
   * @param lookedAt the database's clock, from which all cutoffs are computed
   * @param rules the cutoffs of the queues planned for, by name
   * @param partitions what phases 1 to 3 would delete, and what is held
   * @param empty the partitions that phase 4 would delete
   * @param oldRows what phase 5 would delete, a table each
   */
  public record Plan(
      Instant lookedAt,
      List<QueueRule> rules,
      List<Preview> partitions,
      List<EmptyPartition> empty,
      List<OldRows> oldRows) {}

  /** A partition and rule of {@code queen.log_retention_preview_v1}; {@code rule} may be held. */
  public record Preview(
      String queue, String partition, String rule, long segments, long messages, String reason) {}

  /** A partition without data, or one that the same cycle empties. */
  public record EmptyPartition(
      String queue, String partition, Instant lastWriteAt, String reason) {}

  /** Rows of a table past the metrics window; {@code capped}: at least so many. */
  public record OldRows(String table, long rows, boolean capped) {}
}

package dev.tidemark.retention.sql;

import static org.jooq.impl.DSL.val;

import dev.tidemark.retention.sql.queen.Routines;
import dev.tidemark.retention.sql.queen.tables.LeaseStatusV1;
import dev.tidemark.retention.sql.queen.tables.RetentionHistoryTotalsV1;
import dev.tidemark.retention.sql.queen.tables.RetentionPinsV1;
import dev.tidemark.retention.sql.queen.tables.RetentionStatusV1;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

/**
 * What an operator asks: what is held, for how long, what went, when. Thread-safe; takes no lock.
 */
public final class StatusGateway {
  private final DataSource dataSource;

  public StatusGateway(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /** One row a queue, by name: {@code queen.retention_status_v1}. */
  public List<QueueStatus> queues() {
    RetentionStatusV1 s = RetentionStatusV1.RETENTION_STATUS_V1;
    try (Session session = Session.open(dataSource)) {
      return session.autocommit(dsl -> dsl.selectFrom(s.call()).fetch(row -> status(row, s)));
    }
  }

  private static QueueStatus status(Record row, RetentionStatusV1 s) {
    return new QueueStatus(
        row.get(s.QUEUE_NAME),
        new Windows(
            row.get(s.RETENTION_ENABLED),
            row.get(s.RETENTION_SECONDS),
            row.get(s.COMPLETED_RETENTION_SECONDS),
            row.get(s.MAX_WAIT_TIME_SECONDS)),
        new Held(
            row.get(s.PARTITIONS),
            row.get(s.LIVE_PARTITIONS),
            row.get(s.LIVE_SEGMENTS),
            row.get(s.LIVE_MESSAGES),
            Times.instant(row.get(s.OLDEST_LIVE_AT)),
            row.get(s.SIDECAR_ROWS),
            row.get(s.UNREAD_PARTITIONS)),
        new Due(row.get(s.DUE_RETENTION), row.get(s.DUE_TXNS), row.get(s.DUE_MAX_WAIT)));
  }

  /** The history summed by queue and rule: {@code queen.retention_history_totals_v1}. */
  public List<HistoryTotal> history(@Nullable Instant since) {
    RetentionHistoryTotalsV1 h = RetentionHistoryTotalsV1.RETENTION_HISTORY_TOTALS_V1;
    try (Session session = Session.open(dataSource)) {
      return session.autocommit(
          dsl ->
              dsl.selectFrom(h.call(val(Times.timestamptz(since))))
                  .fetch(
                      row ->
                          new HistoryTotal(
                              row.get(h.QUEUE_NAME),
                              row.get(h.RETENTION_TYPE),
                              row.get(h.SEGMENTS_DELETED),
                              row.get(h.MESSAGES_DELETED))));
    }
  }

  /** The schedule, one row a task: {@code queen.lease_status_v1}. */
  public List<TaskStatus> tasks() {
    try (Session session = Session.open(dataSource)) {
      return session.autocommit(StatusGateway::tasks);
    }
  }

  /** {@link #tasks()}, with the database's clock to hold them against. */
  public Schedule schedule() {
    try (Session session = Session.open(dataSource)) {
      List<TaskStatus> tasks = session.autocommit(StatusGateway::tasks);
      return new Schedule(Times.databaseNow(session), tasks);
    }
  }

  private static List<TaskStatus> tasks(DSLContext dsl) {
    LeaseStatusV1 l = LeaseStatusV1.LEASE_STATUS_V1;
    return dsl.selectFrom(l.call())
        .fetch(
            row ->
                new TaskStatus(
                    row.get(l.TASK),
                    row.get(l.ENABLED),
                    row.get(l.PERIOD_MS),
                    row.get(l.NEXT_DUE_AT).toInstant(),
                    row.get(l.HOLDER),
                    Times.instant(row.get(l.LEASE_UNTIL)),
                    Times.instant(row.get(l.LAST_START_AT)),
                    Times.instant(row.get(l.LAST_END_AT)),
                    row.get(l.LAST_DURATION_MS),
                    row.get(l.RUNS)));
  }

  /**
   * Which group holds back what rule 2 would delete by now, the one that pins most first: {@code
   * queen.retention_pins_v1}.
   *
   * @param maxPartitions looked at in each queue, the oldest first
   */
  public List<Pin> pins(@Nullable String queue, int maxPartitions) {
    RetentionPinsV1 p = RetentionPinsV1.RETENTION_PINS_V1;
    try (Session session = Session.open(dataSource)) {
      return session.autocommit(
          dsl ->
              dsl.selectFrom(p.call(val(queue), val(maxPartitions)))
                  .fetch(
                      row ->
                          new Pin(
                              row.get(p.QUEUE_NAME),
                              row.get(p.CONSUMER_GROUP),
                              row.get(p.PARTITIONS),
                              row.get(p.ALONE),
                              row.get(p.MESSAGES_BEHIND),
                              row.get(p.OLDEST_LIVE_AT).toInstant(),
                              row.get(p.CAPPED))));
    }
  }

  /** Records a cycle that ran beside the schedule: {@code queen.lease_note_cycle_v1}. */
  public void noteCycle(String task, Duration period, Duration duration) {
    try (Session session = Session.open(dataSource)) {
      session.autocommit(
          dsl -> {
            Routines.leaseNoteCycleV1(
                dsl.configuration(), task, period.toMillis(), duration.toMillis());
            return true;
          });
    }
  }

  /** A queue's windows in seconds; 0 = off. */
  public record Windows(
      boolean retentionEnabled, int retention, int completedRetention, int maxWait) {}

  /**
   * What a queue holds.
   *
   * @param liveSegments exact where segments are packed evenly, an estimate elsewhere; so is {@code
   *     sidecarRows}
   * @param liveMessages exact
   * @param unreadPartitions partitions with data and no cursor
   */
  public record Held(
      long partitions,
      long livePartitions,
      long liveSegments,
      BigDecimal liveMessages,
      @Nullable Instant oldestLiveAt,
      long sidecarRows,
      long unreadPartitions) {}

  /** Partitions past their cutoff now, per phase. */
  public record Due(long retention, long txns, long maxWait) {}

  public record QueueStatus(String queue, Windows windows, Held held, Due due) {}

  public record HistoryTotal(
      @Nullable String queue, String rule, BigDecimal segments, BigDecimal messages) {}

  /**
   * A group that holds data past rule 2's window.
   *
   * @param group {@code null} = no group has a cursor there
   * @param partitions whose head segment waits for it
   * @param alone of those, the ones that no other group holds too
   * @param messagesBehind live messages in them that it has not committed
   * @param oldestLiveAt of the oldest of them
   * @param capped the look ended before the queue did: it may hold more
   */
  public record Pin(
      String queue,
      @Nullable String group,
      long partitions,
      long alone,
      BigDecimal messagesBehind,
      Instant oldestLiveAt,
      boolean capped) {}

  /** The tasks at one moment of the database's clock. */
  public record Schedule(Instant lookedAt, List<TaskStatus> tasks) {}

  /**
   * A task of the schedule.
   *
   * @param holder who has claimed it; {@code null} = nobody. So is {@code leaseUntil}
   * @param leaseUntil may be past: the holder is gone, and the task free
   * @param lastStartAt {@code null} = it was never begun
   * @param lastEndAt when its last cycle ended well; {@code null} = none has
   * @param lastDurationMs {@code null} with lastEndAt
   * @param runs cycles of the schedule; those of {@code once} are not counted
   */
  public record TaskStatus(
      String task,
      boolean enabled,
      long periodMs,
      Instant nextDueAt,
      @Nullable String holder,
      @Nullable Instant leaseUntil,
      @Nullable Instant lastStartAt,
      @Nullable Instant lastEndAt,
      @Nullable Long lastDurationMs,
      long runs) {}
}

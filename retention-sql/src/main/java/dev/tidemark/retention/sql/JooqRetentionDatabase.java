package dev.tidemark.retention.sql;

import static org.jooq.impl.DSL.val;

import dev.tidemark.retention.core.database.RetentionDatabase;
import dev.tidemark.retention.core.database.StepSession;
import dev.tidemark.retention.core.database.TailSession;
import dev.tidemark.retention.core.database.WalkSession;
import dev.tidemark.retention.core.plan.DuePartition;
import dev.tidemark.retention.core.plan.Lane;
import dev.tidemark.retention.core.plan.Position;
import dev.tidemark.retention.core.plan.QueueRule;
import dev.tidemark.retention.core.plan.WorkList;
import dev.tidemark.retention.sql.queen.tables.LogDuePageV1;
import dev.tidemark.retention.sql.queen.tables.LogHeadsCanGoV1;
import dev.tidemark.retention.sql.queen.tables.LogWorkListV1;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.jooq.Record;

/** The maintenance functions, over a pool. Thread-safe; the sessions it opens are not. */
public final class JooqRetentionDatabase implements RetentionDatabase {
  private final DataSource dataSource;
  private final StepSettings settings;

  public JooqRetentionDatabase(DataSource dataSource, StepSettings settings) {
    this.dataSource = dataSource;
    this.settings = settings;
  }

  /** Calls {@code queen.log_work_list_v1}. */
  @Override
  public WorkList workList(int dueCap, int totalCap, Map<UUID, Position> resume) {
    LogWorkListV1 w = LogWorkListV1.LOG_WORK_LIST_V1;
    List<Map.Entry<UUID, Position>> from = List.copyOf(resume.entrySet());
    try (Session session = Session.open(dataSource)) {
      List<Record> rows =
          session.transaction(
              settings.listing(),
              dsl ->
                  dsl.selectFrom(
                          w.call(
                              val(dueCap),
                              val(totalCap),
                              val(from.stream().map(Map.Entry::getKey).toArray(UUID[]::new)),
                              val(
                                  from.stream()
                                      .map(e -> Times.timestamptz(e.getValue().watermark()))
                                      .toArray(OffsetDateTime[]::new)),
                              val(
                                  from.stream()
                                      .map(e -> e.getValue().partitionId())
                                      .toArray(UUID[]::new))))
                      .fetch());
      return read(rows, session);
    }
  }

  private static WorkList read(List<Record> rows, Session session) {
    LogWorkListV1 w = LogWorkListV1.LOG_WORK_LIST_V1;
    Map<UUID, QueueRule> rules = new HashMap<>();
    Map<Lane, List<DuePartition>> due = new EnumMap<>(Lane.class);
    for (Record row : rows) {
      if (row.get(w.PHASE) == 0) {
        rules.put(row.get(w.QUEUE_ID), Rules.of(row));
      } else {
        Lane lane = Lane.of(row.get(w.PHASE), row.get(w.BY_CONSUMPTION));
        due.computeIfAbsent(lane, l -> new ArrayList<>())
            .add(
                new DuePartition(
                    lane,
                    row.get(w.QUEUE_ID),
                    row.get(w.PARTITION_ID),
                    row.get(w.WATERMARK).toInstant()));
      }
    }
    Instant listedAt =
        rows.isEmpty() ? Times.databaseNow(session) : rows.get(0).get(w.LISTED_AT).toInstant();
    return new WorkList(listedAt, rules, due);
  }

  /** Calls {@code queen.log_due_page_v1}. */
  @Override
  public List<DuePartition> duePage(
      Lane lane, QueueRule rule, Optional<Position> after, int maxRows) {
    return lane.range(rule).map(range -> page(lane, rule, range, after, maxRows)).orElse(List.of());
  }

  private List<DuePartition> page(
      Lane lane, QueueRule rule, Lane.Range range, Optional<Position> after, int maxRows) {
    LogDuePageV1 d = LogDuePageV1.LOG_DUE_PAGE_V1;
    try (Session session = Session.open(dataSource)) {
      return session.transaction(
          settings.listing(),
          dsl ->
              dsl.selectFrom(
                      d.call(
                          val(lane.phase().number()),
                          val(rule.queueId()),
                          val(Times.timestamptz(range.from().orElse(null))),
                          val(Times.timestamptz(range.cutoff())),
                          val(Times.timestamptz(after.map(Position::watermark).orElse(null))),
                          val(after.map(Position::partitionId).orElse(null)),
                          val(maxRows)))
                  .fetch(
                      row ->
                          new DuePartition(
                              lane,
                              rule.queueId(),
                              row.get(d.PARTITION_ID),
                              row.get(d.WATERMARK).toInstant())));
    }
  }

  /** Calls {@code queen.log_heads_can_go_v1}. */
  @Override
  public Set<UUID> headsThatCanGo(Collection<UUID> partitionIds) {
    LogHeadsCanGoV1 h = LogHeadsCanGoV1.LOG_HEADS_CAN_GO_V1;
    try (Session session = Session.open(dataSource)) {
      return session.transaction(
          settings.listing(),
          dsl ->
              dsl.selectFrom(h.call(val(partitionIds.toArray(UUID[]::new))))
                  .fetchSet(h.PARTITION_ID));
    }
  }

  @Override
  public StepSession openSteps() {
    return new JooqStepSession(dataSource, settings);
  }

  @Override
  public TailSession openTail() {
    return new JooqTailSession(Session.open(dataSource), settings);
  }

  @Override
  public WalkSession openWalk() {
    return new JooqWalkSession(Session.open(dataSource), settings);
  }
}

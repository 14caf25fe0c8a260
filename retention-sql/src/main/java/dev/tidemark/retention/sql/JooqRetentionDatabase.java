package dev.tidemark.retention.sql;

import static org.jooq.impl.DSL.val;

import dev.tidemark.retention.core.database.RetentionDatabase;
import dev.tidemark.retention.core.database.StepSession;
import dev.tidemark.retention.core.database.TailSession;
import dev.tidemark.retention.core.database.WalkSession;
import dev.tidemark.retention.core.plan.DuePartition;
import dev.tidemark.retention.core.plan.Phase;
import dev.tidemark.retention.core.plan.QueueRule;
import dev.tidemark.retention.core.plan.WorkList;
import dev.tidemark.retention.sql.queen.tables.LogWorkListV1;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
  public WorkList workList(int dueCap, int totalCap) {
    LogWorkListV1 w = LogWorkListV1.LOG_WORK_LIST_V1;
    try (Session session = Session.open(dataSource)) {
      List<Record> rows =
          session.autocommit(dsl -> dsl.selectFrom(w.call(val(dueCap), val(totalCap))).fetch());
      return read(rows, session);
    }
  }

  private static WorkList read(List<Record> rows, Session session) {
    LogWorkListV1 w = LogWorkListV1.LOG_WORK_LIST_V1;
    Map<UUID, QueueRule> rules = new HashMap<>();
    Map<Phase, List<DuePartition>> due = new EnumMap<>(Phase.class);
    for (Record row : rows) {
      if (row.get(w.PHASE) == 0) {
        rules.put(row.get(w.QUEUE_ID), rule(row, w));
      } else {
        due.computeIfAbsent(Phase.of(row.get(w.PHASE)), p -> new ArrayList<>())
            .add(
                new DuePartition(
                    row.get(w.QUEUE_ID),
                    row.get(w.PARTITION_ID),
                    row.get(w.WATERMARK).toInstant(),
                    row.get(w.CAN_GO)));
      }
    }
    Instant listedAt =
        rows.isEmpty() ? Times.databaseNow(session) : rows.get(0).get(w.LISTED_AT).toInstant();
    return new WorkList(listedAt, rules, due);
  }

  private static QueueRule rule(Record row, LogWorkListV1 w) {
    return new QueueRule(
        row.get(w.QUEUE_ID),
        row.get(w.QUEUE_NAME),
        Times.instant(row.get(w.ALL_CUTOFF)),
        Times.instant(row.get(w.COMPLETED_CUTOFF)),
        row.get(w.TXNS_CUTOFF).toInstant(),
        Times.instant(row.get(w.MAX_WAIT_CUTOFF)));
  }

  @Override
  public StepSession openSteps() {
    return new JooqStepSession(Session.open(dataSource), settings);
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

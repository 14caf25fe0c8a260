package dev.tidemark.retention.sql;

import static org.jooq.impl.DSL.val;
import static org.jooq.impl.SQLDataType.BIGINT;
import static org.jooq.impl.SQLDataType.CLOB;

import dev.tidemark.retention.core.database.Claim;
import dev.tidemark.retention.core.database.StepFailedException;
import dev.tidemark.retention.core.database.TableDatabase;
import dev.tidemark.retention.core.database.TableRun;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.sql.queen.Routines;
import dev.tidemark.retention.sql.queen.routines.TableRetentionRunV1;
import dev.tidemark.retention.sql.queen.routines.TableRunNoteV1;
import dev.tidemark.retention.sql.queen.tables.TablePolicies;
import dev.tidemark.retention.sql.queen.tables.TableRuns;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.QueryPart;
import org.jooq.Record;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** The functions of event tables, over a pool. Thread-safe. */
public final class JooqTableDatabase implements TableDatabase {
  private static final Field<Long> DELETED = JsonCall.key("deleted", BIGINT);
  private static final Field<Long> ARCHIVED = JsonCall.key("archived", BIGINT);
  private static final Field<Long> SKIPPED = JsonCall.key("skipped", BIGINT);
  private static final Field<String> STOPPED = JsonCall.key("stopped", CLOB);
  private static final Field<String> SQL_STATE = JsonCall.key("sqlstate", CLOB);
  private static final Field<String> ERROR = JsonCall.key("error", CLOB);

  private final DataSource dataSource;
  private final Knobs knobs;

  public JooqTableDatabase(DataSource dataSource, Knobs knobs) {
    this.dataSource = dataSource;
    this.knobs = knobs;
  }

  @Override
  public List<String> enabledPolicies() {
    TablePolicies p = TablePolicies.TABLE_POLICIES;
    TableRuns r = TableRuns.TABLE_RUNS;
    try (Session session = Session.open(dataSource)) {
      session.autocommit(
          dsl -> dsl.select(Routines.tableNamesV1(val((String) null))).fetchSingle());
      return session.autocommit(
          dsl ->
              dsl.select(p.NAME)
                  .from(p.leftJoin(r).on(r.POLICY.eq(p.NAME)))
                  .where(p.ENABLED)
                  .orderBy(r.LAST_END_AT.asc().nullsFirst(), p.NAME)
                  .fetch(p.NAME));
    }
  }

  /**
   * As a native CALL, in autocommit. Named arguments: what is not named keeps the default that
   * pg_cron's jobs have.
   */
  @Override
  public TableRun run(String policy, Duration time, @Nullable Claim claim) {
    Map<String, @Nullable Object> arguments = new LinkedHashMap<>();
    arguments.put("p_name", policy);
    arguments.put("p_time_ms", Times.millis(time));
    arguments.put("p_hold_ms", Times.millis(knobs.lockHold()));
    arguments.put("p_duty", BigDecimal.valueOf(knobs.tableDuty(), 2));
    arguments.put("p_max_lag_ms", millisOrNone(knobs.tableMaxLag()));
    arguments.put("p_max_vacuum_ms", millisOrNone(knobs.tableMaxVacuum()));
    arguments.put("p_synchronous_commit", knobs.synchronousCommit());
    arguments.put("p_raise", false);
    if (claim != null) {
      arguments.put("p_task", claim.task());
      arguments.put("p_holder", claim.holder());
      arguments.put("p_fence", claim.fence());
    }
    try (Session session = Session.open(dataSource)) {
      return session.autocommit(dsl -> run(call(dsl, arguments, time)));
    }
  }

  /** The answer's only policy. */
  private Record call(DSLContext dsl, Map<String, @Nullable Object> arguments, Duration time) {
    List<QueryPart> named = new ArrayList<>();
    arguments.forEach(
        (name, value) -> named.add(DSL.field("{0} => {1}", DSL.name(name), val(value))));
    Record answer =
        dsl.resultQuery(
                "call {0}({1})", new TableRetentionRunV1().getQualifiedName(), DSL.list(named))
            .queryTimeout(Times.seconds(time.plus(knobs.stepTimeout())))
            .fetchSingle();
    return JsonCall.callForArray(
            dsl,
            DSL.field("{0} -> 'policies'", JSONB.class, val(answer.get("p_result", JSONB.class))),
            row -> row,
            DELETED,
            ARCHIVED,
            SKIPPED,
            STOPPED,
            SQL_STATE,
            ERROR)
        .get(0);
  }

  private static TableRun run(Record row) {
    String sqlState = row.get(SQL_STATE);
    return new TableRun(
        row.get(DELETED),
        row.get(ARCHIVED),
        row.get(SKIPPED),
        TableRun.End.valueOf(row.get(STOPPED).toUpperCase(Locale.ROOT)),
        sqlState == null
            ? Optional.empty()
            : Optional.of(SqlStates.ofPartition(sqlState, row.get(ERROR))));
  }

  @Override
  public void noteFailure(String policy, Instant started, StepFailedException failure) {
    TableRunNoteV1 note = new TableRunNoteV1();
    note.setPName(policy);
    note.setPStartedAt(started.atOffset(ZoneOffset.UTC));
    note.setPStopped("failed");
    note.setPDeleted(0L);
    note.setPSqlstate(failure.sqlState());
    note.setPError(failure.getMessage());
    try (Session session = Session.open(dataSource)) {
      session.autocommit(dsl -> note.execute(dsl.configuration()));
    }
  }

  private static @Nullable Integer millisOrNone(Duration time) {
    return time.isZero() ? null : Times.millis(time);
  }
}

package dev.tidemark.retention.sql;

import static org.jooq.impl.DSL.val;

import dev.tidemark.retention.core.database.Claim;
import dev.tidemark.retention.core.database.TableDatabase;
import dev.tidemark.retention.core.database.TableRun;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.sql.queen.tables.TablePolicies;
import dev.tidemark.retention.sql.queen.tables.TableRuns;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.sql.DataSource;
import org.jooq.JSONB;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

/** The functions of event tables, over a pool. Thread-safe. */
public final class JooqTableDatabase implements TableDatabase {
  /** What is read of the answer; the procedure tells more. */
  private static final String FIELDS =
      """
      {"fields": [
        {"name": "deleted", "type": "BIGINT"},
        {"name": "archived", "type": "BIGINT"},
        {"name": "skipped", "type": "BIGINT"},
        {"name": "stopped", "type": "CLOB"},
        {"name": "sqlstate", "type": "CLOB"},
        {"name": "error", "type": "CLOB"}],
      "records": [%s]}
      """;

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
    try (Session session = Session.open(dataSource)) {
      Record answer =
          session.autocommit(
              dsl ->
                  dsl.resultQuery(
                          """
                          call queen.table_retention_run_v1(
                              p_name => {0}, p_time_ms => {1}, p_hold_ms => {2}, p_duty => {3},
                              p_max_lag_ms => {4}, p_max_vacuum_ms => {5}, p_synchronous_commit => {6},
                              p_task => {7}, p_holder => {8}, p_fence => {9})
                          """,
                          val(policy),
                          val(millis(time)),
                          val(millis(knobs.lockHold())),
                          val(knobs.tableDuty()),
                          val(millis(knobs.tableMaxLag())),
                          val(millis(knobs.tableMaxVacuum())),
                          val(knobs.synchronousCommit()),
                          val(claim == null ? null : claim.task()),
                          val(claim == null ? null : claim.holder()),
                          val(claim == null ? null : claim.fence()))
                      .queryTimeout(seconds(time.plus(knobs.stepTimeout())))
                      .fetchSingle());
      String policies = String.valueOf(answer.get("p_result", JSONB.class));
      return session.autocommit(dsl -> run(dsl.fetchFromJSON(FIELDS.formatted(policies)).get(0)));
    }
  }

  private static TableRun run(Record row) {
    String sqlState = row.get("sqlstate", String.class);
    return new TableRun(
        row.get("deleted", Long.class),
        row.get("archived", Long.class),
        row.get("skipped", Long.class),
        end(row.get("stopped", String.class)),
        sqlState == null
            ? Optional.empty()
            : Optional.of(SqlStates.ofPartition(sqlState, row.get("error", String.class))));
  }

  private static TableRun.End end(String stopped) {
    return TableRun.End.valueOf(stopped.toUpperCase(Locale.ROOT));
  }

  private static int millis(Duration time) {
    return (int) Math.min(Integer.MAX_VALUE, time.toMillis());
  }

  /** JDBC counts whole seconds. */
  private static int seconds(Duration time) {
    return (int) Math.min(Integer.MAX_VALUE, time.plusMillis(999).toSeconds());
  }
}

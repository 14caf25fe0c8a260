package dev.tidemark.retention.sql;

import static org.jooq.impl.DSL.val;

import dev.tidemark.retention.sql.queen.tables.TableHazardsV1;
import dev.tidemark.retention.sql.queen.tables.TableJobsV1;
import dev.tidemark.retention.sql.queen.tables.TableLookV1;
import dev.tidemark.retention.sql.queen.tables.TableRulesV1;
import dev.tidemark.retention.sql.queen.tables.TableStatusV1;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

/**
 * How the policies of event tables stand. Nothing is changed: every answer comes from a transaction
 * in which the server refuses to write. Thread-safe; every call borrows a connection.
 */
public final class TableStatusGateway {
  private final DataSource dataSource;

  public TableStatusGateway(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /**
   * Every policy, or one: {@code queen.table_status_v1}, {@code queen.table_jobs_v1}.
   *
   * @param name {@code null} = all; none for a name that is not there
   */
  public List<PolicyStatus> policies(@Nullable String name) {
    try (Session session = Session.open(dataSource)) {
      return session.snapshot(dsl -> policies(dsl, name));
    }
  }

  /**
   * What every policy says, or one, without a look into its table: {@code queen.table_rules_v1}.
   *
   * @param name {@code null} = all; none for a name that is not there
   */
  public List<NamedRule> rules(@Nullable String name) {
    TableRulesV1 r = TableRulesV1.TABLE_RULES_V1;
    try (Session session = Session.open(dataSource)) {
      return session.snapshot(
          dsl ->
              dsl.selectFrom(r.call(val(name)))
                  .fetch(row -> new NamedRule(row.get(r.POLICY), rule(row))));
    }
  }

  private static List<PolicyStatus> policies(DSLContext dsl, @Nullable String name) {
    List<Job> jobs = jobs(dsl);
    TableStatusV1 s = TableStatusV1.TABLE_STATUS_V1;
    return dsl.selectFrom(s.call(val(name)))
        .fetch(
            row ->
                new PolicyStatus(
                    row.get(s.POLICY),
                    rule(row),
                    new Backlog(
                        row.get(s.CUTOFF).toInstant(),
                        Times.instant(row.get(s.OLDEST_AT)),
                        row.get(s.BEHIND_SECONDS),
                        row.get(s.DELETED_LATELY),
                        row.get(s.ROWS_PER_SECOND),
                        row.get(s.PROBLEM)),
                    new LastRun(
                        row.get(s.RUNS),
                        Times.instant(row.get(s.LAST_END_AT)),
                        row.get(s.LAST_STOPPED),
                        Times.instant(row.get(s.LAST_SUCCESS_AT)),
                        Times.instant(row.get(s.LAST_DONE_AT)),
                        Times.instant(row.get(s.LAST_ERROR_AT)),
                        row.get(s.LAST_SQLSTATE),
                        row.get(s.LAST_ERROR)),
                    jobs.stream().filter(j -> j.policy().equals(row.get(s.POLICY))).toList()));
  }

  /** Of a row of {@code table_rules_v1}, or of another that has its columns. */
  private static Rule rule(Record row) {
    TableRulesV1 r = TableRulesV1.TABLE_RULES_V1;
    return new Rule(
        row.get(r.RELATION),
        row.get(r.COLUMN_NAME),
        row.get(r.KIND),
        row.get(r.ZONE),
        row.get(r.KEEP),
        row.get(r.PREDICATE),
        row.get(r.ARCHIVE),
        row.get(r.BATCH),
        row.get(r.ENABLED));
  }

  private static List<Job> jobs(DSLContext dsl) {
    TableJobsV1 j = TableJobsV1.TABLE_JOBS_V1;
    return dsl.selectFrom(j.call())
        .fetch(
            row ->
                new Job(
                    row.get(j.POLICY),
                    row.get(j.JOB_ID),
                    row.get(j.SCHEDULE),
                    row.get(j.USERNAME),
                    row.get(j.ACTIVE),
                    row.get(j.LAST_STATUS),
                    Times.instant(row.get(j.LAST_START_AT)),
                    Times.instant(row.get(j.LAST_END_AT)),
                    row.get(j.LAST_MESSAGE),
                    row.get(j.FAILED_LATELY)));
  }

  /**
   * What a run of a policy would delete if it began now, leaf by leaf: {@code queen.table_look_v1}
   * with its counts, which read every row that would go.
   *
   * @throws dev.tidemark.retention.core.database.NotFoundException when there is no such policy
   */
  public Plan plan(String name) {
    TableLookV1 l = TableLookV1.TABLE_LOOK_V1;
    try (Session session = Session.open(dataSource)) {
      return session.snapshot(
          dsl -> {
            List<Leaf> leaves =
                dsl.selectFrom(l.call(val(name), val(true), val((Long) null)))
                    .fetch(
                        row ->
                            new Leaf(
                                row.get(l.LEAF),
                                row.get(l.BOUND),
                                row.get(l.ROWS),
                                row.get(l.NEVER),
                                row.get(l.OLDEST),
                                row.get(l.PROBLEM)));
            return new Plan(policies(dsl, name).get(0), leaves);
          });
    }
  }

  /** What is dangerous: {@code queen.table_hazards_v1}. */
  public List<Hazard> hazards(@Nullable String name) {
    TableHazardsV1 h = TableHazardsV1.TABLE_HAZARDS_V1;
    try (Session session = Session.open(dataSource)) {
      return session.snapshot(
          dsl ->
              dsl.selectFrom(h.call(val(name)))
                  .fetch(
                      row ->
                          new Hazard(
                              row.get(h.POLICY),
                              row.get(h.HAZARD),
                              row.get(h.DETAIL),
                              row.get(h.FIX))));
    }
  }

  /** One policy. */
  public record PolicyStatus(
      String policy, Rule rule, Backlog backlog, LastRun lastRun, List<Job> jobs) {}

  /** A policy and what it says. */
  public record NamedRule(String policy, Rule rule) {}

  /** What it says. */
  public record Rule(
      String relation,
      String column,
      String kind,
      @Nullable String zone,
      String keep,
      @Nullable String predicate,
      @Nullable String archive,
      int batch,
      boolean enabled) {}

  /**
   * How its table stands.
   *
   * @param oldestAt the time of the oldest row that would go; {@code null} = none would
   * @param behindSeconds since when that row should have been gone
   * @param deletedLately rows in the last 24 hours
   * @param rowsPerSecond while the last steps worked; {@code null} before the first
   * @param problem why the table could not be read
   */
  public record Backlog(
      Instant cutoff,
      @Nullable Instant oldestAt,
      @Nullable BigDecimal behindSeconds,
      long deletedLately,
      @Nullable BigDecimal rowsPerSecond,
      @Nullable String problem) {}

  /** How its runs ended. The error is over when {@code successAt} is later. */
  public record LastRun(
      long runs,
      @Nullable Instant endAt,
      @Nullable String stopped,
      @Nullable Instant successAt,
      @Nullable Instant doneAt,
      @Nullable Instant errorAt,
      @Nullable String sqlState,
      @Nullable String error) {
    public boolean failed() {
      return errorAt != null && (successAt == null || successAt.isBefore(errorAt));
    }
  }

  /** A job of pg_cron that runs it. */
  public record Job(
      String policy,
      long jobId,
      String schedule,
      String username,
      boolean active,
      @Nullable String lastStatus,
      @Nullable Instant lastStartAt,
      @Nullable Instant lastEndAt,
      @Nullable String lastMessage,
      long failedLately) {}

  /** What a run would do. */
  public record Plan(PolicyStatus status, List<Leaf> leaves) {
    /** Rows that would go; leaves that cannot be read are missing. */
    public long rows() {
      return leaves.stream().mapToLong(l -> l.rows() == null ? 0 : l.rows()).sum();
    }

    /** Seconds of work for that at the speed of the last steps, without pauses. */
    public Optional<BigDecimal> seconds() {
      BigDecimal speed = status.backlog().rowsPerSecond();
      return speed == null || speed.signum() == 0
          ? Optional.empty()
          : Optional.of(BigDecimal.valueOf(rows()).divide(speed, 1, RoundingMode.HALF_UP));
    }
  }

  /**
   * One leaf of its table.
   *
   * @param leaf {@code null}: the problem is the whole table's
   * @param bound the first time that stays, in the column's own terms
   * @param never rows that no run deletes
   */
  public record Leaf(
      @Nullable String leaf,
      @Nullable String bound,
      @Nullable Long rows,
      @Nullable Long never,
      @Nullable String oldest,
      @Nullable String problem) {}

  /** Something that keeps a policy from doing what it says. */
  public record Hazard(String policy, String hazard, String detail, String fix) {}
}

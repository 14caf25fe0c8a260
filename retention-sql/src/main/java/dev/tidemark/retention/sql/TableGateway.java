package dev.tidemark.retention.sql;

import static org.jooq.impl.DSL.val;
import static org.jooq.impl.SQLDataType.BIGINT;
import static org.jooq.impl.SQLDataType.BOOLEAN;
import static org.jooq.impl.SQLDataType.CLOB;
import static org.jooq.impl.SQLDataType.INTEGER;

import dev.tidemark.retention.sql.queen.Routines;
import java.util.List;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.Record;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * The policies of event tables. Thread-safe; every call borrows a connection. Errors as in {@link
 * SqlStates}.
 */
public final class TableGateway {
  private static final Field<String> NAME = JsonCall.key("name", CLOB);
  private static final Field<String> RELATION = JsonCall.key("relation", CLOB);
  private static final Field<String> COLUMN = JsonCall.key("column", CLOB);
  private static final Field<String> KIND = JsonCall.key("kind", CLOB);
  private static final Field<String> ZONE = JsonCall.key("zone", CLOB);
  private static final Field<String> KEEP = JsonCall.key("keep", CLOB);
  private static final Field<Integer> BATCH = JsonCall.key("batch", INTEGER);
  private static final Field<String> PREDICATE = JsonCall.key("predicate", CLOB);
  private static final Field<String> ARCHIVE = JsonCall.key("archive", CLOB);
  private static final Field<Boolean> ENABLED = JsonCall.key("enabled", BOOLEAN);
  private static final Field<Boolean> CREATED = JsonCall.key("created", BOOLEAN);

  private static final Field<JSONB> WARNINGS = JsonCall.key("warnings", SQLDataType.JSONB);

  private static final Field<String> HAZARD = JsonCall.key("hazard", CLOB);
  private static final Field<String> DETAIL = JsonCall.key("detail", CLOB);
  private static final Field<String> FIX = JsonCall.key("fix", CLOB);

  private static final Field<Long> JOB_ID = JsonCall.key("job_id", BIGINT);
  private static final Field<String> JOB = JsonCall.key("job", CLOB);
  private static final Field<String> SCHEDULE = JsonCall.key("schedule", CLOB);
  private static final Field<String> COMMAND = JsonCall.key("command", CLOB);

  private final DataSource dataSource;

  public TableGateway(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /**
   * Sets a policy, new or in the place of the one of its name: {@code queen.table_policy_set_v1}.
   *
   * @throws dev.tidemark.retention.core.database.InvalidArgumentException naming the argument and
   *     what is allowed; nothing changed
   */
  public Outcome set(Wanted wanted) {
    Field<JSONB> function =
        Routines.tablePolicySetV1(
            val(wanted.relation()),
            val(wanted.column()),
            val(wanted.keep()),
            val(wanted.kind()),
            val(wanted.name()),
            val(wanted.zone()),
            val(wanted.batch()),
            val(wanted.predicate()),
            val(wanted.archive()),
            val(wanted.enabled()),
            val("delete"));
    try (Session session = Session.open(dataSource)) {
      return session.transaction(
          dsl -> {
            Record answer =
                JsonCall.call(
                    dsl, function, NAME, RELATION, COLUMN, KIND, ZONE, KEEP, BATCH, PREDICATE,
                    ARCHIVE, ENABLED, CREATED, WARNINGS);
            return new Outcome(policy(answer), warnings(dsl, answer.get(WARNINGS)));
          });
    }
  }

  private static List<Warning> warnings(DSLContext dsl, JSONB warnings) {
    return JsonCall.callForArray(
        dsl,
        val(warnings),
        row -> new Warning(row.get(HAZARD), row.get(DETAIL), row.get(FIX)),
        HAZARD,
        DETAIL,
        FIX);
  }

  private static Policy policy(Record row) {
    return new Policy(
        row.get(NAME),
        row.get(RELATION),
        row.get(COLUMN),
        row.get(KIND),
        row.get(ZONE),
        row.get(KEEP),
        row.get(BATCH),
        row.get(PREDICATE),
        row.get(ARCHIVE),
        row.get(ENABLED),
        row.get(CREATED));
  }

  /**
   * Forgets a policy, and the caller's job for it: {@code queen.table_policy_remove_v1}. Whether
   * there was one.
   */
  public boolean remove(String name) {
    try (Session session = Session.open(dataSource)) {
      return session.transaction(
          dsl -> dsl.select(Routines.tablePolicyRemoveV1(val(name))).fetchSingle().value1());
    }
  }

  /**
   * Lets pg_cron run a policy: {@code queen.table_schedule_v1}.
   *
   * @throws dev.tidemark.retention.core.database.NotFoundException when there is no such policy
   */
  public Job schedule(String name, String schedule) {
    Field<JSONB> function = Routines.tableScheduleV1(val(name), val(schedule));
    try (Session session = Session.open(dataSource)) {
      return session.transaction(
          dsl -> {
            Record row = JsonCall.call(dsl, function, JOB_ID, JOB, SCHEDULE, COMMAND);
            return new Job(
                name, row.get(JOB_ID), row.get(JOB), row.get(SCHEDULE), row.get(COMMAND));
          });
    }
  }

  /** Takes a policy's job from pg_cron: {@code queen.table_unschedule_v1}. Whether it had one. */
  public boolean unschedule(String name) {
    try (Session session = Session.open(dataSource)) {
      return session.transaction(
          dsl -> dsl.select(Routines.tableUnscheduleV1(val(name))).fetchSingle().value1());
    }
  }

  /**
   * A policy as somebody wants it; the database decides whether it can be kept.
   *
   * @param relation as SQL spells it
   * @param keep an interval, as PostgreSQL reads one
   * @param kind {@code null} = as the column's type says
   * @param name {@code null} = the relation, without schema public
   * @param zone of a timestamp or a date
   * @param predicate what a row has to be besides old; {@code null} = nothing
   * @param archive a table that gets the rows that go; {@code null} = none
   */
  public record Wanted(
      String relation,
      String column,
      String keep,
      @Nullable String kind,
      @Nullable String name,
      @Nullable String zone,
      int batch,
      @Nullable String predicate,
      @Nullable String archive,
      boolean enabled) {}

  /** A policy as it is kept; names as the server spells them. */
  public record Policy(
      String name,
      String relation,
      String column,
      String kind,
      @Nullable String zone,
      String keep,
      int batch,
      @Nullable String predicate,
      @Nullable String archive,
      boolean enabled,
      boolean created) {}

  /** A policy that was set, and what is dangerous about its table, less than a refusal. */
  public record Outcome(Policy policy, List<Warning> warnings) {}

  /** Something to know before the first run. */
  public record Warning(String hazard, String detail, String fix) {}

  /** A job of pg_cron that runs a policy. */
  public record Job(String policy, long jobId, String job, String schedule, String command) {}
}

package dev.tidemark.retention.sql;

import static org.jooq.impl.DSL.val;

import dev.tidemark.retention.core.database.Claim;
import dev.tidemark.retention.core.database.Drain;
import dev.tidemark.retention.core.database.Drained;
import dev.tidemark.retention.core.database.StepResult;
import dev.tidemark.retention.core.plan.Phase;
import dev.tidemark.retention.core.plan.QueueRule;
import dev.tidemark.retention.sql.queen.routines.LogEvictMaxWaitDrainV1;
import dev.tidemark.retention.sql.queen.routines.LogRetentionDrainV1;
import dev.tidemark.retention.sql.queen.routines.LogTxnsPurgeDrainV1;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.QueryPart;
import org.jooq.Record;
import org.jooq.Routine;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * A drain as a native CALL. The driver's {@code {call}} becomes a SELECT, in which a procedure
 * cannot commit.
 */
final class DrainCall {
  /** What is read of each step; the procedure answers more. */
  private static final String FIELDS =
      """
      {"fields": [
        {"name": "partition_id", "type": "UUID"},
        {"name": "deleted", "type": "BIGINT"},
        {"name": "messages", "type": "BIGINT"},
        {"name": "new_log_start", "type": "BIGINT"},
        {"name": "new_txns_start", "type": "BIGINT"},
        {"name": "retention_type", "type": "CLOB"},
        {"name": "done", "type": "BOOLEAN"},
        {"name": "next_rows", "type": "INTEGER"},
        {"name": "sqlstate", "type": "CLOB"},
        {"name": "error", "type": "CLOB"}],
      "records": %s}
      """;

  private DrainCall() {}

  /** Calls the drain of a phase. In autocommit. */
  static Drained make(DSLContext dsl, StepSettings settings, Phase phase, Drain drain) {
    List<QueryPart> arguments = new ArrayList<>();
    arguments.add(val(drain.rule().queueId()));
    arguments.add(
        val(drain.targets().stream().map(Drain.Target::partitionId).toArray(UUID[]::new)));
    arguments.addAll(cutoffs(phase, drain.rule()));
    Drain.Bounds bounds = drain.bounds();
    Integer[] rows =
        drain.targets().stream()
            .map(target -> target.rows() == 0 ? null : target.rows())
            .toArray(Integer[]::new);
    @Nullable Claim claim = drain.claim();
    arguments.addAll(
        List.of(
            val(bounds.maxRows()),
            val(rows),
            val(Times.millis(bounds.hold())),
            val(bounds.batches()),
            val(Times.millis(drain.time())),
            val(Times.millis(settings.lockTimeout())),
            val(settings.synchronousCommit()),
            val(claim == null ? null : claim.task()),
            val(claim == null ? null : claim.holder()),
            val(claim == null ? null : claim.fence()),
            // The places of what it answers.
            val((String) null),
            val((JSONB) null)));
    Record answer =
        dsl.resultQuery("call {0}({1})", procedure(phase), DSL.list(arguments))
            .queryTimeout(Times.seconds(settings.statementTimeout().plus(drain.time())))
            .fetchSingle();
    String steps = String.valueOf(answer.get("p_steps", JSONB.class));
    return new Drained(
        stopped(answer.get("p_stopped", String.class)),
        dsl.fetchFromJSON(FIELDS.formatted(steps)).map(DrainCall::step));
  }

  private static QueryPart procedure(Phase phase) {
    Routine<?> routine =
        switch (phase) {
          case RETENTION -> new LogRetentionDrainV1();
          case TXNS_PURGE -> new LogTxnsPurgeDrainV1();
          case MAX_WAIT -> new LogEvictMaxWaitDrainV1();
        };
    return routine.getQualifiedName();
  }

  private static List<Field<?>> cutoffs(Phase phase, QueueRule rule) {
    return switch (phase) {
      case RETENTION ->
          List.of(
              val(Times.timestamptz(rule.allCutoff())),
              val(Times.timestamptz(rule.completedCutoff())));
      case TXNS_PURGE -> List.of(val(Times.timestamptz(rule.txnsCutoff())));
      case MAX_WAIT -> List.of(val(Times.timestamptz(rule.maxWaitCutoff())));
    };
  }

  private static Drained.Step step(Record step) {
    UUID partition = step.get("partition_id", UUID.class);
    String sqlState = step.get("sqlstate", String.class);
    if (sqlState != null) {
      return Drained.Step.failed(
          partition, SqlStates.ofPartition(sqlState, step.get("error", String.class)));
    }
    Long newStart =
        Optional.ofNullable(step.get("new_log_start", Long.class))
            .orElse(step.get("new_txns_start", Long.class));
    StepResult result =
        new StepResult(
            step.get("deleted", Long.class),
            Optional.ofNullable(step.get("messages", Long.class)).orElse(0L),
            newStart == null ? OptionalLong.empty() : OptionalLong.of(newStart),
            Optional.ofNullable(step.get("retention_type", String.class)),
            step.get("done", Boolean.class));
    Integer nextRows = step.get("next_rows", Integer.class);
    return Drained.Step.of(partition, result, nextRows == null ? 0 : nextRows);
  }

  private static Drained.Stopped stopped(@Nullable String answer) {
    if (answer == null) {
      return Drained.Stopped.NOT;
    }
    return switch (answer) {
      case "time" -> Drained.Stopped.TIME;
      case "rule" -> Drained.Stopped.RULE;
      case "paused" -> Drained.Stopped.PAUSED;
      case "lost" -> Drained.Stopped.LOST;
      default -> throw new IllegalStateException("a drain stopped because of " + answer);
    };
  }
}

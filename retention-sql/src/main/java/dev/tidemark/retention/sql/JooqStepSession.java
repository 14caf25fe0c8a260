package dev.tidemark.retention.sql;

import static org.jooq.impl.DSL.val;
import static org.jooq.impl.SQLDataType.BIGINT;
import static org.jooq.impl.SQLDataType.BOOLEAN;
import static org.jooq.impl.SQLDataType.CLOB;

import dev.tidemark.retention.core.database.Claim;
import dev.tidemark.retention.core.database.DatabaseUnavailableException;
import dev.tidemark.retention.core.database.Drain;
import dev.tidemark.retention.core.database.Drained;
import dev.tidemark.retention.core.database.Standing;
import dev.tidemark.retention.core.database.StepFailedException;
import dev.tidemark.retention.core.database.StepResult;
import dev.tidemark.retention.core.database.StepSession;
import dev.tidemark.retention.core.plan.Phase;
import dev.tidemark.retention.sql.queen.Routines;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

/**
 * Steps on one connection at a time: each is BEGIN, SET LOCAL, the step, COMMIT, or many of them
 * one CALL.
 */
final class JooqStepSession implements StepSession {
  private static final Field<Long> DELETED = JsonCall.key("deleted", BIGINT);
  private static final Field<Long> MESSAGES = JsonCall.key("messages", BIGINT);
  private static final Field<Long> NEW_LOG_START = JsonCall.key("new_log_start", BIGINT);
  private static final Field<Long> NEW_TXNS_START = JsonCall.key("new_txns_start", BIGINT);
  private static final Field<String> RULE = JsonCall.key("retention_type", CLOB);
  private static final Field<Boolean> DONE = JsonCall.key("done", BOOLEAN);

  private final DataSource dataSource;
  private final StepSettings settings;
  private Session session;

  JooqStepSession(DataSource dataSource, StepSettings settings) {
    this.dataSource = dataSource;
    this.settings = settings;
    this.session = Session.open(dataSource);
  }

  @Override
  public StepResult retention(
      UUID partitionId,
      @Nullable Instant allCutoff,
      @Nullable Instant completedCutoff,
      int maxRows) {
    return deleting(
        Routines.logRetentionStepV1(
            val(partitionId),
            val(Times.timestamptz(allCutoff)),
            val(Times.timestamptz(completedCutoff)),
            val(maxRows),
            val((String) null)));
  }

  @Override
  public StepResult evictMaxWait(UUID partitionId, Instant cutoff, int maxRows) {
    return deleting(
        Routines.logEvictMaxWaitStepV1(
            val(partitionId), val(Times.timestamptz(cutoff)), val(maxRows)));
  }

  @Override
  public StepResult purgeTxns(UUID partitionId, Instant cutoff, int maxRows) {
    Record answer =
        step(
            Routines.logTxnsPurgeStepV1(
                val(partitionId), val(Times.timestamptz(cutoff)), val(maxRows)),
            DELETED,
            NEW_TXNS_START,
            DONE);
    return new StepResult(
        answer.get(DELETED),
        0,
        optional(answer.get(NEW_TXNS_START)),
        Optional.empty(),
        answer.get(DONE));
  }

  private StepResult deleting(Field<JSONB> function) {
    Record answer = step(function, DELETED, MESSAGES, NEW_LOG_START, RULE, DONE);
    return new StepResult(
        answer.get(DELETED),
        answer.get(MESSAGES),
        optional(answer.get(NEW_LOG_START)),
        Optional.ofNullable(answer.get(RULE)),
        answer.get(DONE));
  }

  private Record step(Field<JSONB> function, Field<?>... keys) {
    return onLiveConnection(
        live -> live.transaction(settings.local(), dsl -> JsonCall.call(dsl, function, keys)));
  }

  @Override
  public Drained drain(Phase phase, Drain drain) {
    return onLiveConnection(
        live -> live.autocommit(dsl -> DrainCall.make(dsl, settings, phase, drain)));
  }

  /**
   * The connection decides whose failure it is, and not the code alone: a trigger of one partition
   * can raise any. Where the transaction was rolled back and the connection lives, the partition
   * failed; where a pool closed it over the code, the next step gets another one.
   */
  private <T> T onLiveConnection(Function<Session, T> work) {
    if (!session.isUsable()) {
      session.close();
      session = Session.open(dataSource);
    }
    try {
      return work.apply(session);
    } catch (DatabaseUnavailableException e) {
      if (session.isUsable()) {
        throw new StepFailedException(String.valueOf(e.getMessage()), e.sqlState(), e);
      }
      throw e;
    }
  }

  private static OptionalLong optional(@Nullable Long value) {
    return value == null ? OptionalLong.empty() : OptionalLong.of(value);
  }

  @Override
  public Standing standing(@Nullable Claim claim, Collection<UUID> queueIds) {
    return ChunkCheck.ask(session, settings, claim, queueIds);
  }

  @Override
  public void close() {
    session.close();
  }
}

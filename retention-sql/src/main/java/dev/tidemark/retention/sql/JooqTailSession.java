package dev.tidemark.retention.sql;

import static org.jooq.impl.DSL.val;
import static org.jooq.impl.SQLDataType.BIGINT;
import static org.jooq.impl.SQLDataType.BOOLEAN;
import static org.jooq.impl.SQLDataType.TIMESTAMPWITHTIMEZONE;
import static org.jooq.impl.SQLDataType.UUID;

import dev.tidemark.retention.core.database.Claim;
import dev.tidemark.retention.core.database.Standing;
import dev.tidemark.retention.core.database.TailSession;
import dev.tidemark.retention.sql.queen.Routines;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.Optional;
import java.util.UUID;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

/** Phases 4 and 5 on one connection; each call is a transaction like a step's. */
final class JooqTailSession implements TailSession {
  private static final Field<Long> DELETED = JsonCall.key("deleted", BIGINT);
  private static final Field<Boolean> DONE = JsonCall.key("done", BOOLEAN);
  private static final Field<Long> ROLLED = JsonCall.key("rolled", BIGINT);
  private static final Field<OffsetDateTime> LAST_AT =
      JsonCall.key("last_at", TIMESTAMPWITHTIMEZONE);
  private static final Field<UUID> LAST_ID = JsonCall.key("last_id", UUID);

  private final Session session;
  private final StepSettings settings;

  JooqTailSession(Session session, StepSettings settings) {
    this.session = session;
    this.settings = settings;
  }

  @Override
  public Cleaned cleanupPartitions(
      Instant cutoff, int maxRows, int maxRead, Optional<Place> after) {
    Field<JSONB> function =
        Routines.logPartitionCleanupStepV1(
            val(Times.timestamptz(cutoff)),
            val(maxRows),
            val(maxRead),
            val(Times.timestamptz(after.map(Place::lastWriteAt).orElse(null))),
            val(after.map(Place::partitionId).orElse(null)));
    Record answer =
        session.transaction(
            settings.local(), dsl -> JsonCall.call(dsl, function, DELETED, LAST_AT, LAST_ID));
    return new Cleaned(
        answer.get(DELETED),
        Optional.ofNullable(answer.get(LAST_ID))
            .map(id -> new Place(answer.get(LAST_AT).toInstant(), id)));
  }

  @Override
  public RolledUp rollUpHistory(Instant from, Instant cutoff, int maxRows) {
    Field<JSONB> function =
        Routines.logHistoryRollUpStepV1(
            val(Times.timestamptz(from)), val(Times.timestamptz(cutoff)), val(maxRows));
    Record answer =
        session.transaction(
            settings.local(), dsl -> JsonCall.call(dsl, function, ROLLED, LAST_AT, DONE));
    return new RolledUp(answer.get(ROLLED), answer.get(LAST_AT).toInstant(), answer.get(DONE));
  }

  @Override
  public Batch purgeMetrics(Instant cutoff, int maxRows) {
    Field<JSONB> function =
        Routines.cleanupWorkerMetricsV1(val(Times.timestamptz(cutoff)), val(maxRows));
    Record answer =
        session.transaction(settings.local(), dsl -> JsonCall.call(dsl, function, DELETED, DONE));
    return new Batch(answer.get(DELETED), answer.get(DONE));
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

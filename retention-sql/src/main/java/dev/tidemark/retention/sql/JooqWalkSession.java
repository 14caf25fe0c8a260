package dev.tidemark.retention.sql;

import static org.jooq.impl.DSL.val;
import static org.jooq.impl.SQLDataType.BIGINT;
import static org.jooq.impl.SQLDataType.BOOLEAN;
import static org.jooq.impl.SQLDataType.UUID;

import dev.tidemark.retention.core.database.Claim;
import dev.tidemark.retention.core.database.Standing;
import dev.tidemark.retention.core.database.WalkSession;
import dev.tidemark.retention.sql.queen.Routines;
import java.util.Collection;
import java.util.UUID;
import org.jooq.Field;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

/** The watermark walk on one connection; each page is a transaction like a step's. */
final class JooqWalkSession implements WalkSession {
  private static final Field<Long> SCANNED = JsonCall.key("scanned", BIGINT);
  private static final Field<Long> REPAIRED = JsonCall.key("repaired", BIGINT);
  private static final Field<Long> HELD = JsonCall.key("held", BIGINT);
  private static final Field<UUID> LAST_ID = JsonCall.key("last_id", UUID);
  private static final Field<Boolean> DONE = JsonCall.key("done", BOOLEAN);

  private final Session session;
  private final StepSettings settings;

  JooqWalkSession(Session session, StepSettings settings) {
    this.session = session;
    this.settings = settings;
  }

  @Override
  public Page walk(@Nullable UUID after, int maxRows) {
    Record page =
        session.transaction(
            settings.local(),
            dsl ->
                JsonCall.call(
                    dsl,
                    Routines.logWatermarkWalkStepV1(val(after), val(maxRows)),
                    SCANNED,
                    REPAIRED,
                    HELD,
                    LAST_ID,
                    DONE));
    return new Page(
        page.get(SCANNED), page.get(REPAIRED), page.get(HELD), page.get(LAST_ID), page.get(DONE));
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

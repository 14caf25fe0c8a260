package dev.tidemark.retention.sql;

import static org.jooq.impl.DSL.val;

import dev.tidemark.retention.core.database.Claim;
import dev.tidemark.retention.core.database.Standing;
import dev.tidemark.retention.core.plan.QueueRule;
import dev.tidemark.retention.sql.queen.tables.LogChunkCheckV1;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

/** {@code queen.log_chunk_check_v1}, for every session that works in chunks. */
final class ChunkCheck {
  private ChunkCheck() {}

  static Standing ask(
      Session session, StepSettings settings, @Nullable Claim claim, Collection<UUID> queueIds) {
    LogChunkCheckV1 c = LogChunkCheckV1.LOG_CHUNK_CHECK_V1;
    List<Record> rows =
        session.transaction(
            settings.local(),
            dsl ->
                dsl.selectFrom(
                        c.call(
                            val(claim == null ? null : claim.task()),
                            val(claim == null ? null : claim.holder()),
                            val(claim == null ? null : claim.fence()),
                            val(queueIds.toArray(UUID[]::new))))
                    .fetch());
    Map<UUID, QueueRule> rules = new HashMap<>();
    for (Record row : rows) {
      if (row.get(c.QUEUE_ID) != null) {
        rules.put(row.get(c.QUEUE_ID), Rules.of(row));
      }
    }
    return new Standing(lease(rows.get(0).get(c.LEASE)), rules);
  }

  private static Standing.Lease lease(String answer) {
    return switch (answer) {
      case "held" -> Standing.Lease.HELD;
      case "paused" -> Standing.Lease.PAUSED;
      case "lost" -> Standing.Lease.LOST;
      default -> throw new IllegalStateException("log_chunk_check_v1 answered " + answer);
    };
  }
}

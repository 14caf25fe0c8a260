package dev.tidemark.retention.core.database;

import java.util.Collection;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Asks, between two chunks of work, whether the work is still wanted. */
public interface StandingCheck {
  /**
   * Reads how the claim and the rules of some queues stand now: {@code queen.log_chunk_check_v1}.
   * Locks nothing.
   *
   * @param claim {@code null} = the work runs beside the schedule, and nobody can take it away
   */
  Standing standing(@Nullable Claim claim, Collection<UUID> queueIds);
}

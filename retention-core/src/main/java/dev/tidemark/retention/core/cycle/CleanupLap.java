package dev.tidemark.retention.core.cycle;

import dev.tidemark.retention.core.database.TailSession;
import dev.tidemark.retention.core.database.TailSession.Cleaned;
import dev.tidemark.retention.core.database.TailSession.Place;
import java.time.Instant;
import java.util.Optional;

/**
 * Phase 4's way over the empty partitions, part by part. A part reads nothing that one before it
 * passed, however many partitions are kept for ever by a dead letter. A lap may take several
 * cleanups: where the time of a cycle ended it, the next one goes on, or what is kept before that
 * place would take all the time again. In memory: a restart begins at the head.
 */
final class CleanupLap {
  /** Looked at for each one that may go: bounds a part where nothing goes. */
  private static final int READ_PER_ROW = 10;

  private Optional<Place> reached = Optional.empty();

  /** The next part. After one that failed, and after the last, it is the first. */
  Cleaned next(TailSession session, Instant cutoff, int maxRows) {
    Optional<Place> after = reached;
    reached = Optional.empty();
    Cleaned cleaned = session.cleanupPartitions(cutoff, maxRows, READ_PER_ROW * maxRows, after);
    reached = cleaned.reached();
    return cleaned;
  }
}

package dev.tidemark.retention.core.database;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The connection of the watermark walk. Every call is one bounded transaction. Not thread-safe. */
public interface WalkSession extends StandingCheck, AutoCloseable {
  /**
   * Re-derives the watermarks of the next partitions by id: {@code
   * queen.log_watermark_walk_step_v1}.
   *
   * @param after {@code lastId} of the call before; {@code null} = from the beginning
   */
  Page walk(@Nullable UUID after, int maxRows);

  @Override
  void close();

  /**
   * What one call did.
   *
   * @param held drifted rows that somebody else had locked: another walk has to mend them
   * @param lastId where the next call goes on; {@code null} = there are no partitions
   */
  record Page(long scanned, long repaired, long held, @Nullable UUID lastId, boolean done) {}
}

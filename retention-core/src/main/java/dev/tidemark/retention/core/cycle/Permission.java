package dev.tidemark.retention.core.cycle;

import dev.tidemark.retention.core.database.Claim;
import dev.tidemark.retention.core.database.Standing;
import dev.tidemark.retention.core.database.StandingCheck;
import dev.tidemark.retention.core.plan.QueueRule;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Whether work may go on: the signal is looked at before every call, and the database is asked
 * before every step of a drain, and before every chunk of other work. Thread-safe; the workers of a
 * cycle share one.
 *
 * @param claim what the work runs under; {@code null} = it runs beside the schedule
 */
public record Permission(StopSignal signal, @Nullable Claim claim) {
  /** For work that somebody asked for, whatever the schedule says. */
  public static Permission unscheduled(StopSignal signal) {
    return new Permission(signal, null);
  }

  public boolean withdrawn() {
    return signal.isGiven();
  }

  /** Asks for the next chunk; false when it must not begin. */
  boolean granted(StandingCheck check) {
    ask(check, List.of());
    return !withdrawn();
  }

  /** Asks for the next chunk, and for what these queues keep now. */
  Map<UUID, QueueRule> ask(StandingCheck check, Collection<UUID> queueIds) {
    Standing standing = check.standing(claim, queueIds);
    heed(standing.lease());
    return standing.rules();
  }

  /** Stops all work under this permission where the claim no longer allows it. */
  public void heed(Standing.Lease lease) {
    switch (lease) {
      case HELD -> {}
      case PAUSED -> signal.stop(StopSignal.Reason.PAUSED);
      case LOST -> signal.stop(StopSignal.Reason.LEASE_LOST);
    }
  }
}

package dev.tidemark.retention.runner;

import dev.tidemark.retention.core.cycle.StopSignal;
import dev.tidemark.retention.core.database.Claim;
import dev.tidemark.retention.core.database.DatabaseException;
import dev.tidemark.retention.sql.LeaseGateway;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews a claim every third of its lease, from its own thread, while the work runs. It gives the
 * signal to stop when the task was disabled, when somebody else has it, and when no renewal has
 * succeeded for a whole lease: by then somebody else may have it.
 */
final class Heartbeat implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger("retention");

  private final LeaseGateway leases;
  private final Claim claim;
  private final Duration lease;
  private final StopSignal signal;
  private final Clock clock;
  private final ScheduledExecutorService thread;
  private volatile Instant held;

  private Heartbeat(
      LeaseGateway leases, Claim claim, Duration lease, StopSignal signal, Clock clock) {
    this.leases = leases;
    this.claim = claim;
    this.lease = lease;
    this.signal = signal;
    this.clock = clock;
    this.held = clock.instant();
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            Threads.daemon("retention-lease-" + claim.task()));
  }

  static Heartbeat start(
      LeaseGateway leases, Claim claim, Schedule schedule, StopSignal signal, Clock clock) {
    Heartbeat heartbeat = new Heartbeat(leases, claim, schedule.lease(), signal, clock);
    long every = Math.max(1, schedule.heartbeat().toMillis());
    var unused =
        heartbeat.thread.scheduleWithFixedDelay(
            heartbeat::beat, every, every, TimeUnit.MILLISECONDS);
    return heartbeat;
  }

  private void beat() {
    Instant asked = clock.instant();
    try {
      switch (leases.renew(claim, lease)) {
        case HELD -> held = asked;
        case PAUSED -> signal.stop(StopSignal.Reason.PAUSED);
        case LOST -> signal.stop(StopSignal.Reason.LEASE_LOST);
      }
    } catch (DatabaseException e) {
      LOG.warn(
          "lease not renewed task={} fence={} sqlstate={} error=\"{}\"",
          claim.task(),
          claim.fence(),
          e.sqlState(),
          e.getMessage());
      if (!clock.instant().isBefore(held.plus(lease))) {
        signal.stop(StopSignal.Reason.LEASE_LOST);
      }
    }
  }

  /** Ends the renewals and waits for the one in flight, so that none follows the release. */
  @Override
  public void close() {
    Threads.stop(thread);
  }
}

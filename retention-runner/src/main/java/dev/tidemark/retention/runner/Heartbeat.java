package dev.tidemark.retention.runner;

import dev.tidemark.retention.core.cycle.StopSignal;
import dev.tidemark.retention.core.database.Claim;
import dev.tidemark.retention.core.database.DatabaseException;
import dev.tidemark.retention.sql.LeaseGateway;
import java.time.Duration;
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
  private final ScheduledExecutorService thread;

  /** When the last renewal that succeeded was asked for. Elapsed time, which no clock moves. */
  private volatile long held;

  private Heartbeat(LeaseGateway leases, Claim claim, Duration lease, StopSignal signal) {
    this.leases = leases;
    this.claim = claim;
    this.lease = lease;
    this.signal = signal;
    this.held = System.nanoTime();
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            Threads.daemon("retention-lease-" + claim.task()));
  }

  static Heartbeat start(LeaseGateway leases, Claim claim, Schedule schedule, StopSignal signal) {
    Heartbeat heartbeat = new Heartbeat(leases, claim, schedule.lease(), signal);
    long every = Math.max(1, schedule.heartbeat().toMillis());
    var unused =
        heartbeat.thread.scheduleWithFixedDelay(
            heartbeat::beat, every, every, TimeUnit.MILLISECONDS);
    return heartbeat;
  }

  private void beat() {
    long asked = System.nanoTime();
    try {
      switch (leases.renew(claim, lease)) {
        case HELD -> held = asked;
        case PAUSED -> stop("the task was paused", StopSignal.Reason.PAUSED);
        case LOST -> stop("somebody else has the task", StopSignal.Reason.LEASE_LOST);
      }
    } catch (RuntimeException | Error e) {
      // Whatever it was: a timer whose task throws never runs again, and nobody would renew.
      LOG.warn(
          "lease not renewed task={} fence={} sqlstate={} error=\"{}\"",
          claim.task(),
          claim.fence(),
          e instanceof DatabaseException failure ? failure.sqlState() : "-",
          e.getMessage());
      if (System.nanoTime() - held >= lease.toNanos()) {
        stop("not renewed for a whole lease", StopSignal.Reason.LEASE_LOST);
      }
    }
  }

  private void stop(String why, StopSignal.Reason reason) {
    if (signal.reason().isEmpty()) {
      LOG.warn("stopping task={} fence={}: {}", claim.task(), claim.fence(), why);
    }
    signal.stop(reason);
  }

  /** Ends the renewals and waits for the one in flight, so that none follows the release. */
  @Override
  public void close() {
    Threads.stop(thread);
  }
}

package dev.tidemark.retention.runner;

import dev.tidemark.retention.core.cycle.Permission;
import dev.tidemark.retention.core.cycle.StopSignal;
import dev.tidemark.retention.core.database.Claim;
import dev.tidemark.retention.core.database.DatabaseException;
import dev.tidemark.retention.sql.LeaseGateway;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One replica's part in a task of the schedule, on a thread of its own:
 *
 * <pre>
 *   claim ---- not claimed ----------------------------+
 *     |                                                v
 *   run, renewing every third of the lease  --->  wait one poll  ---> claim
 *     |                                                ^
 *   release: served, or still due ---------------------+
 * </pre>
 *
 * The row in the database decides who runs and when; nothing is remembered here between two rounds.
 * Whatever fails is logged and tried again after a poll: the loop ends only when it is closed, or
 * when its task is wanted no more.
 */
final class LeasedLoop implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger("retention");

  private final ScheduledTask task;
  private final String holder;
  private final Schedule schedule;
  private final LeaseGateway leases;
  private final ErrorLog errors;
  private final Thread thread;
  private final CountDownLatch closing = new CountDownLatch(1);
  private volatile @Nullable StopSignal running;

  LeasedLoop(
      ScheduledTask task, String holder, Schedule schedule, LeaseGateway leases, Clock clock) {
    this.task = task;
    this.holder = holder;
    this.schedule = schedule;
    this.leases = leases;
    this.errors = new ErrorLog(task.name(), clock);
    this.thread = Threads.daemon("retention-" + task.name()).newThread(this::loop);
  }

  void start() {
    thread.start();
  }

  private void loop() {
    boolean wanted = true;
    while (wanted && !isClosing()) {
      try {
        wanted = round();
      } catch (RuntimeException | Error e) {
        // Also an Error: this thread is the broker's guest, and ends for nothing but a close.
        report(e);
      }
      if (wanted) {
        pause();
      }
    }
  }

  private void report(Throwable e) {
    try {
      errors.failed(e);
    } catch (RuntimeException | Error unspeakable) {
      // A log that fails, as it does without memory, is no reason to stop sweeping.
      unspeakable.addSuppressed(e);
    }
  }

  /** Claims and serves if it can; whether to come back. */
  private boolean round() {
    if (!task.wanted()) {
      return false;
    }
    Optional<Claim> claim = leases.claim(task.name(), holder, schedule.lease());
    claim.ifPresent(this::serve);
    return claim.isEmpty() || task.wanted();
  }

  private void serve(Claim claim) {
    StopSignal signal = new StopSignal();
    running = signal;
    if (isClosing()) {
      signal.stop(StopSignal.Reason.CLOSING);
    }
    boolean served = false;
    try (Heartbeat beating = Heartbeat.start(leases, claim, schedule, signal)) {
      served = task.run(new Permission(signal, claim));
    } finally {
      running = null;
      release(claim, served, signal.reason());
    }
  }

  private void release(Claim claim, boolean served, Optional<StopSignal.Reason> stopped) {
    try {
      if (!leases.release(claim, served)) {
        LOG.warn(
            "stale claim not released task={} holder={} fence={}",
            claim.task(),
            claim.holder(),
            claim.fence());
      }
    } catch (DatabaseException e) {
      LOG.warn(
          "claim not released, it runs out by itself task={} fence={} sqlstate={} error=\"{}\"",
          claim.task(),
          claim.fence(),
          e.sqlState(),
          e.getMessage());
    }
    stopped.ifPresent(
        why -> LOG.info("stopped task={} fence={} reason={}", claim.task(), claim.fence(), why));
  }

  private boolean isClosing() {
    return closing.getCount() == 0;
  }

  /** Waits one poll, or until the loop is closed. */
  private void pause() {
    try {
      boolean closed = closing.await(schedule.poll().toMillis(), TimeUnit.MILLISECONDS);
      LOG.trace("poll task={} closed={}", task.name(), closed);
    } catch (InterruptedException e) {
      // A stranger's: the thread is ours, and only a close ends it. The next poll comes early.
      LOG.debug("interrupted while waiting task={}", task.name(), e);
    }
  }

  /** Stops before the next step, without waiting for it. Safe to repeat, and before the start. */
  void stop() {
    closing.countDown();
    StopSignal signal = running;
    if (signal != null) {
      signal.stop(StopSignal.Reason.CLOSING);
    }
  }

  /** {@link #stop}, then waits for the step in flight and the release. */
  @Override
  public void close() {
    stop();
    Threads.join(thread);
  }
}

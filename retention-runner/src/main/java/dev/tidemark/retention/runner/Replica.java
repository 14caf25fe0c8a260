package dev.tidemark.retention.runner;

import dev.tidemark.retention.core.cycle.Progress;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.sql.LeaseGateway;
import dev.tidemark.retention.sql.StatusGateway;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** This process's part in the schedule: a loop for each task. */
final class Replica implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger("retention");

  private final List<LeasedLoop> loops;

  private Replica(List<LeasedLoop> loops) {
    this.loops = loops;
  }

  /**
   * Registers the tasks, tells the lane its floor, and starts the loops.
   *
   * @throws dev.tidemark.retention.core.database.DatabaseException when the tasks could not be
   *     registered; then nothing was started
   */
  static Replica start(Settings settings, Work work) {
    Knobs knobs = settings.knobs();
    LeaseGateway leases = new LeaseGateway(settings.dataSource());
    ScheduledTask cycles =
        new RetentionTask(permission -> work.cycle(permission, Progress.UNWATCHED));
    WalkTask walks = new WalkTask(knobs, new StatusGateway(settings.dataSource()), work::walk);
    Schedule ofCycles = settings.schedule(knobs.interval());
    Schedule ofWalks = settings.schedule(walks.period());
    leases.register(cycles.name(), ofCycles.period());
    leases.register(walks.name(), ofWalks.period());
    settings.lane().floor(knobs.parallelism() + 1);

    Replica replica =
        new Replica(
            List.of(
                new LeasedLoop(cycles, settings.holder(), ofCycles, leases, settings.clock()),
                new LeasedLoop(walks, settings.holder(), ofWalks, leases, settings.clock())));
    replica.loops.forEach(LeasedLoop::start);
    LOG.info(
        "started holder={} period_ms={} poll_ms={} lease_ms={} parallelism={} walk_ms={}",
        settings.holder(),
        ofCycles.period().toMillis(),
        ofCycles.poll().toMillis(),
        ofCycles.lease().toMillis(),
        knobs.parallelism(),
        knobs.safetyWalk().toMillis());
    return replica;
  }

  /** Stops all before it waits for any. */
  @Override
  public void close() {
    loops.forEach(LeasedLoop::stop);
    loops.forEach(LeasedLoop::close);
  }
}

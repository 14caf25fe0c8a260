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

  private final Settings settings;
  private final List<LeasedLoop> loops;

  private Replica(Settings settings, List<LeasedLoop> loops) {
    this.settings = settings;
    this.loops = loops;
  }

  /**
   * Registers the tasks and tells the lane its floor.
   *
   * @throws dev.tidemark.retention.core.database.DatabaseException when the tasks could not be
   *     registered
   */
  static Replica register(Settings settings, Work work) {
    Knobs knobs = settings.knobs();
    LeaseGateway leases = new LeaseGateway(settings.dataSource());
    ScheduledTask cycles =
        new RetentionTask(permission -> work.cycle(permission, Progress.UNWATCHED));
    WalkTask walks = new WalkTask(knobs, new StatusGateway(settings.dataSource()), work::walk);
    ScheduledTask passes = new TableTask(work::tables);
    Schedule ofCycles = settings.schedule(knobs.interval());
    Schedule ofWalks = settings.schedule(walks.period());
    Schedule ofPasses = settings.schedule(knobs.tableInterval());
    leases.register(cycles.name(), ofCycles.period());
    leases.register(walks.name(), ofWalks.period());
    leases.register(passes.name(), ofPasses.period());
    settings.lane().floor(knobs.parallelism() + 1);

    return new Replica(
        settings,
        List.of(
            new LeasedLoop(cycles, settings.holder(), ofCycles, leases, settings.clock()),
            new LeasedLoop(walks, settings.holder(), ofWalks, leases, settings.clock()),
            new LeasedLoop(passes, settings.holder(), ofPasses, leases, settings.clock())));
  }

  void start() {
    Schedule ofCycles = settings.schedule(settings.knobs().interval());
    loops.forEach(LeasedLoop::start);
    LOG.info(
        "started holder={} period_ms={} poll_ms={} lease_ms={} parallelism={} walk_ms={} tables_ms={}",
        settings.holder(),
        ofCycles.period().toMillis(),
        ofCycles.poll().toMillis(),
        ofCycles.lease().toMillis(),
        settings.knobs().parallelism(),
        settings.knobs().safetyWalk().toMillis(),
        settings.knobs().tableInterval().toMillis());
  }

  /** Tells all loops to stop, without waiting for them. */
  void stop() {
    loops.forEach(LeasedLoop::stop);
  }

  /** Waits for the steps in flight and the releases. */
  @Override
  public void close() {
    stop();
    loops.forEach(LeasedLoop::close);
  }
}

package dev.tidemark.retention.runner;

import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.cycle.Permission;
import dev.tidemark.retention.core.cycle.Progress;
import dev.tidemark.retention.core.cycle.RetentionCycle;
import dev.tidemark.retention.core.cycle.WalkReport;
import dev.tidemark.retention.core.cycle.WatermarkWalk;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.sql.JooqRetentionDatabase;
import dev.tidemark.retention.sql.StepSettings;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a service does, whoever asked for it: cycles and walks, one of each at a time, with the line
 * each leaves in the log. A cycle remembers something of the ones before it, so there is one object
 * for the schedule and for what is asked beside it.
 */
final class Work {
  private static final Logger LOG = LoggerFactory.getLogger("retention");

  private final RetentionCycle cycle;
  private final WatermarkWalk walk;
  private final Consumer<CycleOutcome> listener;
  private final ReentrantLock oneCycle = new ReentrantLock();
  private final ReentrantLock oneWalk = new ReentrantLock();

  Work(Settings settings) {
    Knobs knobs = settings.knobs();
    JooqRetentionDatabase database =
        new JooqRetentionDatabase(
            new LaneDataSource(settings.dataSource(), settings.lane()), StepSettings.of(knobs));
    HolderLock lock =
        new HolderLock(settings.dataSource(), settings.schedule(knobs.interval()).lease());
    this.cycle = new RetentionCycle(database, lock, new ThreadWorkers(), knobs, settings.clock());
    this.walk = new WatermarkWalk(database, settings.clock());
    this.listener = settings.listener();
  }

  CycleOutcome cycle(Permission permission, Progress progress) {
    oneCycle.lock();
    try {
      CycleOutcome outcome = cycle.run(permission, progress);
      CycleLog.ended(outcome);
      tell(outcome);
      return outcome;
    } finally {
      oneCycle.unlock();
    }
  }

  /** A listener that fails is the broker's affair, and no reason to run the cycle again. */
  private void tell(CycleOutcome outcome) {
    try {
      listener.accept(outcome);
    } catch (RuntimeException e) {
      LOG.warn("the listener of cycles failed", e);
    }
  }

  WalkReport walk(Permission permission) {
    oneWalk.lock();
    try {
      WalkReport report = walk.run(permission);
      CycleLog.walked(report);
      return report;
    } finally {
      oneWalk.unlock();
    }
  }

  /** Waits for what runs now. */
  void awaitEnd() {
    for (ReentrantLock running : List.of(oneCycle, oneWalk)) {
      running.lock();
      running.unlock();
    }
  }
}

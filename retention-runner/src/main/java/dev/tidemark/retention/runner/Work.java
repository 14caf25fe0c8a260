package dev.tidemark.retention.runner;

import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.cycle.Permission;
import dev.tidemark.retention.core.cycle.Progress;
import dev.tidemark.retention.core.cycle.RetentionCycle;
import dev.tidemark.retention.core.cycle.WalkReport;
import dev.tidemark.retention.core.cycle.WatermarkWalk;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.core.table.TablePass;
import dev.tidemark.retention.core.table.TableReport;
import dev.tidemark.retention.sql.JooqRetentionDatabase;
import dev.tidemark.retention.sql.JooqTableDatabase;
import dev.tidemark.retention.sql.StepSettings;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a service does, whoever asked for it: cycles, walks and passes over the event tables, one of
 * each at a time, with the line each leaves in the log. A cycle remembers something of the ones
 * before it, so there is one object for the schedule and for what is asked beside it.
 */
final class Work {
  private static final Logger LOG = LoggerFactory.getLogger("retention");

  private final RetentionCycle cycle;
  private final WatermarkWalk walk;
  private final TablePass tables;
  private final Consumer<CycleOutcome> listener;

  /** Fair: whoever waits for the end of all work comes after those that were there before. */
  private final ReentrantLock oneCycle = new ReentrantLock(true);

  private final ReentrantLock oneWalk = new ReentrantLock(true);
  private final ReentrantLock onePass = new ReentrantLock(true);

  /** Set on the threads that do the work, step workers included. */
  private final InheritableThreadLocal<Boolean> inside = new InheritableThreadLocal<>();

  Work(Settings settings) {
    Knobs knobs = settings.knobs();
    DataSource admitted = new LaneDataSource(settings.dataSource(), settings.lane());
    JooqRetentionDatabase database = new JooqRetentionDatabase(admitted, StepSettings.of(knobs));
    HolderLock lock =
        new HolderLock(settings.dataSource(), settings.schedule(knobs.interval()).lease());
    this.cycle = new RetentionCycle(database, lock, new ThreadWorkers(), knobs, settings.clock());
    this.walk = new WatermarkWalk(database, settings.clock());
    this.tables =
        new TablePass(
            new JooqTableDatabase(admitted, knobs), knobs.tableInterval(), settings.clock());
    this.listener = settings.listener();
  }

  CycleOutcome cycle(Permission permission, Progress progress) {
    return alone(
        oneCycle,
        permission,
        () -> {
          CycleOutcome outcome = cycle.run(permission, progress);
          CycleLog.ended(outcome);
          tell(outcome);
          return outcome;
        });
  }

  /** A listener that fails is the broker's affair, and no reason to run the cycle again. */
  private void tell(CycleOutcome outcome) {
    try {
      listener.accept(outcome);
    } catch (RuntimeException | Error e) {
      LOG.warn("the listener of cycles failed", e);
    }
  }

  WalkReport walk(Permission permission) {
    return alone(
        oneWalk,
        permission,
        () -> {
          WalkReport report = walk.run(permission);
          CycleLog.walked(report);
          return report;
        });
  }

  TableReport tables(Permission permission) {
    return pass(permission, () -> tables.run(permission));
  }

  TableReport tables(Permission permission, Collection<String> policies) {
    return pass(permission, () -> tables.run(permission, policies));
  }

  private TableReport pass(Permission permission, Supplier<TableReport> pass) {
    return alone(
        onePass,
        permission,
        () -> {
          TableReport report = pass.get();
          CycleLog.passed(report);
          return report;
        });
  }

  private <T> T alone(ReentrantLock lock, Permission permission, Supplier<T> work) {
    lock.lock();
    try {
      if (permission.claim() == null && permission.signal().reason().isPresent()) {
        throw new IllegalStateException("this retention service was closed before its turn came");
      }
      inside.set(true);
      return work.get();
    } finally {
      inside.remove();
      lock.unlock();
    }
  }

  /** Whether the caller is called by the work itself: it cannot wait for its own end. */
  boolean isInside() {
    return Boolean.TRUE.equals(inside.get());
  }

  /** Waits for what runs now. */
  void awaitEnd() {
    for (ReentrantLock running : List.of(oneCycle, oneWalk, onePass)) {
      running.lock();
      running.unlock();
    }
  }
}

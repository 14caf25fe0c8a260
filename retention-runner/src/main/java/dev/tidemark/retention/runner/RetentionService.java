package dev.tidemark.retention.runner;

import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.cycle.Permission;
import dev.tidemark.retention.core.cycle.Progress;
import dev.tidemark.retention.core.cycle.RetentionCycle;
import dev.tidemark.retention.core.cycle.StopSignal;
import dev.tidemark.retention.core.cycle.WalkReport;
import dev.tidemark.retention.core.cycle.WatermarkWalk;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.sql.JooqRetentionDatabase;
import dev.tidemark.retention.sql.LeaseGateway;
import dev.tidemark.retention.sql.StatusGateway;
import dev.tidemark.retention.sql.StepSettings;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Retention on a broker's own pool: {@link #start} it beside the broker and {@link #close} it with
 * the broker. Any number of processes may do so on one database; together they keep one cadence.
 *
 * <p>It uses at most {@code parallelism + 3} connections at once: the holder of the lock, the
 * workers, the tail and the lease. Connections come back in autocommit and with every setting as it
 * was. There is no thread before the start, and all are daemons; the service owns no connection
 * between cycles and never closes the {@code DataSource}. Whatever fails after the start is logged
 * and tried again: nothing is thrown at the broker. Thread-safe.
 */
public final class RetentionService implements AutoCloseable {
  /** The cycle's name in queen.maintenance_leases. */
  public static final String TASK = "retention";

  /** The watermark walk's name in queen.maintenance_leases. */
  public static final String WALK_TASK = "retention_watermark";

  private static final Logger LOG = LoggerFactory.getLogger("retention");

  /** Beside the workers: the holder of the lock, the tail, the lease. */
  private static final int BESIDE_WORKERS = 3;

  private final Settings settings;
  private final RetentionCycle cycle;
  private final WatermarkWalk walk;
  private final ReentrantLock oneCycle = new ReentrantLock();
  private final ReentrantLock oneWalk = new ReentrantLock();
  private final Set<StopSignal> asked = ConcurrentHashMap.newKeySet();
  private final List<LeasedLoop> loops = new ArrayList<>();
  private volatile State state = State.BUILT;

  private RetentionService(Settings settings) {
    this.settings = settings;
    Knobs knobs = settings.knobs;
    JooqRetentionDatabase database =
        new JooqRetentionDatabase(
            new LaneDataSource(settings.dataSource, settings.lane), StepSettings.of(knobs));
    HolderLock lock = new HolderLock(settings.dataSource, schedule(knobs.interval()).lease());
    this.cycle = new RetentionCycle(database, lock, new ThreadWorkers(), knobs, settings.clock);
    this.walk = new WatermarkWalk(database, settings.clock);
    knobs.warnings().forEach(LOG::warn);
  }

  /** Begins a service on this pool; its schema has to be deployed. */
  public static Builder on(DataSource dataSource) {
    return new Builder(dataSource);
  }

  /** Connections a pool has to have for these knobs. */
  public static int connections(Knobs knobs) {
    return knobs.parallelism() + BESIDE_WORKERS;
  }

  /**
   * Takes part in the schedule from now on: registers the two tasks and starts a thread for each.
   * Tells the lane its floor.
   *
   * @throws dev.tidemark.retention.core.database.DatabaseException when the tasks could not be
   *     registered; then nothing was started
   * @throws IllegalStateException when it was started or closed before
   */
  public synchronized void start() {
    if (state != State.BUILT) {
      throw new IllegalStateException("a retention service starts once; this one is " + state);
    }
    Knobs knobs = settings.knobs;
    LeaseGateway leases = new LeaseGateway(settings.dataSource);
    Schedule cycles = schedule(knobs.interval());
    WalkTask walkTask = new WalkTask(knobs, new StatusGateway(settings.dataSource), this::walk);
    leases.register(TASK, cycles.period());
    leases.register(WALK_TASK, walkTask.period());
    settings.lane.floor(knobs.parallelism() + 1);

    loops.add(loop(new RetentionTask(p -> cycle(p, Progress.UNWATCHED)), cycles, leases));
    loops.add(loop(walkTask, schedule(walkTask.period()), leases));
    state = State.STARTED;
    loops.forEach(LeasedLoop::start);
    LOG.info(
        "started holder={} period_ms={} poll_ms={} lease_ms={} parallelism={} walk_ms={}",
        settings.holder,
        cycles.period().toMillis(),
        cycles.poll().toMillis(),
        cycles.lease().toMillis(),
        knobs.parallelism(),
        knobs.safetyWalk().toMillis());
  }

  private LeasedLoop loop(ScheduledTask task, Schedule schedule, LeaseGateway leases) {
    return new LeasedLoop(task, settings.holder, schedule, leases, settings.clock);
  }

  private Schedule schedule(Duration period) {
    return Schedule.of(period, settings.bounds);
  }

  /**
   * Runs one cycle now, whatever the schedule says. A second caller waits for the first.
   *
   * @return what was swept, also when {@link #close} stopped it in the middle, or {@link
   *     CycleOutcome.Busy} when another process holds the lock
   * @throws dev.tidemark.retention.core.database.DatabaseException when the database failed;
   *     committed steps stay, nothing is held
   */
  public CycleOutcome runOnce() {
    return runOnce(Progress.UNWATCHED);
  }

  /** {@link #runOnce()}, telling {@code progress} after every step. */
  public CycleOutcome runOnce(Progress progress) {
    return besideTheSchedule(permission -> cycle(permission, progress));
  }

  /**
   * Walks all watermarks now, whatever the schedule says.
   *
   * @throws dev.tidemark.retention.core.database.DatabaseException when the database failed; what
   *     was mended stays
   */
  public WalkReport walkOnce() {
    return besideTheSchedule(this::walk);
  }

  private <T> T besideTheSchedule(Function<Permission, T> work) {
    StopSignal signal = new StopSignal();
    asked.add(signal);
    try {
      // After the add: a close that came before is seen here, one that comes later finds the
      // signal.
      if (state == State.CLOSED) {
        throw new IllegalStateException("this retention service is closed");
      }
      return work.apply(Permission.unscheduled(signal));
    } finally {
      asked.remove(signal);
    }
  }

  private CycleOutcome cycle(Permission permission, Progress progress) {
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
      settings.listener.accept(outcome);
    } catch (RuntimeException e) {
      LOG.warn("the listener of cycles failed", e);
    }
  }

  private WalkReport walk(Permission permission) {
    oneWalk.lock();
    try {
      WalkReport report = walk.run(permission);
      CycleLog.walked(report);
      return report;
    } finally {
      oneWalk.unlock();
    }
  }

  /**
   * Stops before the next step: waits for the step in flight, then gives the claims back, so that
   * another replica goes on at once. Safe to repeat, and without a start.
   */
  @Override
  public void close() {
    synchronized (this) {
      state = State.CLOSED;
      asked.forEach(signal -> signal.stop(StopSignal.Reason.CLOSING));
      loops.forEach(LeasedLoop::stop);
      loops.forEach(LeasedLoop::close);
      loops.clear();
    }
    // What somebody asked for beside the schedule ends too.
    for (ReentrantLock work : List.of(oneCycle, oneWalk)) {
      work.lock();
      work.unlock();
    }
  }

  private enum State {
    BUILT,
    STARTED,
    CLOSED
  }

  private record Settings(
      DataSource dataSource,
      Knobs knobs,
      Clock clock,
      MaintenanceLane lane,
      String holder,
      Schedule.LeaseBounds bounds,
      Consumer<CycleOutcome> listener) {}

  /** How to run; everything has a default. */
  public static final class Builder {
    private final DataSource dataSource;
    private Knobs knobs = Knobs.defaults();
    private Clock clock = Clock.systemUTC();
    private MaintenanceLane lane = MaintenanceLane.OPEN;
    private String holder = Holders.ofThisProcess();
    private Schedule.LeaseBounds bounds = Schedule.LeaseBounds.DEFAULT;
    private Consumer<CycleOutcome> listener = outcome -> {};

    private Builder(DataSource dataSource) {
      this.dataSource = dataSource;
    }

    /** All knobs at once, for instance {@code Knobs.of(System.getenv())}. */
    public Builder knobs(Knobs knobs) {
      this.knobs = knobs;
      return this;
    }

    /**
     * One knob.
     *
     * @throws dev.tidemark.retention.core.knob.InvalidKnobException if the value does not parse or
     *     is out of range
     */
    public Builder knob(Knob knob, String value) {
      this.knobs = knobs.with(knob, value);
      return this;
    }

    /** The clock that may end a cycle early; it never decides what is deleted. */
    public Builder clock(Clock clock) {
      this.clock = clock;
      return this;
    }

    /** What admits the work of this service to the database. */
    public Builder lane(MaintenanceLane lane) {
      this.lane = lane;
      return this;
    }

    /**
     * Under which name this process claims tasks: not empty, and no other process has it. Without
     * it, host, pid and a random part.
     */
    public Builder holder(String holder) {
      if (holder.isBlank()) {
        throw new IllegalArgumentException("holder: must not be empty");
      }
      this.holder = holder;
      return this;
    }

    /**
     * The shortest and the longest lease; without it a minute and half an hour. A lease is twice
     * the period within these, renewed every third of it. A dead holder stalls its task for at most
     * one.
     *
     * @throws IllegalArgumentException if below 1 ms or not in order
     */
    public Builder leaseBetween(Duration shortest, Duration longest) {
      this.bounds = new Schedule.LeaseBounds(shortest, longest);
      return this;
    }

    /**
     * Told after every cycle that ended without an exception, on the thread that ran it: for a
     * broker's own metrics. What it throws is logged.
     */
    public Builder listener(Consumer<CycleOutcome> listener) {
      this.listener = listener;
      return this;
    }

    /**
     * Checks the pool and the deployed schema. No thread is started that stays.
     *
     * @throws PoolTooSmallException when the pool has fewer than {@code parallelism + 3}
     *     connections
     * @throws SchemaMismatchException naming the migration that is missing or unknown
     */
    public RetentionService build() {
      PoolCheck.require(dataSource, connections(knobs));
      SchemaCheck.requireKnown(dataSource);
      return new RetentionService(
          new Settings(dataSource, knobs, clock, lane, holder, bounds, listener));
    }
  }
}

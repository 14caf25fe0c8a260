package dev.tidemark.retention.runner;

import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.cycle.Permission;
import dev.tidemark.retention.core.cycle.Progress;
import dev.tidemark.retention.core.cycle.StopSignal;
import dev.tidemark.retention.core.cycle.WalkReport;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.core.table.TableReport;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
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

  /** The name of the work on event tables in queen.maintenance_leases. */
  public static final String TABLE_TASK = "table_retention";

  private static final Logger LOG = LoggerFactory.getLogger("retention");

  /** Beside the workers: the holder of the lock, the tail, the lease. */
  private static final int BESIDE_WORKERS = 3;

  private final Settings settings;
  private final Work work;
  private final Set<StopSignal> asked = ConcurrentHashMap.newKeySet();
  private volatile @Nullable Replica replica;
  private volatile boolean closed;

  private RetentionService(Settings settings) {
    this.settings = settings;
    this.work = new Work(settings);
    settings.knobs().warnings().forEach(LOG::warn);
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
   * Takes part in the schedule from now on: registers the three tasks and starts a thread for each.
   * Tells the lane its floor.
   *
   * @throws dev.tidemark.retention.core.database.DatabaseException when the tasks could not be
   *     registered; then nothing was started
   * @throws IllegalStateException when it was started or closed before
   */
  public synchronized void start() {
    requireOpen();
    if (replica != null) {
      throw new IllegalStateException("this retention service was started already");
    }
    Replica registered = Replica.register(settings, work);
    // A lane that was told its floor may have closed us.
    requireOpen();
    replica = registered;
    registered.start();
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
    return besideTheSchedule(permission -> work.cycle(permission, progress));
  }

  /**
   * Walks all watermarks now, whatever the schedule says.
   *
   * @throws dev.tidemark.retention.core.database.DatabaseException when the database failed; what
   *     was mended stays
   */
  public WalkReport walkOnce() {
    return besideTheSchedule(work::walk);
  }

  /**
   * Works at all event tables now, whatever the schedule says, for one period at most.
   *
   * @return what went; a table that failed is in it
   * @throws dev.tidemark.retention.core.database.DatabaseException when the database failed; what
   *     was deleted stays deleted
   */
  public TableReport tablesOnce() {
    return besideTheSchedule(work::tables);
  }

  /** {@link #tablesOnce()}, with these policies alone; one that is not there has failed. */
  public TableReport tablesOnce(Collection<String> policies) {
    return besideTheSchedule(permission -> work.tables(permission, policies));
  }

  private <T> T besideTheSchedule(Function<Permission, T> task) {
    if (work.isInside()) {
      throw new IllegalStateException("a cycle cannot ask for another from within");
    }
    StopSignal signal = new StopSignal();
    asked.add(signal);
    try {
      // After the add: a close that came before is seen here, one that comes later finds the
      // signal.
      requireOpen();
      return task.apply(Permission.unscheduled(signal));
    } finally {
      asked.remove(signal);
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("this retention service is closed");
    }
  }

  /**
   * Stops before the next step: waits for the step in flight, then gives the claims back, so that
   * another replica goes on at once. It waits as long as a statement may take (a step its timeout,
   * a list ten times that) or the pool lets a borrower wait. Safe to repeat, and without a start.
   * Called by the work itself, from a listener, a {@code Progress} or a lane, it only gives the
   * signal: nothing waits for its own end.
   */
  @Override
  public void close() {
    closed = true;
    asked.forEach(signal -> signal.stop(StopSignal.Reason.CLOSING));
    Replica started = replica;
    if (started != null) {
      started.stop();
    }
    if (work.isInside()) {
      return;
    }
    synchronized (this) {
      // Again: a start may have been under way.
      Replica last = replica;
      if (last != null) {
        last.close();
      }
    }
    // What somebody asked for beside the schedule ends too.
    work.awaitEnd();
  }

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

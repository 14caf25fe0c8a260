package dev.tidemark.retention.runner;

import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.cycle.Progress;
import dev.tidemark.retention.core.cycle.RetentionCycle;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.sql.JooqRetentionDatabase;
import dev.tidemark.retention.sql.StepSettings;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Retention on a broker's own pool.
 *
 * <p>A cycle uses at most {@code parallelism + 3} connections at once: the holder of the lock, the
 * workers, the tail and the lease. Connections come back in autocommit and with every setting as it
 * was. Nothing runs before {@link #runOnce}; the service owns no connection between cycles and
 * never closes the {@code DataSource}. Thread-safe.
 */
public final class RetentionService {
  /** The task's name in queen.maintenance_leases. */
  public static final String TASK = "retention";

  private static final Logger LOG = LoggerFactory.getLogger("retention");
  private static final Duration SHORTEST_LEASE = Duration.ofSeconds(60);
  private static final Duration LONGEST_LEASE = Duration.ofMinutes(30);

  private final RetentionCycle cycle;
  private final ReentrantLock oneAtATime = new ReentrantLock();

  private RetentionService(Builder builder) {
    Knobs knobs = builder.knobs;
    this.cycle =
        new RetentionCycle(
            new JooqRetentionDatabase(builder.dataSource, StepSettings.of(knobs)),
            new HolderLock(builder.dataSource, lease(knobs.interval())),
            new ThreadWorkers(),
            knobs,
            builder.clock);
    knobs.warnings().forEach(LOG::warn);
  }

  /** Begins a service on this pool; its schema has to be deployed. */
  public static Builder on(DataSource dataSource) {
    return new Builder(dataSource);
  }

  /**
   * Runs one cycle now, whatever the schedule says. A second caller waits for the first.
   *
   * @return what was swept, or {@link CycleOutcome.Busy} when another process holds the lock
   * @throws dev.tidemark.retention.core.database.DatabaseException when the database failed;
   *     committed steps stay, nothing is held
   */
  public CycleOutcome runOnce() {
    return runOnce(Progress.UNWATCHED);
  }

  /** {@link #runOnce()}, telling {@code progress} after every step. */
  public CycleOutcome runOnce(Progress progress) {
    oneAtATime.lock();
    try {
      CycleOutcome outcome = cycle.run(progress);
      if (outcome instanceof CycleOutcome.Swept swept) {
        CycleLog.swept(swept.report());
      }
      return outcome;
    } finally {
      oneAtATime.unlock();
    }
  }

  /** Twice the period, within a minute and half an hour. */
  static Duration lease(Duration period) {
    Duration lease = period.multipliedBy(2);
    if (lease.compareTo(SHORTEST_LEASE) < 0) {
      return SHORTEST_LEASE;
    }
    return lease.compareTo(LONGEST_LEASE) > 0 ? LONGEST_LEASE : lease;
  }

  /** How to run; everything has a default. */
  public static final class Builder {
    private final DataSource dataSource;
    private Knobs knobs = Knobs.defaults();
    private Clock clock = Clock.systemUTC();

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

    /**
     * Checks the deployed schema.
     *
     * @throws SchemaMismatchException naming the migration that is missing or unknown
     */
    public RetentionService build() {
      SchemaCheck.requireKnown(dataSource);
      return new RetentionService(this);
    }
  }
}

package dev.tidemark.retention.runner;

import dev.tidemark.retention.core.database.CycleLock;
import dev.tidemark.retention.core.database.DatabaseException;
import dev.tidemark.retention.sql.HolderTransaction;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cycle's lock: a holder transaction, kept alive by a ping every third of the lease. A runner
 * that is cut off stops pinging, and the server frees the lock within one lease.
 */
final class HolderLock implements CycleLock {
  private static final Logger LOG = LoggerFactory.getLogger("retention");
  private static final int PINGS_A_LEASE = 3;

  private final DataSource dataSource;
  private final Duration lease;

  HolderLock(DataSource dataSource, Duration lease) {
    this.dataSource = dataSource;
    this.lease = lease;
  }

  @Override
  public Optional<Held> tryAcquire(Runnable onLost) {
    return HolderTransaction.open(dataSource, lease).map(holder -> pinged(holder, onLost));
  }

  private Held pinged(HolderTransaction holder, Runnable onLost) {
    ScheduledExecutorService pings =
        Executors.newSingleThreadScheduledExecutor(Threads.daemon("retention-holder"));
    Held held =
        () -> {
          pings.shutdownNow();
          holder.close();
        };
    long every = Math.max(1, lease.toMillis() / PINGS_A_LEASE);
    try {
      var unused =
          pings.scheduleAtFixedRate(
              () -> ping(holder, onLost), every, every, TimeUnit.MILLISECONDS);
      return held;
    } catch (RuntimeException | Error e) {
      held.close();
      throw e;
    }
  }

  private static void ping(HolderTransaction holder, Runnable onLost) {
    try {
      holder.ping();
    } catch (RuntimeException | Error e) {
      LOG.warn(
          "the holder of the lock lost its connection sqlstate={} error=\"{}\"",
          e instanceof DatabaseException failure ? failure.sqlState() : "-",
          e.getMessage());
      onLost.run();
      // Thrown on: it ends the pings of a lock that is gone.
      throw e;
    }
  }
}

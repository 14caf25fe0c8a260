package dev.tidemark.retention.it.fault;

import com.zaxxer.hikari.HikariDataSource;
import dev.tidemark.retention.it.schedule.Fleet;
import dev.tidemark.retention.runner.RetentionService;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** A process that runs retention with a lease of 3 s, until it is killed. */
final class ShortLeaseRunner {
  private static final Duration LEASE = Duration.ofSeconds(3);

  private ShortLeaseRunner() {}

  public static void main(String[] arguments) throws InterruptedException {
    try (HikariDataSource pool = Pools.of(arguments[0], 4, Duration.ofSeconds(10));
        RetentionService service =
            RetentionService.on(pool)
                .knobs(Fleet.KNOBS)
                .holder("killed")
                .leaseBetween(LEASE, LEASE)
                .build()) {
      service.start();
      new CountDownLatch(1).await();
    }
  }
}

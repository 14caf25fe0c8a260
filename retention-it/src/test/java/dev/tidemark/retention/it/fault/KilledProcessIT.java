package dev.tidemark.retention.it.fault;

import static dev.tidemark.retention.it.schedule.Fleet.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.schedule.Fleet;
import dev.tidemark.retention.it.support.Sql;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SIGKILL of a process that holds the lease, in the middle of a step, with a short lease. */
class KilledProcessIT {
  @TempDir private Path logs;
  private final Fleet fleet = new Fleet();

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void anotherTakesOverWhenTheLeaseHasRunOutAndNothingIsLost()
      throws IOException, InterruptedException {
    Wanted wanted = new Wanted(fleet.sql, 4);
    Instant leaseUntil;
    try (Sql blocker = fleet.database.connect()) {
      blocker.begin();
      blocker.run("select from queen.log_partitions where id = ? for update", wanted.first());
      Process killed = run();
      try {
        fleet.awaitBlocked(1);
        // It polls from now on.
        fleet.started("next");
        assertThat(fleet.<String>column("holder")).isEqualTo("killed");
        leaseUntil = fleet.column("lease_until");
      } finally {
        killed.destroyForcibly();
      }
      assertThat(killed.waitFor(30, TimeUnit.SECONDS)).isTrue();
      blocker.rollback();
    }
    // Its call may go on for half a second of steps, under a claim that is still its own.
    until("the next claims it", () -> fleet.number("fence") > 1);
    assertThat(fleet.now())
        .as("not before the lease has run out, renewed once more at most, and a few polls after it")
        .isBetween(leaseUntil, leaseUntil.plusSeconds(10));
    until("swept", wanted::isSwept);
    fleet.awaitRuns(1);
    wanted.isSweptAndWhole();
  }

  private Process run() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            ShortLeaseRunner.class.getName(),
            fleet.database.url())
        .redirectErrorStream(true)
        .redirectOutput(logs.resolve("runner.log").toFile())
        .start();
  }
}

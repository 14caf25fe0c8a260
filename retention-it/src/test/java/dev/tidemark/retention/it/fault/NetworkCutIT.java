package dev.tidemark.retention.it.fault;

import static dev.tidemark.retention.it.schedule.Fleet.until;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.it.schedule.Fleet;
import dev.tidemark.retention.it.schedule.LogLines;
import dev.tidemark.retention.it.support.Locks;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.runner.RetentionService;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The network between a runner and the server goes away and neither is told: the server frees what
 * the runner held, another replica goes on, and the first finds its claim stale when it is back.
 */
class NetworkCutIT {
  private static final Duration LEASE = Duration.ofSeconds(2);

  private final Fleet fleet = new Fleet();
  private final LogLines lines = new LogLines();
  private final TcpProxy network = TcpProxy.to(fleet.database.url());
  private final Sql blocker = fleet.database.connect();
  private final HikariDataSource pool =
      Pools.of(network.through(fleet.database.url()), 6, Duration.ofSeconds(2));
  private final RetentionService cutOff =
      shortLease(RetentionService.on(pool).knobs(Fleet.KNOBS).holder("cut off")).build();

  @AfterEach
  void close() {
    blocker.close();
    network.mend();
    cutOff.close();
    fleet.close();
    pool.close();
    network.close();
    lines.close();
  }

  @Test
  void theServerFreesWhatACutOffRunnerHeldAndAnotherGoesOn() {
    Wanted wanted = new Wanted(fleet.sql, 5);
    hold(wanted);
    start();
    network.cut();
    // The call ends on the server, after half a second of steps: its claim is still its own.
    blocker.rollback();
    Instant cut = fleet.now();
    until("the server freed everything", () -> Locks.held(fleet.sql).isEmpty());
    assertThat(Duration.between(cut, fleet.now()))
        .as("the lock by the holder's lease, the partition by its step's end")
        .isLessThan(LEASE.plusSeconds(8));
    wanted.isWhole();
    long fence = fleet.number("fence");

    fleet.started("b", NetworkCutIT::shortLease);
    until("the other goes on", () -> fleet.number("fence") > fence);
    until("all is swept", wanted::isSwept);

    network.mend();
    assertThat(lines.awaited("stale claim not released task=retention "))
        .contains("task=retention", "holder=cut off", "fence=" + fence);
    cutOff.close();
    wanted.isSweptAndWhole();
  }

  @Test
  void aCallInFlightEndsWithItsStepOnceTheClaimIsTakenAndARunnerThatIsBackDoesNothing() {
    Wanted wanted = new Wanted(fleet.sql, 5);
    hold(wanted);
    start();
    network.cut();
    until("its lock is gone", () -> Locks.held(fleet.sql).size() == 1);
    fleet.set(
        "holder = 'thief', fence = fence + 1, lease_until = clock_timestamp() + interval '1 hour'");
    blocker.rollback();
    until("nothing is held", () -> Locks.held(fleet.sql).isEmpty());

    network.mend();
    lines.awaited("stale claim not released task=retention ");
    cutOff.close();
    assertThat(wanted.live()).as("but the step in flight").isEqualTo(5 * 5 - Wanted.MAY_GO);
    assertThat(fleet.<String>column("holder")).isEqualTo("thief");
  }

  /** Kept for hours, it would keep every replica from the schedule. */
  @Test
  void aCutInTheMiddleOfARenewalFreesTheRowOfTheTask() {
    Wanted wanted = new Wanted(fleet.sql, 1);
    hold(wanted);
    try (Sql row = fleet.database.connect()) {
      start();
      row.begin();
      row.run("select from queen.maintenance_leases for update");
      fleet.awaitBlocked(2);
      network.cut();
      // The renewal ends on the server, and its commit is never asked for.
      row.rollback();
    }
    until("the renewal has the row", () -> holds("the row of a task"));
    until("and loses it", () -> !holds("the row of a task"));
  }

  /** Oldest of all, so the first step waits for it. */
  private void hold(Wanted wanted) {
    blocker.begin();
    blocker.run("select from queen.log_partitions where id = ? for update", wanted.first());
  }

  private void start() {
    cutOff.start();
    fleet.awaitBlocked(1);
  }

  private boolean holds(String what) {
    return Locks.held(fleet.sql).stream().anyMatch(row -> what.equals(row.get("held")));
  }

  private static RetentionService.Builder shortLease(RetentionService.Builder builder) {
    return builder.leaseBetween(LEASE, LEASE).knob(Knob.STEP_TIMEOUT_MS, "2000");
  }
}

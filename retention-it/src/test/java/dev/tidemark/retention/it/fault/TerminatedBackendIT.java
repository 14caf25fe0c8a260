package dev.tidemark.retention.it.fault;

import static dev.tidemark.retention.it.schedule.Fleet.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.schedule.Fleet;
import dev.tidemark.retention.it.schedule.LogLines;
import dev.tidemark.retention.it.support.Gate;
import dev.tidemark.retention.it.support.Gate.Where;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.runner.RetentionService;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An administrator, or the server's memory killer, ends a backend of the runner. What that does to
 * one transaction is in FaultLaws; the end of the holder is in RunningCycleIT.
 */
class TerminatedBackendIT {
  private static final Duration LEASE = Duration.ofMillis(900);

  private final Fleet fleet = new Fleet();
  private final LogLines lines = new LogLines();

  @AfterEach
  void close() {
    fleet.close();
    lines.close();
  }

  @ParameterizedTest
  @EnumSource
  void aStepIsUndoneAndTheNextCycleDoesIt(Where where) {
    Wanted wanted = new Wanted(fleet.sql, 4);
    try (Gate gate = Gate.atWrite(fleet.database, "log_segments", where)) {
      start();
      terminate(gate.visitor(fleet.sql));
      assertThat(lines.awaited("cycle failed")).contains("sqlstate=57P01");
    }
    until("the next cycles go on", wanted::isSwept);
    wanted.isSweptAndWhole();
  }

  /** Nobody knows whether such a commit happened: here it did not. */
  @Test
  void aClaimIsLostAtItsCommitAndMadeAgain() {
    start();
    fleet.awaitRuns(1);
    Wanted wanted;
    try (Gate gate = Gate.atWrite(fleet.database, "maintenance_leases", Where.AT_COMMIT)) {
      int claiming = gate.visitor(fleet.sql);
      wanted = new Wanted(fleet.sql, 2);
      terminate(claiming);
      assertThat(lines.awaited("cycle failed")).contains("sqlstate=57P01");
    }
    until("claimed again", wanted::isSwept);
    wanted.isSweptAndWhole();
  }

  @Test
  void aReleaseIsLostAtItsCommitAndTheLeaseRunsOut() {
    Wanted wanted = new Wanted(fleet.sql, 1);
    try (Sql blocker = fleet.database.connect()) {
      blocker.begin();
      blocker.run("select from queen.log_partitions for update");
      // A lease so long that no renewal comes before the release.
      fleet.started("a");
      fleet.awaitBlocked(1);
      // The gate is for every row of leases, and the others come by once a minute at most.
      until(
          "the walk and the pass over the tables are over",
          () ->
              fleet.sql.number(
                      "select count(*) from queen.maintenance_leases where task <> ? and runs > 0",
                      RetentionService.TASK)
                  == 2);
      try (Gate gate = Gate.atWrite(fleet.database, "maintenance_leases", Where.AT_COMMIT)) {
        blocker.rollback();
        terminate(gate.visitor(fleet.sql));
        assertThat(lines.awaited("claim not released, it runs out by itself"))
            .contains("task=retention", "fence=1", "sqlstate=57P01");
      }
    }
    assertThat(fleet.<String>column("holder")).as("as if it still ran").isEqualTo("a");
    wanted.isSweptAndWhole();

    Wanted more = new Wanted(fleet.sql, 1);
    // A minute passes.
    fleet.set("lease_until = clock_timestamp()");
    until("claimed again", more::isSwept);
    assertThat(fleet.number("fence")).isGreaterThan(1);
    more.isSweptAndWhole();
  }

  private void start() {
    fleet.started("a", b -> b.leaseBetween(LEASE, LEASE));
  }

  private void terminate(int backend) {
    assertThat(fleet.sql.<Boolean>value("select pg_terminate_backend(?)", backend)).isTrue();
  }
}

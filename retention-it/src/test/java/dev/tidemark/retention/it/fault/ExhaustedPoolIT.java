package dev.tidemark.retention.it.fault;

import static dev.tidemark.retention.it.schedule.Fleet.until;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.tidemark.retention.it.schedule.Fleet;
import dev.tidemark.retention.it.schedule.LogLines;
import dev.tidemark.retention.it.support.Locks;
import dev.tidemark.retention.runner.RetentionService;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The host takes the connections of the pool it shares with a runner, and gives them back. */
class ExhaustedPoolIT {
  private static final int CONNECTIONS = 4;
  private static final Duration LEASE = Duration.ofMillis(900);

  private final Fleet fleet = new Fleet();
  private final LogLines lines = new LogLines();
  private final HikariDataSource pool =
      Pools.of(fleet.database.url(), CONNECTIONS, Duration.ofMillis(250));
  private final List<Connection> taken = new ArrayList<>();
  private RetentionService service;

  @AfterEach
  void close() throws SQLException {
    giveBack();
    service.close();
    assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    pool.close();
    fleet.close();
    lines.close();
  }

  @Test
  void withNoConnectionNothingRunsUntilTheHostGivesThemBack() throws SQLException {
    // A cycle that the host interrupts may not be able to give its claim back.
    start(builder().leaseBetween(LEASE, LEASE));
    take(CONNECTIONS);
    Wanted wanted = new Wanted(fleet.sql, 2);
    long fence = fleet.number("fence");
    assertThat(lines.awaited("cycle failed"))
        .contains("sqlstate=08001", "Connection is not available", "active=4");
    assertThat(fleet.number("fence")).as("no claim without a connection").isEqualTo(fence);

    giveBack();
    until("swept", wanted::isSwept);
    wanted.isSweptAndWhole();
  }

  @Test
  void withOneConnectionLeftACycleEndsAtItsWorkListAndGivesItsClaimBack() throws SQLException {
    start(builder());
    take(CONNECTIONS - 1);
    Wanted wanted = new Wanted(fleet.sql, 2);
    assertThat(lines.awaited("cycle failed"))
        .contains("sqlstate=08001", "Connection is not available");
    long runs = fleet.number("runs");
    until("the claim is given back, and the lock", this::isFree);
    assertThat(fleet.number("runs")).as("still due").isEqualTo(runs);
    assertThat(wanted.live()).as("nothing was swept").isEqualTo(2 * 5);

    giveBack();
    until("swept", wanted::isSwept);
    wanted.isSweptAndWhole();
  }

  private RetentionService.Builder builder() {
    return RetentionService.on(pool).knobs(Fleet.KNOBS).holder("a");
  }

  private void start(RetentionService.Builder builder) {
    service = builder.build();
    service.start();
    fleet.awaitRuns(1);
  }

  private boolean isFree() {
    return fleet.<Object>column("lease_until") == null && Locks.held(fleet.sql).isEmpty();
  }

  /** As a host does that wants them badly: it asks again when the pool has none to give. */
  private void take(int connections) throws SQLException {
    while (taken.size() < connections) {
      try {
        taken.add(pool.getConnection());
      } catch (SQLTransientConnectionException e) {
        assertThat(e.getMessage()).contains("Connection is not available");
      }
    }
  }

  private void giveBack() throws SQLException {
    for (Connection connection : taken) {
      connection.close();
    }
    taken.clear();
  }
}

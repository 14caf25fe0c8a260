package dev.tidemark.retention.it.fault;

import static dev.tidemark.retention.it.schedule.Fleet.until;
import static dev.tidemark.retention.it.support.Waiting.elsewhere;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.database.TimedOutException;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.it.schedule.Fleet;
import dev.tidemark.retention.it.schedule.LogLines;
import dev.tidemark.retention.it.support.Locks;
import dev.tidemark.retention.it.support.SessionSettings;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.Waiting.Elsewhere;
import dev.tidemark.retention.runner.RetentionService;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A statement of a cycle runs into a timeout or is cancelled. The next claimant finds the lock
 * free, and the pool its connections as if they were new.
 */
class CancelledStatementIT {
  private final Fleet fleet = new Fleet();
  private final LogLines lines = new LogLines();
  private final HikariDataSource pool = Pools.of(fleet.database.url(), 5, Duration.ofSeconds(5));
  private final Sql blocker = fleet.database.connect();
  private final Wanted wanted = new Wanted(fleet.sql, 3);

  @AfterEach
  void everyConnectionIsAsANewOne() throws SQLException {
    blocker.close();
    Map<String, String> fresh;
    try (Sql sql = fleet.database.connect()) {
      fresh = SessionSettings.of(sql);
    }
    List<Connection> all = new ArrayList<>();
    try {
      for (int i = pool.getHikariPoolMXBean().getTotalConnections(); i > 0; i--) {
        all.add(pool.getConnection());
      }
      assertThat(all).as("the holder's and another").hasSizeGreaterThanOrEqualTo(2);
      for (Connection used : all) {
        assertThat(used.getAutoCommit()).isTrue();
        assertThat(SessionSettings.of(Sql.over(used))).isEqualTo(fresh);
      }
    } finally {
      for (Connection used : all) {
        used.close();
      }
    }
    pool.close();
    fleet.close();
    lines.close();
  }

  @ParameterizedTest
  @CsvSource({"60000, 100, 57014", "100, 30000, 55P03"})
  void aWorkListThatWaitsTooLongEndsTheCycleAndTheNextOneServes(
      String lockTimeout, String stepTimeout, String state) {
    blocker.begin();
    blocker.run("lock table queen.queues in access exclusive mode");
    try (RetentionService service =
        builder()
            .knob(Knob.LOCK_TIMEOUT_MS, lockTimeout)
            .knob(Knob.STEP_TIMEOUT_MS, stepTimeout)
            .build()) {
      service.start();
      assertThat(lines.awaited("cycle failed")).contains("task=retention", "sqlstate=" + state);
      until("the claim is given back", () -> fleet.<Object>column("holder") == null);
      assertThat(fleet.number("runs")).as("still due").isZero();

      blocker.rollback();
      until("served", wanted::isSwept);
    }
    wanted.isSweptAndWhole();
  }

  @Test
  void aWorkListThatIsCancelledEndsTheCycleAndLeavesTheLockFree() {
    blocker.begin();
    blocker.run("lock table queen.queues in access exclusive mode");
    try (RetentionService service = builder().build()) {
      Elsewhere<CycleOutcome> cycle = elsewhere(service::runOnce);
      cancelTheBlocked("log_work_list_v1");
      assertThatThrownBy(cycle::get)
          .isInstanceOfSatisfying(
              TimedOutException.class, e -> assertThat(e.sqlState()).isEqualTo("57014"));
      assertThat(Locks.held(fleet.sql)).isEmpty();
      blocker.rollback();
      service.runOnce();
    }
    wanted.isSweptAndWhole();
  }

  @Test
  void aStepThatIsCancelledIsPassedAndTheOthersAreServed() {
    blocker.begin();
    blocker.run("select from queen.log_partitions where id = ? for update", wanted.first());
    try (RetentionService service = builder().build()) {
      Elsewhere<CycleOutcome> cycle = elsewhere(service::runOnce);
      // The whole call first, then the one step that shows whose fault it is.
      cancelTheBlocked("log_retention_drain_v1");
      cancelTheBlocked("log_retention_step_v1");
      cancelTheBlocked("log_txns_purge_drain_v1");
      cancelTheBlocked("log_txns_purge_step_v1");
      assertThat(((CycleOutcome.Swept) cycle.get()).report().visits().failed()).isEqualTo(2);
      assertThat(lines.beginning("step failed"))
          .hasSize(2)
          .allMatch(line -> line.contains("sqlstate=57014"));
      blocker.rollback();
      assertThat(Locks.held(fleet.sql)).isEmpty();
      wanted.isWhole();
      // It is backed off for some cycles.
      until(
          "its turn comes again",
          () -> {
            service.runOnce();
            return wanted.isSwept();
          });
    }
    wanted.isSweptAndWhole();
  }

  @Test
  void aShortTimeoutOfTheDatabaseIsNotTheOneOfAStep() {
    String name = fleet.sql.value("select quote_ident(current_database())");
    fleet.sql.run("alter database " + name + " set statement_timeout = '1s'");
    fleet.sql.run("alter database " + name + " set lock_timeout = '1s'");
    blocker.begin();
    blocker.run("select from queen.log_partitions where id = ? for update", wanted.first());
    try (RetentionService service = builder().build()) {
      Elsewhere<CycleOutcome> cycle = elsewhere(service::runOnce);
      until(
          "a step has waited longer than that",
          () ->
              fleet.sql.<Boolean>value(
                  "select exists (select from pg_stat_activity where datname = current_database()"
                      + " and cardinality(pg_blocking_pids(pid)) > 0"
                      + " and clock_timestamp() - query_start > interval '1200 ms')"));
      blocker.rollback();
      assertThat(((CycleOutcome.Swept) cycle.get()).report().visits().failed()).isZero();
    }
    wanted.isSweptAndWhole();
  }

  private RetentionService.Builder builder() {
    return RetentionService.on(pool).knobs(Fleet.KNOBS).holder("a");
  }

  private void cancelTheBlocked(String function) {
    until(
        function + " waits, and is cancelled",
        () ->
            !fleet
                .sql
                .rows(
                    "select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database()"
                        + " and cardinality(pg_blocking_pids(pid)) > 0 and strpos(query, ?) > 0",
                    function)
                .isEmpty());
  }
}

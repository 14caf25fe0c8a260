package dev.tidemark.retention.it.schedule;

import static dev.tidemark.retention.it.schedule.Fleet.PERIOD;
import static dev.tidemark.retention.it.schedule.Fleet.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.core.database.Claim;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.runner.RetentionService;
import dev.tidemark.retention.sql.LeaseGateway;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several replicas on one database: one cadence, and somebody always goes on. */
class ReplicasIT {
  private static final int LOCK = 737001;

  private final Fleet fleet = new Fleet();
  private final LogLines lines = new LogLines();

  @AfterEach
  void close() {
    fleet.close();
    lines.close();
  }

  @Test
  void threeReplicasKeepOneCadence() {
    for (String name : List.of("a", "b", "c")) {
      fleet.started(name);
    }
    Instant begin = fleet.column("last_start_at");
    fleet.awaitRuns(5);

    long runs = fleet.number("runs");
    Duration passed = Duration.between(begin, fleet.now());
    assertThat(runs)
        .as("never more cycles than periods")
        .isLessThanOrEqualTo(passed.dividedBy(PERIOD) + 1);
    assertThat(fleet.<Instant>column("next_due_at"))
        .as("the grid of the first due time, or later after an overrun")
        .isAfterOrEqualTo(begin.plus(PERIOD.multipliedBy(runs - 1)));
    assertThat(fleet.number("fence")).as("every claim was served").isIn(runs, runs + 1);
  }

  @Test
  void everyCycleIsOneReplicasAlone() {
    List<UUID> partitions = fleet.due(40);
    for (String name : List.of("a", "b", "c")) {
      fleet.started(name);
    }
    until("all is deleted", () -> fleet.live(partitions) == 0);

    assertThat(
            fleet.sql.number(
                "select count(*) from queen.retention_history where partition_id = any (?)",
                (Object) partitions.toArray(UUID[]::new)))
        .as("one step a partition")
        .isEqualTo(40);
    assertThat(Invariants.broken(fleet.sql)).isEmpty();
  }

  @Test
  void anotherReplicaTakesOverWhenTheLeaseOfADeadHolderHasRunOut() {
    LeaseGateway dead = new LeaseGateway(fleet.database.pool());
    dead.register(RetentionService.TASK, PERIOD);
    Claim claim = dead.claim(RetentionService.TASK, "dead", Duration.ofSeconds(2)).orElseThrow();
    Instant leaseUntil = fleet.column("lease_until");

    fleet.started("alive");
    fleet.awaitRuns(1);

    assertThat(fleet.<Instant>column("last_start_at"))
        .as("not before, and then within a few polls")
        .isAfterOrEqualTo(leaseUntil);
    assertThat(fleet.number("fence")).isGreaterThan(claim.fence());
    String before = row();
    assertThat(dead.release(claim, true)).as("the dead man's release").isFalse();
    assertThat(fleet.number("fence")).isGreaterThanOrEqualTo(2);
    assertThat(row().contains("dead")).as(before).isFalse();
  }

  @Test
  void aReplicaThatClosesHandsOverAtOnceAndNotAfterALease() {
    RetentionService first = fleet.started("first");
    fleet.awaitRuns(1);
    first.close();

    assertThat(fleet.<Object>column("holder")).isNull();
    assertThat(fleet.<Object>column("lease_until")).isNull();
    long runs = fleet.number("runs");
    fleet.started("second");
    fleet.awaitRuns(runs + 1);
  }

  @Test
  void aSessionThatHoldsTheLockCountsAsSweeping() {
    List<UUID> partitions = fleet.due(1);
    try (Sql old = fleet.database.connect()) {
      old.run("select pg_advisory_lock(?)", LOCK);
      fleet.started("new");
      fleet.awaitRuns(2);
      assertThat(fleet.live(partitions)).isEqualTo(1);
      old.run("select pg_advisory_unlock(?)", LOCK);
    }
    until("swept after the unlock", () -> fleet.live(partitions) == 0);
    assertThat(lines.beginning("lock busy")).hasSizeGreaterThanOrEqualTo(2);
    assertThat(lines.beginning("cycle failed")).isEmpty();
  }

  @Test
  void aTransactionThatHoldsTheLockCountsAsSweeping() {
    List<UUID> partitions = fleet.due(1);
    try (Sql other = fleet.database.connect()) {
      other.begin();
      other.run("select pg_advisory_xact_lock(?)", LOCK);
      fleet.started("new");
      fleet.awaitRuns(2);
      assertThat(fleet.live(partitions)).isEqualTo(1);
      other.commit();
    }
    until("swept after the commit", () -> fleet.live(partitions) == 0);
  }

  @Test
  void anErrorLeavesTheTaskDueAndItsLeaseFree() {
    List<UUID> partitions = fleet.due(1);
    fleet.sql.run("alter function queen.log_rules_v1 rename to log_rules_gone_v1");
    fleet.started("a");
    String line = lines.awaited("cycle failed");

    assertThat(line).contains("task=retention", "sqlstate=42883", "suppressed=0");
    until("released", () -> fleet.<Object>column("holder") == null);
    assertThat(fleet.number("runs")).isZero();
    assertThat(fleet.<Instant>column("next_due_at")).isBefore(fleet.now());
    assertThat(fleet.<Object>column("last_end_at")).isNull();

    fleet.sql.run("alter function queen.log_rules_gone_v1 rename to log_rules_v1");
    until("swept once it can be", () -> fleet.live(partitions) == 0);
  }

  @Test
  void anOverdueTaskIsServedOnceAndNotOnceForEveryPeriodMissed() {
    fleet.started("a");
    fleet.awaitRuns(1);
    fleet.set("next_due_at = clock_timestamp() - interval '1 hour'");
    long runs = fleet.number("runs");
    fleet.awaitRuns(runs + 1);

    assertThat(fleet.<Instant>column("next_due_at"))
        .isAfterOrEqualTo(fleet.<Instant>column("last_start_at"));
  }

  @Test
  void aShorterPeriodTakesEffectForAll() {
    fleet.started("slow", b -> b.knob(Knob.INTERVAL, "3600000"));
    fleet.awaitRuns(1);
    assertThat(fleet.<Instant>column("next_due_at")).isAfter(fleet.now().plusSeconds(3_000));

    fleet.started("fast");
    fleet.awaitRuns(3);
    assertThat(fleet.number("period_ms")).isEqualTo(PERIOD.toMillis());
  }

  @Test
  void aRestartDoesNotResumeAPausedTask() {
    fleet.started("a").close();
    fleet.set("enabled = false");
    long fence = fleet.number("fence");

    CountedPool pool = new CountedPool(fleet.database.pool());
    fleet.started("b", b -> b).close();
    RetentionService watched =
        RetentionService.on(pool).knobs(Fleet.KNOBS).holder("watched").build();
    try (watched) {
      watched.start();
      long before = pool.borrowed();
      until("some polls", () -> pool.borrowed() >= before + 6);
    }
    assertThat(fleet.number("fence")).isEqualTo(fence);
    assertThat(fleet.<Boolean>column("enabled")).isFalse();
  }

  private String row() {
    return fleet.sql.value(
        "select l::text from queen.maintenance_leases l where task = ?", RetentionService.TASK);
  }
}

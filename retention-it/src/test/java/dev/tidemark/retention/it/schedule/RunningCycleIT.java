package dev.tidemark.retention.it.schedule;

import static dev.tidemark.retention.it.schedule.Fleet.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.runner.RetentionService;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What happens to a cycle in the middle. A test holds the row of the oldest partition, so the first
 * step of the first chunk waits; what follows happens while it waits. A chunk has at most 64
 * partitions, and there are 70.
 */
class RunningCycleIT {
  private static final int CHUNK = 64;
  private static final int PARTITIONS = 70;

  private final Fleet fleet = new Fleet();
  private final LogLines lines = new LogLines();
  private final List<UUID> partitions = fleet.due(PARTITIONS);
  private final Sql blocker = fleet.database.connect();

  @AfterEach
  void close() {
    // Ends the transaction of a test that failed before it let go.
    blocker.close();
    fleet.close();
    lines.close();
  }

  @Test
  void aStolenLeaseStopsTheOldHolderAtTheNextStepAndItsReleaseChangesNothing() {
    startHeld(Duration.ofSeconds(60));
    fleet.set(
        "holder = 'thief', fence = fence + 1, lease_until = clock_timestamp() + interval '1 hour'");
    String stolen = row();
    letGo();

    assertThat(lines.awaited("stale claim not released"))
        .contains("task=retention", "holder=a", "fence=1");
    assertThat(lines.awaited("stopped")).contains("reason=LEASE_LOST");
    stoppedAfterTheStepInFlight();
    assertThat(row()).isEqualTo(stolen);
  }

  @Test
  void pausingStopsARunningCycleAtTheNextStepAndAllReplicas() {
    startHeld(Duration.ofSeconds(60));
    CountedPool pool = new CountedPool(fleet.database.pool());
    fleet.set("enabled = false");
    letGo();

    assertThat(lines.awaited("stopped")).contains("reason=PAUSED");
    stoppedAfterTheStepInFlight();
    until("released", () -> fleet.<Object>column("holder") == null);
    assertThat(fleet.number("runs")).as("not served").isZero();

    long fence = fleet.number("fence");
    try (RetentionService other =
        RetentionService.on(pool).knobs(Fleet.KNOBS).holder("other").build()) {
      other.start();
      long before = pool.borrowed();
      until("some polls", () -> pool.borrowed() >= before + 6);
      assertThat(fleet.number("fence")).as("nobody claims").isEqualTo(fence);
    }

    fleet.set("enabled = true");
    until("resumed", () -> fleet.live(partitions) == 0);
  }

  @Test
  void theLeaseIsRenewedForAsLongAsTheCycleRuns() {
    startHeld(Duration.ofMillis(900));
    fleet.started("b", b -> b.leaseBetween(Duration.ofMillis(900), Duration.ofMillis(900)));
    Instant first = fleet.column("lease_until");
    until(
        "two leases have passed",
        () -> fleet.<Instant>column("lease_until").isAfter(first.plusMillis(1_800)));

    assertThat(fleet.number("fence")).as("nobody else could claim it").isEqualTo(1);
    letGo();
    fleet.awaitRuns(1);
    assertThat(lines.beginning("stale claim")).isEmpty();
  }

  @Test
  void losingTheConnectionThatHoldsTheLockStopsTheCycleAndLeavesTheTaskDue() {
    startHeld(Duration.ofMillis(900));
    fleet.sql.run(
        "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid = 737001"
            + " and database = (select oid from pg_database where datname = current_database())");
    lines.awaited("the holder of the lock lost its connection");
    letGo();

    assertThat(lines.awaited("stopped")).contains("reason=LOCK_LOST");
    until("another cycle does the rest", () -> fleet.live(partitions) == 0);
    assertThat(Invariants.broken(fleet.sql)).isEmpty();
  }

  @Test
  void theHeartbeatNoticesAStolenLeaseInTheMiddleOfAChunk() {
    startHeld(Duration.ofMillis(900));
    fleet.set(
        "holder = 'thief', fence = fence + 1, lease_until = clock_timestamp() + interval '1 hour'");
    assertThat(lines.awaited("stopping")).contains("fence=1: somebody else has the task");
    letGo();

    assertThat(lines.awaited("stopped")).contains("reason=LEASE_LOST");
    assertThat(fleet.live(partitions)).as("the step in flight alone").isEqualTo(PARTITIONS - 1);
  }

  @Test
  void theHeartbeatNoticesAPauseInTheMiddleOfAChunk() {
    startHeld(Duration.ofMillis(900));
    fleet.set("enabled = false");
    assertThat(lines.awaited("stopping")).contains("the task was paused");
    letGo();

    assertThat(lines.awaited("stopped")).contains("reason=PAUSED");
    assertThat(fleet.live(partitions)).as("the step in flight alone").isEqualTo(PARTITIONS - 1);
  }

  @Test
  void aLeaseThatCannotBeRenewedForItsWholeLengthIsGivenUp() {
    startHeld(Duration.ofMillis(900));
    try (Sql row = fleet.database.connect()) {
      row.begin();
      row.run("select from queen.maintenance_leases for update");
      assertThat(lines.awaited("lease not renewed")).contains("sqlstate=55P03");
      assertThat(lines.awaited("stopping")).contains("not renewed for a whole lease");
      row.rollback();
    }
    letGo();

    assertThat(lines.awaited("stopped")).contains("reason=LEASE_LOST");
  }

  @Test
  void closingWaitsForTheChunkInFlightThenGivesTheClaimBack() {
    RetentionService service = startHeld(Duration.ofSeconds(60));
    Instant due = fleet.column("next_due_at");
    CompletableFuture<Void> closing = CompletableFuture.runAsync(service::close);
    until("the close waits for a thread", () -> joins("close"));
    assertThat(closing).isNotDone();
    letGo();
    closing.join();

    stoppedWithinOneChunk();
    assertThat(fleet.<Object>column("holder")).isNull();
    assertThat(fleet.<Object>column("lease_until")).isNull();
    assertThat(fleet.<Instant>column("next_due_at")).as("still due").isEqualTo(due);
    assertThat(fleet.number("runs")).isZero();
    assertThat(lines.awaited("stopped")).contains("reason=CLOSING");

    fleet.started("b");
    fleet.awaitRuns(1);
    assertThat(fleet.live(partitions)).as("the other goes on at once").isZero();
  }

  @Test
  void closingEndsACycleThatWasAskedForToo() {
    RetentionService service = fleet.replica("a");
    hold();
    CompletableFuture<Object> asked = CompletableFuture.supplyAsync(service::runOnce);
    fleet.awaitBlocked(1);
    CompletableFuture<Void> closing = CompletableFuture.runAsync(service::close);
    until("the close waits for the cycle", () -> joins("close"));
    letGo();
    closing.join();

    assertThat(asked.join().toString()).contains("Stopped").contains("CLOSING");
    stoppedWithinOneChunk();
  }

  @Test
  void aWindowDisabledMeanwhileStopsTheDrainAtTheNextStep() {
    startHeld(Duration.ofSeconds(60));
    fleet.sql.run(
        "select queen.configure_queue_v1(name, '{\"retentionEnabled\": false}') from queen.queues");
    letGo();
    fleet.awaitRuns(1);

    stoppedAfterTheStepInFlight();
    assertThat(lines.beginning("stopped")).as("the cycle itself went on").isEmpty();
  }

  @Test
  void aWindowWidenedMeanwhileStopsTheDrainAtTheNextStep() {
    startHeld(Duration.ofSeconds(60));
    fleet.sql.run(
        "select queen.configure_queue_v1(name, '{\"retentionSeconds\": 86400}') from queen.queues");
    letGo();
    fleet.awaitRuns(1);

    stoppedAfterTheStepInFlight();
  }

  /** Starts replica a, and returns once its first step waits. */
  private RetentionService startHeld(Duration lease) {
    hold();
    RetentionService service = fleet.started("a", b -> b.leaseBetween(lease, lease));
    fleet.awaitBlocked(1);
    return service;
  }

  private void hold() {
    blocker.begin();
    blocker.run("select from queen.log_partitions where id = ? for update", partitions.get(0));
  }

  private void letGo() {
    blocker.rollback();
  }

  private void stoppedAfterTheStepInFlight() {
    assertThat(fleet.live(partitions)).as("the step in flight alone").isEqualTo(PARTITIONS - 1);
    assertThat(Invariants.broken(fleet.sql)).isEmpty();
  }

  private void stoppedWithinOneChunk() {
    assertThat(fleet.live(partitions)).isBetween((long) PARTITIONS - CHUNK, (long) PARTITIONS - 1);
    assertThat(Invariants.broken(fleet.sql)).isEmpty();
  }

  /** Whether some thread waits inside this method of the service. */
  private static boolean joins(String method) {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(t -> t.getKey().getState() == Thread.State.WAITING)
        .anyMatch(
            t ->
                List.of(t.getValue()).stream()
                    .anyMatch(
                        f ->
                            f.getClassName().equals(RetentionService.class.getName())
                                && f.getMethodName().equals(method)));
  }

  private String row() {
    return fleet.sql.value(
        "select l::text from queen.maintenance_leases l where task = ?", RetentionService.TASK);
  }
}

package dev.tidemark.retention.it.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.runner.MaintenanceLane;
import dev.tidemark.retention.runner.RetentionService;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The lane of an embedding broker: its floor, and who takes a slot when. */
class LaneIT {
  private final Fleet fleet = new Fleet();
  private final LogLines lines = new LogLines();

  @AfterEach
  void close() {
    fleet.close();
    lines.close();
  }

  @Test
  void theFloorIsTheWorkersAndTheCyclesOwnSlot() {
    Lane lane = new Lane(100);
    fleet.started("a", b -> b.knob(Knob.PARALLELISM, "3").lane(lane));
    assertThat(lane.floor.get()).isEqualTo(4);
  }

  @Test
  void theLeaderGivesItsSlotBackBeforeTheWorkersTakeTheirs() {
    List<UUID> partitions = fleet.due(2);
    Lane lane = new Lane(2);
    try (Sql blocker = fleet.database.connect()) {
      blocker.begin();
      blocker.run("select from queen.log_partitions order by id for update");
      // Without a walk, whose slot would be one too many here.
      fleet.sql.run(
          "insert into queen.maintenance_leases (task, period_ms, enabled) values ('retention_watermark', 86400000, false)");
      fleet.started("a", b -> b.knob(Knob.PARALLELISM, "2").lane(lane));
      fleet.awaitBlocked(2);
      assertThat(lane.slots.availablePermits()).as("both slots are with the workers").isZero();
      blocker.rollback();
    }
    fleet.awaitRuns(1);
    assertThat(fleet.live(partitions)).isZero();
  }

  @Test
  void aLaneWithASingleSlotIsSlowAndNotADeadlock() {
    List<UUID> partitions = fleet.due(20);
    Lane lane = new Lane(1);
    CountedPool pool = new CountedPool(fleet.database.pool());
    var service =
        RetentionService.on(pool)
            .knobs(Fleet.KNOBS)
            .knob(Knob.PARALLELISM, "4")
            .holder("a")
            .lane(lane)
            .build();
    pool.forget();
    service.runOnce();
    service.close();

    assertThat(fleet.live(partitions)).isZero();
    assertThat(pool.most())
        .as("whoever waits for the slot has no connection: the holder's and one of the lane")
        .isEqualTo(2);
    assertThat(lane.slots.availablePermits()).as("the slot is back").isEqualTo(1);
  }

  /** So many slots, and nobody asks twice for one it has. */
  private static final class Lane implements MaintenanceLane {
    private final AtomicInteger floor = new AtomicInteger();
    private final Semaphore slots;

    Lane(int slots) {
      this.slots = new Semaphore(slots, true);
    }

    @Override
    public void floor(int slots) {
      floor.set(slots);
    }

    @Override
    public Optional<Slot> enter(Duration patience) throws InterruptedException {
      if (!slots.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        return Optional.empty();
      }
      AtomicInteger once = new AtomicInteger();
      return Optional.of(
          () -> {
            if (once.getAndIncrement() == 0) {
              slots.release();
            }
          });
    }
  }
}

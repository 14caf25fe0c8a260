package dev.tidemark.retention.it.schedule;

import static dev.tidemark.retention.it.schedule.Fleet.until;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.runner.RetentionService;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The task {@code retention_watermark}: the first fill, and the walk after it. */
class WalkScheduleIT {
  private final Fleet fleet = new Fleet();
  private final LogLines lines = new LogLines();

  @AfterEach
  void close() {
    fleet.close();
    lines.close();
  }

  @Test
  void afterAnUpgradeWithoutWatermarksTheFirstWalkFillsThemAndRetentionGoesOn() {
    List<UUID> partitions = fleet.due(5);
    forgetWatermarks();
    fleet.started("a");

    until("filled and deleted", () -> fleet.live(partitions) == 0);
    assertThat(lines.awaited("watermark walk"))
        .contains("scanned=5", "repaired=5", "held=0", "stopped=no");
    assertThat(lines.levels("watermark walk")).containsOnly(Level.INFO);
    assertThat(Invariants.broken(fleet.sql)).isEmpty();
    assertThat(walk("period_ms")).isEqualTo(86_400_000);
  }

  @Test
  void withThePeriodAtZeroTheFirstWalkIsTheLast() {
    fleet.due(5);
    forgetWatermarks();
    fleet.started("a", b -> b.knob(Knob.SAFETY_WALK_MS, "0"));
    until("the first walk is served", () -> walk("runs") == 1);
    until("nobody polls for a second", () -> walkers() == 0);

    fleet.sql.run(
        "update queen.maintenance_leases set next_due_at = clock_timestamp() where task = ?",
        RetentionService.WALK_TASK);
    long served = fleet.number("runs");
    fleet.started("b", b -> b.knob(Knob.SAFETY_WALK_MS, "0"));
    fleet.awaitRuns(served + 2);
    assertThat(walk("runs")).as("due, and not claimed").isEqualTo(1);
  }

  @Test
  void aWalkThatMetALockedRowComesAgain() {
    UUID partition = fleet.due(1).get(0);
    fleet.sql.run("update queen.queues set retention_enabled = false");
    forgetWatermarks();
    try (Sql blocker = fleet.database.connect()) {
      blocker.begin();
      blocker.run("select from queen.log_partitions where id = ? for update", partition);
      fleet.sql.run(
          "insert into queen.maintenance_leases (task, period_ms) values ('retention_watermark', 1000)");
      fleet.started("a", b -> b.knob(Knob.SAFETY_WALK_MS, "60000"));
      assertThat(lines.awaited("watermark walk")).contains("repaired=0", "held=1");
      until("a second walk", () -> lines.beginning("watermark walk").size() > 1);
      assertThat(walk("runs")).as("not served").isZero();
      blocker.rollback();
    }
    until("served", () -> walk("runs") == 1);
    assertThat(Invariants.broken(fleet.sql)).isEmpty();
  }

  private void forgetWatermarks() {
    fleet.sql.run("update queen.log_partitions set oldest_live_at = null, oldest_txn_at = null");
  }

  private long walk(String column) {
    return fleet.sql.number(
        "select " + column + " from queen.maintenance_leases where task = ?",
        RetentionService.WALK_TASK);
  }

  private static long walkers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(t -> t.getName().equals("retention-" + RetentionService.WALK_TASK))
        .count();
  }
}

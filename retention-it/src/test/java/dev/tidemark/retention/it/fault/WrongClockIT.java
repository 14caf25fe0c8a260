package dev.tidemark.retention.it.fault;

import static dev.tidemark.retention.it.schedule.Fleet.PERIOD;
import static dev.tidemark.retention.it.schedule.Fleet.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.it.schedule.Fleet;
import dev.tidemark.retention.it.support.Invariants;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The clock of the runner's machine is wrong by days, or jumps. The database's decides. */
class WrongClockIT {
  private final Fleet fleet = new Fleet();

  @AfterEach
  void close() {
    fleet.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {-400, 0, 400})
  void theCadenceAndWhatGoesAreTheSame(int days) {
    UUID partition = partition();
    UUID empty = fleet.log.partition("empty", "p");
    fleet.sql.run(
        "insert into queen.worker_metrics (worker_id, sampled_at) values ('w', now() - interval '1 day')");

    SetClock clock = new SetClock(Duration.ofDays(days));
    fleet.started("a", b -> b.clock(clock));
    fleet.awaitRuns(3);

    assertOnlyOldOnesWent(partition);
    assertThat(fleet.sql.number("select count(*) from queen.log_partitions where id = ?", empty))
        .as("an empty partition of today")
        .isEqualTo(1);
    assertThat(fleet.sql.number("select count(*) from queen.worker_metrics"))
        .as("a sample of yesterday")
        .isEqualTo(1);
    isOnTheGrid();
  }

  @Test
  void aClockThatJumpsAfterEveryCycleChangesNeither() {
    UUID partition = partition();
    SetClock clock = new SetClock(Duration.ZERO);
    AtomicInteger jumps = new AtomicInteger();
    fleet.started(
        "a", b -> b.clock(clock).listener(outcome -> clock.set(jump(jumps.incrementAndGet()))));
    fleet.awaitRuns(4);

    assertThat(jumps.get()).isGreaterThanOrEqualTo(4);
    assertOnlyOldOnesWent(partition);
    isOnTheGrid();
  }

  /** A budget that a jump used up shortens a cycle; the next does the rest. */
  @ParameterizedTest
  @ValueSource(ints = {-3, 3})
  void aClockThatJumpsInACycleOnlyEndsItEarly(int days) {
    int chunk = 64;
    List<UUID> partitions = fleet.due(chunk + 6);
    SetClock clock = new SetClock(Duration.ZERO);
    var service = fleet.replica("a", b -> b.clock(clock));
    CycleOutcome outcome = service.runOnce((segments, rows) -> clock.set(Duration.ofDays(days)));

    assertThat(((CycleOutcome.Swept) outcome).report().segmentsDeleted()).isEqualTo(chunk);
    service.runOnce();
    assertThat(fleet.live(partitions)).isZero();
    assertThat(Invariants.broken(fleet.sql)).isEmpty();
  }

  private static Duration jump(int cycle) {
    return Duration.ofDays(cycle % 2 == 0 ? 2L * cycle : -3L * cycle);
  }

  /** Three segments: two older than the window of two hours, one younger. */
  private UUID partition() {
    fleet.log.configure("q", "{\"retentionEnabled\": true, \"retentionSeconds\": 7200}");
    UUID partition = fleet.log.partition("q", "p");
    for (int minutes : List.of(180, 125, 115)) {
      fleet.log.append(partition, fleet.log.ago(Duration.ofMinutes(minutes)), 1);
    }
    return partition;
  }

  private void assertOnlyOldOnesWent(UUID partition) {
    until("the old ones are gone", () -> fleet.live(List.of(partition)) <= 1);
    assertThat(fleet.log.segments(partition)).extracting(s -> s.base()).containsExactly(2L);
    assertThat(Invariants.broken(fleet.sql)).isEmpty();
  }

  private void isOnTheGrid() {
    Instant first =
        fleet.sql.<Instant>value(
            "select next_due_at - runs * period_ms * interval '1 millisecond'"
                + " from queen.maintenance_leases where task = 'retention'");
    long periods = Duration.between(first, fleet.now()).dividedBy(PERIOD);
    assertThat(fleet.number("runs")).isBetween(3L, periods + 1);
  }
}

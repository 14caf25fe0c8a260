package dev.tidemark.retention.it.schedule;

import static dev.tidemark.retention.it.schedule.Fleet.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.runner.MaintenanceLane;
import dev.tidemark.retention.runner.PoolTooSmallException;
import dev.tidemark.retention.runner.RetentionService;
import dev.tidemark.retention.runner.SchemaMismatchException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a broker relies on when it embeds the service. */
class ServiceIT {
  private final Fleet fleet = new Fleet();
  private final LogLines lines = new LogLines();

  @AfterEach
  void close() {
    fleet.close();
    lines.close();
  }

  @Test
  void thereIsNoThreadBeforeTheStartAndNoneAfterTheClose() {
    RetentionService service = fleet.replica("a");
    assertThat(threads()).isEmpty();
    service.start();
    assertThat(threads()).isNotEmpty().allMatch(Thread::isDaemon);
    service.close();
    assertThat(threads()).isEmpty();
  }

  @Test
  void nothingIsRegisteredBeforeTheStart() {
    fleet.replica("a");
    assertThat(fleet.sql.number("select count(*) from queen.maintenance_leases")).isZero();
  }

  @Test
  void aServiceStartsOnceAndClosesAsOftenAsOneLikes() {
    RetentionService service = fleet.started("a");
    assertThatThrownBy(service::start).isInstanceOf(IllegalStateException.class);
    service.close();
    service.close();
    assertThatThrownBy(service::start).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(service::runOnce)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    fleet.replica("never started").close();
  }

  @Test
  void aCycleCanBeAskedForBesideTheSchedule() {
    RetentionService service = fleet.started("a", b -> b.knob(Knob.INTERVAL, "3600000"));
    fleet.awaitRuns(1);
    var partitions = fleet.due(2);
    service.runOnce();
    assertThat(fleet.live(partitions)).isZero();
    assertThat(fleet.number("runs")).isEqualTo(1);
  }

  @Test
  void aListenerIsToldOfEveryCycleAndItsFailureIsItsOwn() {
    List<CycleOutcome> told = new CopyOnWriteArrayList<>();
    var partitions = fleet.due(1);
    fleet.started(
        "a",
        b ->
            b.listener(
                outcome -> {
                  told.add(outcome);
                  throw new NoClassDefFoundError("no room for metrics");
                }));
    fleet.awaitRuns(2);
    until("told of both", () -> told.size() >= 2);
    assertThat(fleet.live(partitions)).isZero();
    assertThat(((CycleOutcome.Swept) told.get(0)).report().segmentsDeleted()).isEqualTo(1);
    assertThat(lines.beginning("the listener of cycles failed")).isNotEmpty();
    assertThat(lines.beginning("cycle failed")).isEmpty();
  }

  @Test
  void aListenerMayCloseTheServiceAndIsNotMadeToWaitForItself() {
    AtomicReference<RetentionService> self = new AtomicReference<>();
    RetentionService service = fleet.replica("a", b -> b.listener(outcome -> self.get().close()));
    self.set(service);
    service.start();
    until("all threads have ended", () -> threads().isEmpty());
    service.close();
    assertThat(fleet.<Object>column("holder")).isNull();
  }

  @Test
  void aLaneMayCloseTheServiceWhileItStarts() {
    AtomicReference<RetentionService> self = new AtomicReference<>();
    RetentionService service =
        fleet.replica(
            "a",
            b ->
                b.lane(
                    new MaintenanceLane() {
                      @Override
                      public void floor(int slots) {
                        self.get().close();
                      }

                      @Override
                      public Optional<Slot> enter(Duration patience) {
                        throw new AssertionError("nothing is to run");
                      }
                    }));
    self.set(service);
    assertThatThrownBy(service::start).hasMessageContaining("closed");
    assertThat(threads()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"P0001", "0A000", "53400", "58030", "3F000", "57P05"})
  void aPartitionWhoseStepFailsIsPassedWhateverCodeItFailsWith(String code) {
    var partitions = fleet.due(10);
    fleet.sql.run(
        "create function public.poison() returns trigger language plpgsql as $$ begin"
            + " if old.id = '"
            + partitions.get(0)
            + "' then raise exception 'no' using errcode = '"
            + code
            + "'; end if; return new; end $$");
    fleet.sql.run(
        "create trigger poison before update on queen.log_partitions"
            + " for each row execute function public.poison()");
    RetentionService service = fleet.replica("a");
    CycleOutcome.Swept swept = (CycleOutcome.Swept) service.runOnce();

    assertThat(fleet.live(partitions)).as("the others are served").isEqualTo(1);
    assertThat(swept.report().segmentsDeleted()).isEqualTo(9);
    assertThat(((CycleOutcome.Swept) service.runOnce()).report().visits().backedOff())
        .as("and that one is backed off")
        .isPositive();
  }

  @Test
  void aHikariPoolThatIsTooSmallIsRefusedByName() {
    try (HikariDataSource pool = pool(5)) {
      assertThatThrownBy(() -> RetentionService.on(pool).knob(Knob.PARALLELISM, "3").build())
          .isInstanceOf(PoolTooSmallException.class)
          .hasMessageContaining("pool 'small' has 5 connections")
          .hasMessageContaining("at least 6");
      RetentionService.on(pool).knob(Knob.PARALLELISM, "2").build();
    }
  }

  @Test
  void anyOtherPoolHasToGiveTheConnectionsAndGetsThemBack() {
    try (HikariDataSource small = pool(3)) {
      CountedPool pool = new CountedPool(small);
      assertThatThrownBy(() -> RetentionService.on(pool).build())
          .isInstanceOf(PoolTooSmallException.class)
          .hasMessageContaining("gave 3 connections")
          .hasMessageContaining("at least 4");
      until("all are back", () -> pool.out() == 0);
    }
    try (HikariDataSource enough = pool(4)) {
      CountedPool pool = new CountedPool(enough);
      RetentionService.on(pool).build();
      assertThat(pool.out()).isZero();
    }
  }

  @Test
  void theSmallestPoolAllowedIsEnoughForEverythingAtOnce() {
    try (HikariDataSource smallest = pool(5)) {
      CountedPool pool = new CountedPool(smallest);
      var partitions = fleet.due(30);
      fleet.sql.run("update queen.log_partitions set oldest_txn_at = null");
      RetentionService service =
          RetentionService.on(pool)
              .knobs(Fleet.KNOBS)
              .knob(Knob.PARALLELISM, "2")
              .leaseBetween(Duration.ofMillis(300), Duration.ofMillis(300))
              .holder("a")
              .build();
      pool.forget();
      try (service) {
        service.start();
        until("all is deleted", () -> fleet.live(partitions) == 0);
        fleet.awaitRuns(2);
      }
      assertThat(pool.most()).isLessThanOrEqualTo(5);
      assertThat(lines.beginning("cycle failed")).isEmpty();
      assertThat(pool.out()).isZero();
    }
  }

  @Test
  void aSchemaThatIsNotDeployedIsRefused() {
    try (var empty = TestDatabase.empty()) {
      assertThatThrownBy(() -> RetentionService.on(empty.pool()).build())
          .isInstanceOf(SchemaMismatchException.class);
    }
  }

  @Test
  void theStartSaysUnderWhichNameAndHowOften() {
    fleet.started("a");
    assertThat(lines.awaited("started"))
        .contains("holder=a", "period_ms=1000", "poll_ms=500", "lease_ms=60000", "parallelism=1");
  }

  @Test
  void anIdleCycleSpeaksAtDebugAndOneThatDeletedAtInfo() {
    RetentionService service = fleet.replica("a");
    service.runOnce();
    fleet.due(1);
    service.runOnce();
    assertThat(lines.levels("swept")).containsExactly(Level.DEBUG, Level.INFO);
    assertThat(lines.beginning("swept").get(1))
        .contains(
            "queues=1",
            "due=2",
            "backed_off=0",
            "segments_deleted=1",
            "txns_purged=1",
            "max_wait_evicted=0",
            "partitions_deleted=0",
            "failed=0",
            "metrics_purged=0",
            "history_rolled_up=0",
            "elapsed_ms=");
  }

  private static List<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(t -> t.getName().startsWith("retention-"))
        .toList();
  }

  private HikariDataSource pool(int connections) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("small");
    config.setJdbcUrl(fleet.database.url());
    config.setMaximumPoolSize(connections);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(2_000);
    return new HikariDataSource(config);
  }
}

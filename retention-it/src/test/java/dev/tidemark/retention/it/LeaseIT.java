package dev.tidemark.retention.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.SqlFailure;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code lease_*_v1}: the durable schedule, and who of many may run a task. */
class LeaseIT {
  private static final long PERIOD = 60_000;
  private static final long LEASE = 120_000;

  private static TestDatabase database;
  private static Sql sql;
  private String task;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void aTaskThatIsDue() {
    task = "task-" + UUID.randomUUID();
    register(PERIOD);
  }

  // Claim.

  @Test
  void aDueTaskIsClaimedOnceAndStampedByTheServersClock() {
    Instant before = now();
    Map<String, Object> claim = claimed("a");
    Instant after = now();
    assertThat((long) claim.get("fence")).isEqualTo(1);
    assertThat((long) claim.get("runs")).isZero();
    assertThat((Instant) claim.get("lease_until"))
        .isBetween(before.plusMillis(LEASE), after.plusMillis(LEASE));
    assertThat(at("last_start_at")).isBetween(before, after);
    assertThat(column("holder")).isEqualTo("a");
    assertThat(claim("b")).as("while it is leased").isEmpty();
    assertThat(claim("a")).as("nor by its holder").isEmpty();
  }

  @Test
  void aTaskThatIsNotDueYetIsNotClaimed() {
    set("next_due_at = clock_timestamp() + interval '1 minute'");
    assertThat(claim("a")).isEmpty();
    assertThat((long) column("fence")).isZero();
  }

  @Test
  void aPausedTaskIsNotClaimed() {
    set("enabled = false");
    assertThat(claim("a")).isEmpty();
    set("enabled = true");
    assertThat(claim("a")).hasSize(1);
  }

  @Test
  void anUnknownTaskIsNotClaimed() {
    task = "unknown";
    assertThat(claim("a")).isEmpty();
  }

  @Test
  void aLeaseThatRanOutIsTakenOverUnderAHigherFence() {
    claimed("a");
    set("lease_until = clock_timestamp() - interval '1 microsecond'");
    assertThat((long) claimed("b").get("fence")).isEqualTo(2);
    assertThat(column("holder")).isEqualTo("b");
  }

  @Test
  void aClaimDoesNotMoveTheSchedule() {
    Instant due = at("next_due_at");
    claimed("a");
    assertThat(at("next_due_at")).isEqualTo(due);
    assertThat((long) column("runs")).isZero();
  }

  @Test
  void theFenceGrowsWithEveryClaimAndNeverGoesBack() {
    for (long fence = 1; fence <= 5; fence++) {
      assertThat((long) claimed("a").get("fence")).isEqualTo(fence);
      release("a", fence, false);
    }
  }

  @Test
  void exactlyOneOfEightThreadsClaims() throws Exception {
    int threads = 8;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    List<Sql> sessions = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      sessions.add(database.connect());
    }
    try {
      for (int round = 1; round <= 20; round++) {
        CyclicBarrier barrier = new CyclicBarrier(threads);
        List<Future<Integer>> claims = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
          Sql session = sessions.get(i);
          String holder = "thread-" + i;
          claims.add(
              pool.submit(
                  () -> {
                    barrier.await(20, TimeUnit.SECONDS);
                    return claim(session, holder).size();
                  }));
        }
        int won = 0;
        for (Future<Integer> claim : claims) {
          won += claim.get(20, TimeUnit.SECONDS);
        }
        assertThat(won).as("round " + round).isEqualTo(1);
        assertThat((long) column("fence")).isEqualTo(round);
        set("lease_until = null");
      }
    } finally {
      pool.shutdownNow();
      sessions.forEach(Sql::close);
    }
  }

  @Test
  void aClaimThatWaitedForAnotherSeesThatTheTaskIsGone() {
    try (Sql first = database.connect();
        Sql second = database.connect()) {
      first.begin();
      assertThat(claim(first, "first")).hasSize(1);
      Waiting.Elsewhere<Integer> claim =
          Waiting.blocked(sql, second, session -> claim(session, "second").size());
      first.commit();
      assertThat(claim.get()).isZero();
      assertThat(column("holder")).isEqualTo("first");
    }
  }

  // Renew.

  @Test
  void aRenewalMovesTheEndOfTheLeaseAndNothingElse() {
    claimed("a");
    set("lease_until = clock_timestamp() + interval '1 second'");
    Instant due = at("next_due_at");
    Instant before = now();
    assertThat(renew("a", 1)).isEqualTo("renewed");
    assertThat(at("lease_until")).isAfterOrEqualTo(before.plusMillis(LEASE));
    assertThat((long) column("fence")).isEqualTo(1);
    assertThat(at("next_due_at")).isEqualTo(due);
  }

  @Test
  void aPausedTaskIsNotRenewedButStillOurs() {
    claimed("a");
    Instant until = at("lease_until");
    set("enabled = false");
    assertThat(renew("a", 1)).isEqualTo("paused");
    assertThat(at("lease_until")).isEqualTo(until);
    assertThat(release("a", 1, true)).isTrue();
  }

  @Test
  void aStolenLeaseIsLost() {
    claimed("a");
    set("lease_until = clock_timestamp()");
    claimed("b");
    Instant until = at("lease_until");
    assertThat(renew("a", 1)).isEqualTo("lost");
    assertThat(at("lease_until")).isEqualTo(until);
    assertThat(renew("b", 1)).as("the fence of the one before").isEqualTo("lost");
    assertThat(renew("a", 2)).as("the fence of the one after").isEqualTo("lost");
    assertThat(renew("b", 2)).isEqualTo("renewed");
  }

  @Test
  void aReleasedOrVanishedTaskIsLost() {
    claimed("a");
    release("a", 1, true);
    assertThat(renew("a", 1)).isEqualTo("lost");
    sql.run("delete from queen.maintenance_leases where task = ?", task);
    assertThat(renew("a", 1)).isEqualTo("lost");
  }

  @Test
  void aLeaseThatRanOutUnnoticedIsStillOurs() {
    claimed("a");
    set("lease_until = clock_timestamp() - interval '1 hour'");
    assertThat(renew("a", 1)).isEqualTo("renewed");
    assertThat(claim("b")).isEmpty();
  }

  // Release.

  @Test
  void aServedPeriodMovesTheScheduleByExactlyOnePeriod() {
    set("next_due_at = clock_timestamp() - interval '20 seconds'");
    Instant due = at("next_due_at");
    claimed("a");
    Instant before = now();
    assertThat(release("a", 1, true)).isTrue();
    assertThat(at("next_due_at")).isEqualTo(due.plusMillis(PERIOD));
    assertThat((long) column("runs")).isEqualTo(1);
    assertThat(column("holder")).isNull();
    assertThat(column("lease_until")).isNull();
    assertThat(at("last_end_at")).isBetween(before, now());
    assertThat(claim("b")).as("not due again").isEmpty();
  }

  @Test
  void anOverrunDoesNotCompound() {
    set("next_due_at = clock_timestamp() - interval '10 days'");
    claimed("a");
    Instant before = now();
    release("a", 1, true);
    assertThat(at("next_due_at")).as("due now, and not 14399 times").isBetween(before, now());
    assertThat(claim("a")).hasSize(1);
  }

  @Test
  void anUnservedTaskStaysDue() {
    Instant due = at("next_due_at");
    claimed("a");
    assertThat(release("a", 1, false)).isTrue();
    assertThat(at("next_due_at")).isEqualTo(due);
    assertThat((long) column("runs")).isZero();
    assertThat(column("holder")).isNull();
    assertThat(claim("b")).hasSize(1);
  }

  @Test
  void aStaleFenceChangesNothing() {
    claimed("a");
    set("lease_until = clock_timestamp()");
    claimed("b");
    String before = row();
    assertThat(release("a", 1, true)).isFalse();
    assertThat(release("a", 1, false)).isFalse();
    assertThat(release("b", 1, true)).isFalse();
    assertThat(release("a", 2, true)).isFalse();
    assertThat(row()).isEqualTo(before);
    assertThat(release("b", 2, true)).isTrue();
    assertThat(release("b", 2, true)).as("once").isFalse();
  }

  @Test
  void theDurationIsThatOfTheClaim() {
    claimed("a");
    set("last_start_at = clock_timestamp() - interval '1500 milliseconds'");
    release("a", 1, true);
    assertThat((long) column("last_duration_ms")).isBetween(1500L, 20_000L);
  }

  // Register.

  @Test
  void aNewTaskIsDueAtOnceAndEnabled() {
    assertThat(at("next_due_at")).isBeforeOrEqualTo(now());
    assertThat((long) column("period_ms")).isEqualTo(PERIOD);
    assertThat((boolean) column("enabled")).isTrue();
    assertThat(claim("a")).hasSize(1);
  }

  @Test
  void theSamePeriodChangesNothing() {
    claimed("a");
    set("next_due_at = clock_timestamp() + interval '50 seconds'");
    String before = row();
    register(PERIOD);
    assertThat(row()).isEqualTo(before);
  }

  @Test
  void aShorterPeriodPullsTheScheduleIn() {
    set("next_due_at = clock_timestamp() + interval '1 day'");
    Instant before = now();
    Instant due = register(5_000);
    assertThat(due).isBetween(before.plusMillis(5_000), now().plusMillis(5_000));
    assertThat(at("next_due_at")).isEqualTo(due);
    assertThat((long) column("period_ms")).isEqualTo(5_000);
  }

  @Test
  void aShorterPeriodDoesNotPushBackWhatIsDueSooner() {
    set("next_due_at = clock_timestamp() - interval '1 hour'");
    Instant due = at("next_due_at");
    register(5_000);
    assertThat(at("next_due_at")).isEqualTo(due);
  }

  @Test
  void aLongerPeriodDoesNotMoveWhatIsDue() {
    set("next_due_at = clock_timestamp() + interval '30 seconds'");
    Instant due = at("next_due_at");
    assertThat(register(10 * PERIOD)).isEqualTo(due);
    assertThat((long) column("period_ms")).isEqualTo(10 * PERIOD);
  }

  @Test
  void aPostponedTaskStaysPostponedUnlessThePeriodShrinks() {
    set("next_due_at = clock_timestamp() + interval '1 day'");
    Instant due = at("next_due_at");
    assertThat(register(PERIOD)).isEqualTo(due);
    assertThat(register(2 * PERIOD)).isEqualTo(due);
    assertThat(register(PERIOD)).isBefore(due);
  }

  @Test
  void aPausedTaskStaysPausedAndALeasedOneLeased() {
    claimed("a");
    set("enabled = false");
    register(5_000);
    assertThat((boolean) column("enabled")).isFalse();
    assertThat(column("holder")).isEqualTo("a");
    assertThat((long) column("fence")).isEqualTo(1);
  }

  // Beside the schedule, and a look at it.

  @Test
  void aCycleBesideTheScheduleIsNotedAndMovesNothing() {
    Instant due = at("next_due_at");
    note(4_000);
    assertThat((long) column("last_duration_ms")).isEqualTo(4_000);
    assertThat(Duration.between(at("last_start_at"), at("last_end_at")))
        .isCloseTo(Duration.ofMillis(4_000), Duration.ofMillis(500));
    assertThat(at("next_due_at")).isEqualTo(due);
    assertThat((long) column("fence")).isZero();
    assertThat((long) column("runs")).isZero();
    assertThat((long) column("period_ms")).isEqualTo(PERIOD);
  }

  @Test
  void aClaimThatIsRunningKeepsItsOwnTimes() {
    claimed("a");
    Instant start = at("last_start_at");
    note(4_000);
    assertThat(at("last_start_at")).isEqualTo(start);
    assertThat(column("last_end_at")).isNull();
  }

  @Test
  void aCycleOfAnUnknownTaskIsNotedUnderItsPeriod() {
    task = "noted-" + UUID.randomUUID();
    note(0);
    assertThat((long) column("period_ms")).isEqualTo(7_000);
    assertThat(claim("a")).as("and the task is due").hasSize(1);
  }

  @Test
  void statusShowsEveryTaskByName() {
    claimed("a");
    register("aa-" + task, PERIOD);
    List<Map<String, Object>> status = sql.rows("select * from queen.lease_status_v1()");
    assertThat(status).extracting(row -> (String) row.get("task")).isSorted().contains(task);
    Map<String, Object> ours =
        status.stream().filter(row -> row.get("task").equals(task)).findAny().orElseThrow();
    assertThat(ours.get("holder")).isEqualTo("a");
    assertThat(ours.get("lease_until")).isEqualTo(at("lease_until"));
    assertThat(ours.get("last_end_at")).isNull();
    assertThat(ours.get("runs")).isEqualTo(0L);
  }

  @Test
  void theRetentionRoleRunsTheScheduleAndAReaderOnlyLooks() {
    try (Sql session = database.connect()) {
      session.run("set role queen_retention");
      session.run("select queen.lease_register_v1(p_task => ?, p_period_ms => 1000)", task);
      assertThat(claim(session, "a")).hasSize(1);
      session.run("set role queen_reader");
      assertThat(session.rows("select * from queen.lease_status_v1()")).isNotEmpty();
      assertThatExceptionOfType(SqlFailure.class)
          .isThrownBy(() -> claim(session, "b"))
          .extracting(SqlFailure::state)
          .isEqualTo("42501");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "lease_register_v1(p_task => null, p_period_ms => 1)",
        "lease_register_v1(p_task => '', p_period_ms => 1)",
        "lease_register_v1(p_task => 't', p_period_ms => null)",
        "lease_register_v1(p_task => 't', p_period_ms => 0)",
        "lease_register_v1(p_task => 't', p_period_ms => -1)",
        "lease_register_v1(p_task => 't', p_period_ms => 31622400001)",
        "lease_register_v1(p_task => 't', p_period_ms => 9223372036854775807)",
        "lease_claim_v1(p_task => 'x', p_holder => 'h', p_lease_ms => 9223372036854775807)",
        "lease_renew_v1(p_task => 'x', p_holder => 'h', p_fence => 1, p_lease_ms => 9223372036854775807)",
        "lease_note_cycle_v1(p_task => 'x', p_period_ms => 1, p_duration_ms => 9223372036854775807)",
        "lease_claim_v1(p_task => null, p_holder => 'h', p_lease_ms => 1)",
        "lease_claim_v1(p_task => '', p_holder => 'h', p_lease_ms => 1)",
        "lease_claim_v1(p_task => 't', p_holder => null, p_lease_ms => 1)",
        "lease_claim_v1(p_task => 't', p_holder => '', p_lease_ms => 1)",
        "lease_claim_v1(p_task => 't', p_holder => 'h', p_lease_ms => null)",
        "lease_claim_v1(p_task => 't', p_holder => 'h', p_lease_ms => 0)",
        "lease_renew_v1(p_task => null, p_holder => 'h', p_fence => 1, p_lease_ms => 1)",
        "lease_renew_v1(p_task => 't', p_holder => null, p_fence => 1, p_lease_ms => 1)",
        "lease_renew_v1(p_task => 't', p_holder => 'h', p_fence => null, p_lease_ms => 1)",
        "lease_renew_v1(p_task => 't', p_holder => 'h', p_fence => 1, p_lease_ms => null)",
        "lease_renew_v1(p_task => 't', p_holder => 'h', p_fence => 1, p_lease_ms => 0)",
        "lease_release_v1(p_task => null, p_holder => 'h', p_fence => 1, p_served => true)",
        "lease_release_v1(p_task => 't', p_holder => null, p_fence => 1, p_served => true)",
        "lease_release_v1(p_task => 't', p_holder => 'h', p_fence => null, p_served => true)",
        "lease_release_v1(p_task => 't', p_holder => 'h', p_fence => 1, p_served => null)",
        "lease_enable_v1(p_task => null, p_enabled => true)",
        "lease_enable_v1(p_task => '', p_enabled => true)",
        "lease_enable_v1(p_task => 't', p_enabled => null)",
        "lease_enable_v1(p_task => 't', p_enabled => true)",
        "lease_note_cycle_v1(p_task => null, p_period_ms => 1, p_duration_ms => 0)",
        "lease_note_cycle_v1(p_task => 't', p_period_ms => 0, p_duration_ms => 0)",
        "lease_note_cycle_v1(p_task => 't', p_period_ms => 1, p_duration_ms => -1)",
        "lease_note_cycle_v1(p_task => 't', p_period_ms => 1, p_duration_ms => null)"
      })
  void aBadArgumentIsRefused(String call) {
    assertThatExceptionOfType(SqlFailure.class)
        .isThrownBy(() -> sql.rows("select * from queen." + call))
        .extracting(SqlFailure::state)
        .isEqualTo("22023");
  }

  // Pause and resume.

  @Test
  void enablingChangesNothingElseAndSaysWhetherItChangedThat() {
    claimed("a");
    String before = rowBut("enabled");
    assertThat(enable(task, true)).as("it is enabled").isFalse();
    assertThat(enable(task, false)).isTrue();
    assertThat((boolean) column("enabled")).isFalse();
    assertThat(rowBut("enabled")).isEqualTo(before);
    String version =
        sql.value("select xmin::text from queen.maintenance_leases where task = ?", task);
    assertThat(enable(task, false)).as("it is paused already").isFalse();
    assertThat(
            sql.<String>value(
                "select xmin::text from queen.maintenance_leases where task = ?", task))
        .as("and was not written again")
        .isEqualTo(version);
    assertThat(enable(task, true)).isTrue();
    assertThat(rowBut("enabled")).isEqualTo(before);
  }

  @Test
  void whoeverHoldsAPausedTaskIsToldAndNobodyClaimsItUntilItIsResumed() {
    claimed("a");
    enable(task, false);
    assertThat(renew("a", 1)).isEqualTo("paused");
    release("a", 1, false);
    assertThat(claim("b")).isEmpty();
    enable(task, true);
    assertThat((long) claimed("b").get("fence")).isEqualTo(2);
  }

  @Test
  void aPauseOutlivesARegistration() {
    enable(task, false);
    register(PERIOD * 2);
    assertThat((boolean) column("enabled")).isFalse();
  }

  @Test
  void anUnknownTaskIsNotPausedButNamed() {
    assertThatExceptionOfType(SqlFailure.class)
        .isThrownBy(() -> enable("unheard of", false))
        .withMessageContaining("no task unheard of: no runner has registered it yet")
        .extracting(SqlFailure::state)
        .isEqualTo("22023");
    assertThat(
            sql.number("select count(*) from queen.maintenance_leases where task = 'unheard of'"))
        .isZero();
  }

  @Test
  void aPauseWaitsForAClaimInFlightAndIsSeenByTheNextRenewal() {
    try (Sql claimant = database.connect();
        Sql other = database.connect()) {
      claimant.begin();
      claim(claimant, "a");
      Waiting.Elsewhere<Boolean> pause =
          Waiting.blocked(
              sql,
              other,
              session ->
                  session.value(
                      "select queen.lease_enable_v1(p_task => ?, p_enabled => false)", task));
      claimant.commit();
      assertThat(pause.get()).isTrue();
    }
    assertThat(renew("a", 1)).isEqualTo("paused");
    assertThat(column("holder")).isEqualTo("a");
  }

  private static boolean enable(String name, boolean enabled) {
    return sql.value("select queen.lease_enable_v1(p_task => ?, p_enabled => ?)", name, enabled);
  }

  /** The row without one of its columns. */
  private String rowBut(String column) {
    return sql.value(
        "select (to_jsonb(l) - ?)::text from queen.maintenance_leases l where task = ?",
        column,
        task);
  }

  private Instant register(long period) {
    return register(task, period);
  }

  private static Instant register(String name, long period) {
    return sql.value("select queen.lease_register_v1(p_task => ?, p_period_ms => ?)", name, period);
  }

  private List<Map<String, Object>> claim(String holder) {
    return claim(sql, holder);
  }

  private List<Map<String, Object>> claim(Sql session, String holder) {
    return session.rows(
        "select * from queen.lease_claim_v1(p_task => ?, p_holder => ?, p_lease_ms => ?)",
        task,
        holder,
        LEASE);
  }

  private Map<String, Object> claimed(String holder) {
    List<Map<String, Object>> claim = claim(holder);
    assertThat(claim).as("the claim of " + holder).hasSize(1);
    return claim.get(0);
  }

  private String renew(String holder, long fence) {
    return sql.value(
        "select queen.lease_renew_v1(p_task => ?, p_holder => ?, p_fence => ?, p_lease_ms => ?)",
        task,
        holder,
        fence,
        LEASE);
  }

  private boolean release(String holder, long fence, boolean served) {
    return sql.value(
        "select queen.lease_release_v1(p_task => ?, p_holder => ?, p_fence => ?, p_served => ?)",
        task,
        holder,
        fence,
        served);
  }

  private void note(long duration) {
    sql.run(
        "select queen.lease_note_cycle_v1(p_task => ?, p_period_ms => 7000, p_duration_ms => ?)",
        task,
        duration);
  }

  private void set(String columns) {
    sql.run("update queen.maintenance_leases set " + columns + " where task = ?", task);
  }

  private Object column(String name) {
    return sql.value("select " + name + " from queen.maintenance_leases where task = ?", task);
  }

  private Instant at(String name) {
    return (Instant) column(name);
  }

  private String row() {
    return sql.value("select l::text from queen.maintenance_leases l where task = ?", task);
  }

  private static Instant now() {
    return sql.value("select clock_timestamp()");
  }
}

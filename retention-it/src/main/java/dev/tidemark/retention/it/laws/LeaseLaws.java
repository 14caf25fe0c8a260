package dev.tidemark.retention.it.laws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The schedule: one of many runs a task, once a period, and whoever lost it changes nothing. */
public class LeaseLaws {
  private static final long PERIOD = 60_000;
  private static final long LEASE = 120_000;

  private static TestDatabase database;
  private static Sql sql;
  private String task;

  @BeforeAll
  static void open() {
    database = Target.open();
    sql = database.connect();
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void aTaskThatIsDue() {
    task = "law-" + UUID.randomUUID();
    register(PERIOD);
  }

  @Test
  void ofTwoClaimantsAtOnceOneWins() {
    try (Sql first = database.connect();
        Sql second = database.connect()) {
      first.begin();
      assertThat(claim(first, "first")).containsExactly(1L);
      Waiting.Elsewhere<List<Object>> claim = Waiting.blocked(sql, second, s -> claim(s, "second"));
      first.commit();
      assertThat(claim.get()).isEmpty();
      assertThat(row().get("holder")).isEqualTo("first");
    }
  }

  @Test
  void aClaimThatIsUndoneLeavesTheTaskToTheNext() {
    try (Sql first = database.connect();
        Sql second = database.connect()) {
      first.begin();
      claim(first, "first");
      Waiting.Elsewhere<List<Object>> claim = Waiting.blocked(sql, second, s -> claim(s, "second"));
      first.rollback();
      assertThat(claim.get()).containsExactly(1L);
    }
  }

  @Test
  void aTaskIsClaimedWhenItIsDueAndNotBefore() {
    set("next_due_at = clock_timestamp() + interval '1 minute'");
    assertUnchanged(() -> assertThat(claim("a")).isEmpty());
    set("next_due_at = clock_timestamp()");
    assertThat(claim("a")).containsExactly(1L);
  }

  @Test
  void aLeaseKeepsEverybodyAwayUntilItRunsOut() {
    claim("a");
    assertUnchanged(
        () -> {
          assertThat(claim("b")).isEmpty();
          assertThat(claim("a")).as("its holder too").isEmpty();
        });
    expire();
    assertThat(claim("b")).containsExactly(2L);
    assertThat(row().get("holder")).isEqualTo("b");
  }

  @Test
  void whoeverLostTheLeaseChangesNothing() {
    claim("a");
    expire();
    claim("b");
    assertUnchanged(
        () -> {
          for (boolean served : List.of(true, false)) {
            assertThat(release("a", 1, served)).isFalse();
            assertThat(release("b", 1, served)).as("an older fence").isFalse();
            assertThat(release("a", 2, served)).as("another's fence").isFalse();
          }
          assertThat(renew("a", 1)).isEqualTo("lost");
          assertThat(renew("b", 1)).isEqualTo("lost");
          assertThat(renew("a", 2)).isEqualTo("lost");
          sql.run("select queen.lease_note_cycle_v1(?, 7000, 4000)", task);
        });
    assertThat(renew("b", 2)).isEqualTo("renewed");
    assertThat(release("b", 2, true)).isTrue();
  }

  @Test
  void aRenewalMovesTheEndOfTheLeaseAlone() {
    claim("a");
    set("lease_until = clock_timestamp() + interval '1 second'");
    Map<String, Object> before = row();
    Instant now = now();
    assertThat(renew("a", 1)).isEqualTo("renewed");
    Map<String, Object> after = row();
    assertThat((Instant) after.remove("lease_until")).isAfterOrEqualTo(now.plusMillis(LEASE));
    before.remove("lease_until");
    assertThat(after).isEqualTo(before);
  }

  @Test
  void aRenewalKeepsTheTaskNoLongerThanWasAskedFor() {
    claim("a");
    set("lease_until = clock_timestamp() + interval '1 hour'");
    assertThat(renew("a", 1)).isEqualTo("renewed");
    assertThat((Instant) row().get("lease_until")).isBeforeOrEqualTo(now().plusMillis(LEASE));
  }

  @Test
  void aServedPeriodMovesTheScheduleByThatPeriodAndOnlyOnce() {
    set("next_due_at = clock_timestamp() - interval '20 seconds'");
    Instant due = (Instant) row().get("next_due_at");
    claim("a");
    assertThat(row().get("next_due_at")).as("a claim does not move it").isEqualTo(due);
    assertThat(release("a", 1, true)).isTrue();
    assertThat(row())
        .containsEntry("next_due_at", due.plusMillis(PERIOD))
        .containsEntry("runs", 1L);
    assertUnchanged(() -> assertThat(release("a", 1, true)).as("again").isFalse());
    assertUnchanged(() -> assertThat(claim("b")).as("not due").isEmpty());
  }

  @Test
  void anOverrunIsFollowedByOneCycleAndNotByAllItMissed() {
    set("next_due_at = clock_timestamp() - interval '10 days'");
    claim("a");
    Instant before = now();
    release("a", 1, true);
    assertThat((Instant) row().get("next_due_at")).isBetween(before, now());
  }

  @Test
  void aPeriodThatWasNotServedIsStillDue() {
    Object due = row().get("next_due_at");
    claim("a");
    assertThat(release("a", 1, false)).isTrue();
    assertThat(row()).containsEntry("next_due_at", due).containsEntry("runs", 0L);
    assertThat(claim("b")).containsExactly(2L);
  }

  @Test
  void aPausedTaskIsNotClaimedAndItsHolderIsTold() {
    claim("a");
    Object until = row().get("lease_until");
    assertThat(enable(false)).isTrue();
    assertThat(renew("a", 1)).isEqualTo("paused");
    assertThat(row().get("lease_until")).isEqualTo(until);
    assertThat(release("a", 1, false)).as("it is still the holder's").isTrue();
    assertUnchanged(() -> assertThat(claim("b")).isEmpty());
    assertThat(enable(true)).isTrue();
    assertThat(claim("b")).containsExactly(2L);
  }

  @Test
  void aStartNeverEnablesWhatIsPausedNorTakesWhatIsLeased() {
    claim("a");
    enable(false);
    Map<String, Object> before = row();
    register(PERIOD * 2);
    Map<String, Object> after = row();
    assertThat(after.put("period_ms", PERIOD)).isEqualTo(PERIOD * 2);
    assertThat(after).isEqualTo(before);
  }

  @Test
  void aShorterPeriodPullsTheScheduleInAndALongerOneLeavesIt() {
    set("next_due_at = clock_timestamp() + interval '1 day'");
    Instant due = (Instant) row().get("next_due_at");
    assertThat(register(PERIOD)).isEqualTo(due);
    assertThat(register(PERIOD * 2)).isEqualTo(due);
    Instant before = now();
    assertThat(register(1_000)).isBetween(before.plusMillis(1_000), now().plusMillis(1_000));
    set("next_due_at = clock_timestamp() - interval '1 hour'");
    Instant past = (Instant) row().get("next_due_at");
    assertThat(register(500)).as("what is due sooner stays so").isEqualTo(past);
  }

  // Between two chunks.

  @Test
  void aChunkIsToldWhetherItsClaimStands() {
    claim("a");
    assertThat(standing("a", 1)).isEqualTo("held");
    assertThat(standing("b", 1)).isEqualTo("lost");
    assertThat(standing("a", 0)).isEqualTo("lost");
    enable(false);
    assertThat(standing("a", 1)).isEqualTo("paused");
    enable(true);
    expire();
    assertThat(standing("a", 1)).as("nobody took it").isEqualTo("held");
    claim("b");
    assertThat(standing("a", 1)).isEqualTo("lost");
    release("b", 2, true);
    assertThat(standing("b", 2)).as("given back").isEqualTo("lost");
    sql.run("delete from queen.maintenance_leases where task = ?", task);
    assertThat(standing("b", 2)).isEqualTo("lost");
    task = null;
    assertThat(standing("b", 2)).as("beside the schedule").isEqualTo("held");
  }

  @Test
  void aChunkIsToldWhatItsQueuesKeepNow() {
    claim("a");
    TestLog log = new TestLog(sql);
    String queue = "lease-" + UUID.randomUUID();
    log.configure(queue, "{\"retentionEnabled\": true, \"retentionSeconds\": 60}");
    UUID id = sql.value("select id from queen.queues where name = ?", queue);
    assertThat(Duration.between(cutoff(id, "all_cutoff"), now()))
        .isBetween(seconds(60), seconds(90));
    assertThat(cutoff(id, "completed_cutoff")).isNull();

    log.configure(queue, "{\"retentionSeconds\": 600, \"maxWaitTimeSeconds\": 300}");
    assertThat(Duration.between(cutoff(id, "all_cutoff"), now()))
        .isBetween(seconds(600), seconds(630));
    assertThat(Duration.between(cutoff(id, "max_wait_cutoff"), now()))
        .isBetween(seconds(300), seconds(330));
    log.configure(queue, "{\"retentionEnabled\": false}");
    assertThat(cutoff(id, "all_cutoff")).isNull();
    sql.json("select queen.delete_queue_v1(?)", queue);
    assertThat(check(id).get("queue_id")).isNull();
    assertThat(check(id).get("lease")).isEqualTo("held");
  }

  private static Duration seconds(int seconds) {
    return Duration.ofSeconds(seconds);
  }

  private Instant cutoff(UUID queue, String column) {
    return (Instant) check(queue).get(column);
  }

  private Map<String, Object> check(UUID queue) {
    return sql.row(
        "select * from queen.log_chunk_check_v1(?, 'a', 1, array[?::uuid])", task, queue);
  }

  private String standing(String holder, long fence) {
    return sql.value(
        "select lease from queen.log_chunk_check_v1(?, ?, ?, null)", task, holder, fence);
  }

  private void assertUnchanged(Runnable work) {
    Map<String, Object> before = row();
    work.run();
    assertThat(row()).isEqualTo(before);
  }

  private Instant register(long period) {
    return sql.value("select queen.lease_register_v1(?, ?)", task, period);
  }

  private List<Object> claim(String holder) {
    return claim(sql, holder);
  }

  private List<Object> claim(Sql session, String holder) {
    return session.column("select fence from queen.lease_claim_v1(?, ?, ?)", task, holder, LEASE);
  }

  private String renew(String holder, long fence) {
    return sql.value("select queen.lease_renew_v1(?, ?, ?, ?)", task, holder, fence, LEASE);
  }

  private boolean release(String holder, long fence, boolean served) {
    return sql.value("select queen.lease_release_v1(?, ?, ?, ?)", task, holder, fence, served);
  }

  private boolean enable(boolean enabled) {
    return sql.value("select queen.lease_enable_v1(?, ?)", task, enabled);
  }

  private void expire() {
    set("lease_until = clock_timestamp() - interval '1 microsecond'");
  }

  private void set(String columns) {
    sql.run("update queen.maintenance_leases set " + columns + " where task = ?", task);
  }

  private Map<String, Object> row() {
    return sql.row("select * from queen.maintenance_leases where task = ?", task);
  }

  private static Instant now() {
    return sql.value("select clock_timestamp()");
  }
}

package dev.tidemark.retention.it.fault;

import static dev.tidemark.retention.it.schedule.Fleet.until;
import static dev.tidemark.retention.it.support.Waiting.elsewhere;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.it.schedule.Fleet;
import dev.tidemark.retention.it.schedule.LogLines;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Locks;
import dev.tidemark.retention.it.support.SessionSettings;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestPush;
import dev.tidemark.retention.it.support.Waiting.Elsewhere;
import dev.tidemark.retention.runner.RetentionService;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Everything through a PgBouncer in transaction mode, with fewer connections to the server than the
 * runners have to it: two transactions of one session come to two backends.
 */
class PgBouncerIT {
  private static final int CONNECTIONS = 4;
  private static final String PARALLELISM = "4";

  @TempDir private static Path directory;

  private final Fleet fleet = new Fleet();
  private final LogLines lines = new LogLines();
  private PgBouncer bouncer;

  @BeforeAll
  static void itIsInstalled() {
    assumeTrue(
        PgBouncer.program().isPresent(), "pgbouncer is not installed: apt-get install pgbouncer");
  }

  @BeforeEach
  void open() {
    bouncer = PgBouncer.before(fleet.database.url(), CONNECTIONS, directory);
  }

  @AfterEach
  void close() {
    bouncer.close();
    fleet.close();
    lines.close();
  }

  @Test
  void twoReplicasSweepBesidePushesAndLeaveNoLockAndNoSetting() throws SQLException {
    Wanted wanted = new Wanted(fleet.sql, 40);
    AtomicBoolean enough = new AtomicBoolean();
    Elsewhere<Integer> pushing = elsewhere(() -> push(enough));
    try (HikariDataSource left = pool();
        HikariDataSource right = pool();
        RetentionService a = service(left, "a");
        RetentionService b = service(right, "b")) {
      a.start();
      b.start();
      until("swept", wanted::isSwept);
      fleet.awaitRuns(3);
      Wanted more = new Wanted(fleet.sql, 40);
      until("swept again", more::isSwept);
      more.isSweptAndWhole();
      enough.set(true);
      assertThat(pushing.get()).isPositive();
    }
    wanted.isSweptAndWhole();
    assertThat(Locks.held(fleet.sql)).isEmpty();
    assertThat(lines.beginning("cycle failed")).isEmpty();
    assertThat(lines.beginning("step failed")).isEmpty();
    assertThat(Invariants.broken(fleet.sql)).isEmpty();
    everyConnectionIsAsANewOne();
  }

  @Test
  void aClientThatDisconnectsInATransactionLeavesNoLock() throws SQLException {
    Wanted wanted = new Wanted(fleet.sql, 1);
    Sql client = Sql.connect(bouncer.url());
    client.begin();
    assertThat(client.<Boolean>value("select pg_try_advisory_xact_lock(737001)")).isTrue();
    client.json(
        "select queen.log_retention_step_v1(p_pid => ?, p_all_cutoff => clock_timestamp(),"
            + " p_completed_cutoff => null, p_max_rows => 10)",
        wanted.first());
    assertThat(Locks.held(fleet.sql)).hasSize(2);
    client.connection().abort(Runnable::run);

    until("the server freed everything", () -> Locks.held(fleet.sql).isEmpty());
    assertThat(wanted.live()).as("the step is undone").isEqualTo(5);
    try (HikariDataSource pool = pool();
        RetentionService service = service(pool, "a")) {
      service.runOnce();
    }
    wanted.isSweptAndWhole();
  }

  private int push(AtomicBoolean enough) {
    try (Sql session = Sql.connect(bouncer.url())) {
      TestPush pushes = new TestPush(session);
      int pushed = 0;
      while (!enough.get()) {
        assertThat(pushes.push("pushed", "p" + pushed % 3, "word" + pushed).get("status").asText())
            .isEqualTo("queued");
        pushed++;
      }
      return pushed;
    }
  }

  /** Takes all of the server's connections at once, each in a transaction, and compares. */
  private void everyConnectionIsAsANewOne() {
    Map<String, String> fresh;
    try (Sql direct = fleet.database.connect()) {
      fresh = SessionSettings.of(direct);
    }
    List<Sql> clients = new ArrayList<>();
    Set<Integer> backends = new HashSet<>();
    try {
      for (int i = 0; i < CONNECTIONS; i++) {
        Sql client = Sql.connect(bouncer.url());
        clients.add(client);
        client.begin();
        backends.add(client.backend());
        assertThat(SessionSettings.of(client)).isEqualTo(fresh);
      }
      assertThat(backends).hasSize(CONNECTIONS);
    } finally {
      clients.forEach(Sql::close);
    }
  }

  private HikariDataSource pool() {
    return Pools.of(bouncer.url(), 7, Duration.ofSeconds(10));
  }

  private static RetentionService service(HikariDataSource pool, String holder) {
    return RetentionService.on(pool)
        .knobs(Fleet.KNOBS)
        .knob(Knob.PARALLELISM, PARALLELISM)
        .holder(holder)
        .build();
  }
}

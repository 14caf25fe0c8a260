package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Waiting.elsewhere;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tidemark.retention.core.database.DatabaseUnavailableException;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.Waiting;
import dev.tidemark.retention.sql.HolderTransaction;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The transaction that keeps two cycles apart: real exclusion, real release, and nothing in the
 * way.
 */
class HolderTransactionIT {
  private static final Duration LONG = Duration.ofMinutes(1);

  /** Still longer than a cold JVM needs from one statement of the opening to the next. */
  private static final Duration SHORT = Duration.ofSeconds(2);

  private static final String HOLDER =
      "select pid from pg_locks where locktype = 'advisory' and objid = 737001 and granted"
          + " and database = (select oid from pg_database where datname = current_database())";

  private static TestDatabase database;
  private static Sql sql;
  private HikariDataSource pool;

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
  void aPoolOfTwo() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.setMaximumPoolSize(2);
    config.setMinimumIdle(0);
    pool = new HikariDataSource(config);
  }

  @AfterEach
  void nothingIsHeld() {
    assertThat(sql.rows(HOLDER)).isEmpty();
    pool.close();
  }

  @Test
  void oneHolderExcludesAnotherUntilItCloses() {
    try (HolderTransaction first = HolderTransaction.open(pool, LONG).orElseThrow()) {
      first.ping();
      assertThat(HolderTransaction.open(pool, LONG)).isEmpty();
    }
    HolderTransaction second = HolderTransaction.open(pool, LONG).orElseThrow();
    second.close();
    second.close();
    second.ping();
  }

  @Test
  void itExcludesAndRespectsASchemeThatLocksForItsSession() {
    try (Sql other = database.connect()) {
      assertThat(other.<Boolean>value("select pg_try_advisory_lock(737001)")).isTrue();
      assertThat(HolderTransaction.open(pool, LONG)).isEmpty();
      other.rows("select pg_advisory_unlock(737001)");
      try (HolderTransaction holder = HolderTransaction.open(pool, LONG).orElseThrow()) {
        assertThat(other.<Boolean>value("select pg_try_advisory_lock(737001)")).isFalse();
        holder.ping();
      }
      assertThat(other.<Boolean>value("select pg_try_advisory_lock(737001)")).isTrue();
    }
    Waiting.untilTrue(sql, "select not exists (" + HOLDER + ")");
  }

  @Test
  void aBusyLockLeavesNothingOfTheAttempt() {
    try (Sql other = database.connect()) {
      other.rows("select pg_advisory_lock(737001)");
      for (int i = 0; i < 5; i++) {
        // More attempts than connections: each gives its own back.
        assertThat(HolderTransaction.open(pool, LONG)).isEmpty();
      }
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
      other.rows("select pg_advisory_unlock(737001)");
    }
  }

  @Test
  void aTerminatedBackendFreesTheLockAndThePingSaysSo() {
    HolderTransaction holder = HolderTransaction.open(pool, LONG).orElseThrow();
    sql.rows("select pg_terminate_backend((" + HOLDER + "))");
    Waiting.untilTrue(sql, "select not exists (" + HOLDER + ")");
    try (HolderTransaction next = HolderTransaction.open(pool, LONG).orElseThrow()) {
      next.ping();
      assertThatThrownBy(holder::ping).isInstanceOf(DatabaseUnavailableException.class);
      holder.close();
      assertThat(sql.rows(HOLDER)).as("the late close is not the next holder's end").hasSize(1);
    }
  }

  @Test
  void aHolderThatWasCutOffIsEndedByTheServerWithinItsLease() {
    Instant before = sql.value("select clock_timestamp()");
    HolderTransaction holder = HolderTransaction.open(pool, SHORT).orElseThrow();
    Waiting.untilTrue(sql, "select not exists (" + HOLDER + ")");
    assertThat(sql.<Instant>value("select clock_timestamp()"))
        .isBetween(before.plus(SHORT), before.plusSeconds(10));
    assertThat(HolderTransaction.open(pool, LONG)).hasValueSatisfying(HolderTransaction::close);
    assertThatThrownBy(holder::ping)
        .isInstanceOfSatisfying(
            DatabaseUnavailableException.class,
            e -> assertThat(e.sqlState()).isIn("25P03", "57P05", "08006"));
    holder.close();
  }

  @Test
  void pingsKeepItForManyLeasesWhateverTheServersOwnTimeouts() {
    String name = sql.value("select quote_ident(current_database())");
    sql.run("alter database " + name + " set idle_in_transaction_session_timeout = '200ms'");
    boolean transactionTimeout =
        sql.number("select current_setting('server_version_num')::int") >= 170000;
    if (transactionTimeout) {
      sql.run("alter database " + name + " set transaction_timeout = '700ms'");
    }
    try (HolderTransaction holder = HolderTransaction.open(pool, SHORT).orElseThrow()) {
      int backend = (int) sql.number(HOLDER);
      Instant end = sql.<Instant>value("select clock_timestamp()").plusMillis(2500);
      await()
          .pollInterval(Duration.ofMillis(300))
          .atMost(Duration.ofSeconds(20))
          .until(
              () -> {
                holder.ping();
                return sql.<Instant>value("select clock_timestamp()").isAfter(end);
              });
      assertThat(sql.number(HOLDER)).isEqualTo(backend);
    } finally {
      sql.run("alter database " + name + " reset all");
    }
  }

  @Test
  void itHoldsNoRelationAndNoSnapshot() {
    try (HolderTransaction holder = HolderTransaction.open(pool, LONG).orElseThrow()) {
      for (int pings = 0; pings < 2; pings++) {
        int backend = (int) sql.number(HOLDER);
        assertThat(sql.rows("select locktype from pg_locks where pid = ? order by 1", backend))
            .extracting(r -> r.get("locktype"))
            .containsExactly("advisory", "virtualxid");
        assertThat(
                sql.row(
                    "select state, backend_xmin::text as xmin, backend_xid::text as xid from"
                        + " pg_stat_activity where pid = ?",
                    backend))
            .containsEntry("state", "idle in transaction")
            .containsEntry("xmin", null)
            .containsEntry("xid", null);
        holder.ping();
      }
    }
  }

  @Test
  void anIndexCanBeBuiltConcurrentlyAndATableAlteredWhileItIsHeld() {
    sql.run("create table public.host (id int)");
    try (HolderTransaction holder = HolderTransaction.open(pool, LONG).orElseThrow();
        Sql ddl = database.connect()) {
      holder.ping();
      ddl.run("set statement_timeout = '20s'");
      ddl.run("create index concurrently host_id on public.host (id)");
      ddl.run("alter table queen.kv add column note text");
      ddl.run("alter table queen.kv drop column note");
      holder.ping();
    }
    sql.run("drop table public.host");
  }

  @Test
  void oneOfManyThatTryAtOnceIsTheHolder() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.setMaximumPoolSize(8);
    try (HikariDataSource wide = new HikariDataSource(config)) {
      var attempts =
          java.util.stream.IntStream.range(0, 8)
              .mapToObj(i -> elsewhere(() -> HolderTransaction.open(wide, LONG)))
              .toList();
      var holders =
          attempts.stream()
              .map(Waiting.Elsewhere::get)
              .flatMap(java.util.Optional::stream)
              .toList();
      assertThat(holders).hasSize(1);
      holders.forEach(HolderTransaction::close);
    }
  }
}

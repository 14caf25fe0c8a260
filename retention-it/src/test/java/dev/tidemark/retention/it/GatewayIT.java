package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Waiting.elsewhere;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tidemark.retention.core.database.DatabaseException;
import dev.tidemark.retention.core.database.DatabaseUnavailableException;
import dev.tidemark.retention.core.database.InvalidArgumentException;
import dev.tidemark.retention.core.database.NotFoundException;
import dev.tidemark.retention.core.database.StepFailedException;
import dev.tidemark.retention.core.database.StepResult;
import dev.tidemark.retention.core.database.StepSession;
import dev.tidemark.retention.core.database.TailSession;
import dev.tidemark.retention.core.database.TimedOutException;
import dev.tidemark.retention.core.database.UnfitSessionException;
import dev.tidemark.retention.core.plan.DuePartition;
import dev.tidemark.retention.core.plan.Lane;
import dev.tidemark.retention.core.plan.QueueRule;
import dev.tidemark.retention.core.plan.WorkList;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.Waiting;
import dev.tidemark.retention.sql.HolderTransaction;
import dev.tidemark.retention.sql.JooqRetentionDatabase;
import dev.tidemark.retention.sql.LeaseGateway;
import dev.tidemark.retention.sql.LogGateway;
import dev.tidemark.retention.sql.PlanGateway;
import dev.tidemark.retention.sql.QueueGateway;
import dev.tidemark.retention.sql.StatusGateway;
import dev.tidemark.retention.sql.StepSettings;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The gateway of retention-sql: what it binds, what errors become, and how a connection goes back.
 */
class GatewayIT {
  private static final Logger DRIVER = Logger.getLogger("org.postgresql.core.v3.QueryExecutorImpl");
  private static final StepSettings SETTINGS =
      new StepSettings(Duration.ofSeconds(10), Duration.ofSeconds(20), "off");

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private final List<HikariDataSource> pools = new ArrayList<>();
  private String queue;
  private UUID partition;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    log = new TestLog(sql);
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void aPartitionOfThreeSegments() {
    queue = UUID.randomUUID().toString();
    partition = log.partition(queue, "p");
    for (int hours = 3; hours >= 1; hours--) {
      log.append(partition, log.ago(Duration.ofHours(hours)), 2);
    }
  }

  @AfterEach
  void closePools() {
    pools.forEach(HikariDataSource::close);
    assertThat(Invariants.broken(sql)).isEmpty();
  }

  @Test
  void momentsGoOverTheWireAsTimestamptzWithMicroseconds() {
    HikariDataSource pool = pool(c -> {});
    Instant cutoff = Instant.parse("2026-02-03T04:05:06.123457Z");
    List<String> sent =
        sentDuring(
            () -> {
              step(pool, s -> s.retention(partition, cutoff, cutoff, 1));
              step(pool, s -> s.purgeTxns(partition, cutoff, 1));
              step(pool, s -> s.evictMaxWait(partition, cutoff, 1));
              new StatusGateway(pool).history(cutoff);
            });
    assertThat(sent)
        .filteredOn(
            line -> line.contains("Parse(") && line.contains("queen\".\"log_retention_step_v1"))
        .isNotEmpty()
        .allMatch(line -> line.contains("oids={2950,1184,1184,23,"));
    assertThat(sent)
        .filteredOn(
            line ->
                line.contains("Parse(") && line.matches("(?s).*(txns_purge|max_wait)_step_v1.*"))
        .hasSize(2)
        .allMatch(line -> line.contains("oids={2950,1184,23}"));
    assertThat(sent)
        .filteredOn(line -> line.contains("Parse(") && line.contains("history_totals_v1"))
        .isNotEmpty()
        .allMatch(line -> line.contains("oids={1184}"));
    assertThat(sent)
        .filteredOn(line -> line.contains("Bind(") && line.contains("04:05:06"))
        .isNotEmpty()
        .allMatch(line -> line.contains("04:05:06.123457+00"));
  }

  @Test
  void theCleanupGoesOnAtThePlaceItReachedToTheMicrosecond() {
    Instant silent = Instant.parse("2020-02-03T04:05:06.123457Z");
    for (String name : List.of("first", "second", "third")) {
      sql.run(
          "update queen.log_partitions set created_at = ?, last_write_at = ? where id = ?",
          silent,
          silent,
          log.partition(queue, name));
    }
    try (TailSession tail = new JooqRetentionDatabase(pool(c -> {}), SETTINGS).openTail()) {
      Optional<TailSession.Place> place = Optional.empty();
      for (int part = 1; part <= 3; part++) {
        TailSession.Cleaned cleaned = tail.cleanupPartitions(silent.plusSeconds(1), 10, 1, place);
        assertThat(cleaned.rows()).as("part %d", part).isOne();
        place = cleaned.reached();
        assertThat(place.orElseThrow().lastWriteAt()).isEqualTo(silent);
      }
      assertThat(tail.cleanupPartitions(silent.plusSeconds(1), 10, 1, place))
          .isEqualTo(new TailSession.Cleaned(0, Optional.empty()));
    }
  }

  @Test
  void aServerPreparedStepTakesTimestamptzAndIsPreparedOnce() throws SQLException {
    HikariDataSource pool = pool(c -> c.addDataSourceProperty("prepareThreshold", "1"));
    for (int i = 0; i < 8; i++) {
      step(pool, s -> s.retention(partition, Instant.EPOCH, Instant.EPOCH, 1));
    }
    assertThat(
            query(
                pool,
                "select parameter_types::text || ' ' || (generic_plans + custom_plans) from"
                    + " pg_prepared_statements where statement like 'select"
                    + " cast%log_retention_step_v1%'"))
        .containsExactly(
            "{uuid,\"timestamp with time zone\",\"timestamp with time zone\",integer,\"character"
                + " varying\"} 8");
  }

  @Test
  void aMomentSurvivesTheRoundTripToTheMicrosecondInAnyZone() {
    HikariDataSource pool = pool(c -> c.setConnectionInitSql("set timezone = 'Asia/Kathmandu'"));
    Instant made = Instant.parse("2021-10-31T00:30:00.123457Z");
    LogGateway gateway = new LogGateway(pool);
    UUID imported =
        gateway.importing(
            i -> {
              UUID id = i.provision(queue, "zoned");
              i.append(
                  id,
                  List.of(
                      new LogGateway.ImportedSegment(made, 1, new byte[16], new byte[] {1, 2}),
                      new LogGateway.ImportedSegment(
                          made.plusNanos(1000), 1, new byte[16], new byte[] {3})));
              return id;
            });
    assertThat(gateway.read(imported, 0, 10))
        .extracting(LogGateway.StoredSegment::createdAt)
        .containsExactly(made, made.plusNanos(1000));
    assertThat(gateway.read(imported, 0, 1).get(0).blob()).containsExactly(1, 2);
    assertThat(
            sql.<Instant>value(
                "select oldest_live_at from queen.log_partitions where id = ?", imported))
        .isEqualTo(made);
    assertThat(step(pool, s -> s.retention(imported, made, null, 10)).deleted()).isZero();
    assertThat(step(pool, s -> s.retention(imported, made.plusNanos(1000), null, 10)).deleted())
        .isOne();
    assertThat(gateway.read(imported, 0, 10)).hasSize(1);
    assertThat(gateway.databaseNow())
        .isBetween(log.ago(Duration.ofMinutes(1)), log.ago(Duration.ofMinutes(-1)));
  }

  @Test
  void blobsAndHashesAreStoredByteForByteAlsoWhenEmpty() {
    LogGateway gateway = new LogGateway(pool(c -> {}));
    byte[] every = new byte[256];
    for (int i = 0; i < every.length; i++) {
      every[i] = (byte) i;
    }
    Instant made = log.ago(Duration.ofHours(1));
    UUID id =
        gateway.importing(
            i -> {
              UUID bytes = i.provision(queue, "bytes");
              i.append(
                  bytes,
                  List.of(
                      new LogGateway.ImportedSegment(made, 1, new byte[16], new byte[0]),
                      new LogGateway.ImportedSegment(made, 16, every, every),
                      new LogGateway.ImportedSegment(made, 1, new byte[16], new byte[0])));
              return bytes;
            });
    assertThat(gateway.read(id, 0, 10))
        .extracting(LogGateway.StoredSegment::blob)
        .containsExactly(new byte[0], every, new byte[0]);
    assertThat(
            sql.<byte[]>value(
                "select hashes from queen.log_txns where partition_id = ? and base_offset = 1", id))
        .isEqualTo(every);
    thrown(
        () -> gateway.importing(i -> i.append(id, List.of())),
        InvalidArgumentException.class,
        "22023");
  }

  @Test
  void aStepAnswersWithTypes() {
    HikariDataSource pool = pool(c -> {});
    Instant cutoff = log.ago(Duration.ofMinutes(150));
    StepResult done = step(pool, s -> s.retention(partition, cutoff, null, 10));
    assertThat(done.deleted()).isOne();
    assertThat(done.messages()).isEqualTo(2);
    assertThat(done.newStart()).hasValue(2);
    assertThat(done.rule()).hasValue("retention");
    assertThat(done.done()).isTrue();
    StepResult nothing = step(pool, s -> s.retention(partition, cutoff, null, 10));
    assertThat(nothing.rule()).isEmpty();
    assertThat(nothing.newStart()).hasValue(2);
    StepResult vanished = step(pool, s -> s.purgeTxns(UUID.randomUUID(), cutoff, 10));
    assertThat(vanished.newStart()).isEmpty();
    assertThat(vanished.done()).isTrue();
  }

  @Test
  void theOptionsComeBackHoweverAWholeNumberWasSpelled() {
    QueueGateway gateway = new QueueGateway(pool(c -> {}));
    assertThat(
            gateway
                .configure(queue, Map.of("retentionSeconds", new BigDecimal("1.0")))
                .retentionSeconds())
        .isOne();
    assertThat(gateway.configure(queue, Map.of("leaseTime", new BigDecimal("1E+2"))).leaseTime())
        .isEqualTo(100);
  }

  @Test
  void aRefusedArgumentIsAnInvalidArgument() {
    HikariDataSource pool = pool(c -> {});
    Map<String, Object> bad = Map.of("retentionSeconds", BigDecimal.valueOf(-1));
    assertThat(
            thrown(
                () -> new QueueGateway(pool).configure(queue, bad),
                InvalidArgumentException.class,
                "22023"))
        .hasMessageStartingWith("option retentionSeconds: ");
    thrown(
        () -> step(pool, s -> s.retention(partition, null, null, 0)),
        InvalidArgumentException.class,
        "22023");
  }

  @Test
  void whatDoesNotExistIsNotFound() {
    HikariDataSource pool = pool(c -> {});
    thrown(() -> new QueueGateway(pool).partitions("none"), NotFoundException.class, "TM003");
    thrown(() -> new QueueGateway(pool).deleteGroup("none", "g"), NotFoundException.class, "TM003");
    thrown(
        () -> new LogGateway(pool).seek(UUID.randomUUID(), "g", 0),
        NotFoundException.class,
        "TM004");
  }

  @Test
  void aLockThatIsNotHadInTimeIsATimeout() {
    HikariDataSource pool = pool(c -> {});
    StepSettings hasty = new StepSettings(Duration.ofMillis(50), Duration.ofSeconds(20), "off");
    try (Sql busy = locked()) {
      thrown(
          () -> step(pool, hasty, s -> s.retention(partition, null, null, 1)),
          TimedOutException.class,
          "55P03");
      busy.rollback();
    }
  }

  @Test
  void aStatementThatTakesTooLongIsATimeout() {
    HikariDataSource pool = pool(c -> {});
    StepSettings hasty = new StepSettings(Duration.ofSeconds(20), Duration.ofMillis(50), "off");
    try (Sql busy = locked()) {
      thrown(
          () -> step(pool, hasty, s -> s.retention(partition, null, null, 1)),
          TimedOutException.class,
          "57014");
      busy.rollback();
    }
  }

  @Test
  void aForbiddenObjectConcernsTheStepAloneSinceATriggerCanRaiseItToo() {
    HikariDataSource reader = pool(c -> c.setConnectionInitSql("set role queen_reader"));
    thrown(
        () -> step(reader, s -> s.retention(partition, null, null, 1)),
        StepFailedException.class,
        "42501");
  }

  @Test
  void aSessionThatCannotDoTheJobIsUnfit() {
    HikariDataSource replica =
        pool(c -> c.setConnectionInitSql("set session_replication_role = replica"));
    thrown(
        () -> step(replica, s -> s.retention(partition, null, null, 1)),
        UnfitSessionException.class,
        "TM002");
    HikariDataSource readOnly =
        pool(c -> c.setConnectionInitSql("set default_transaction_read_only = on"));
    thrown(
        () -> step(readOnly, s -> s.retention(partition, log.ago(Duration.ZERO), null, 1)),
        UnfitSessionException.class,
        "25006");
  }

  @Test
  void aSchemaThatIsNotThereFailsTheList() {
    try (TestDatabase empty = TestDatabase.empty()) {
      HikariDataSource pool = pool(c -> c.setJdbcUrl(empty.url()));
      assertThat(
              catchThrowable(
                  () -> new JooqRetentionDatabase(pool, SETTINGS).workList(1, 1, Map.of())))
          .isExactlyInstanceOf(StepFailedException.class);
      pool.close();
    }
  }

  @Test
  void aPartitionThatFailsForAReasonOfItsOwnIsAFailedStep() {
    HikariDataSource pool = pool(c -> {});
    sql.run(
        "create function public.poison() returns trigger language plpgsql as $$ begin raise"
            + " exception 'poison'; end $$");
    sql.run(
        "create trigger poison before delete on queen.log_segments for each row execute function"
            + " public.poison()");
    try {
      Instant now = log.ago(Duration.ZERO);
      assertThat(
              thrown(
                  () -> step(pool, s -> s.retention(partition, now, null, 1)),
                  StepFailedException.class,
                  "P0001"))
          .isExactlyInstanceOf(StepFailedException.class)
          .hasMessage("poison");
    } finally {
      sql.run("drop function public.poison() cascade");
    }
  }

  @Test
  void aKilledSessionIsAnUnavailableDatabaseAndTheNextCallWorks() {
    HikariDataSource pool = pool(c -> {});
    try (Sql busy = locked()) {
      int backend = Integer.parseInt(query(pool, "select pg_backend_pid()::text").get(0));
      Waiting.Elsewhere<StepResult> step =
          elsewhere(() -> step(pool, s -> s.retention(partition, null, null, 1)));
      Waiting.untilBlocked(sql, backend);
      sql.rows("select pg_terminate_backend(?)", backend);
      thrown(step::get, DatabaseUnavailableException.class, "57P01");
      busy.rollback();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    assertThat(step(pool, s -> s.retention(partition, null, null, 1)).done()).isTrue();
  }

  @Test
  void aSessionKilledBetweenTwoStepsIsAnUnavailableDatabase() throws SQLException {
    HikariDataSource pool = pool(c -> {});
    int backend = Integer.parseInt(query(pool, "select pg_backend_pid()::text").get(0));
    try (StepSession session = new JooqRetentionDatabase(pool, SETTINGS).openSteps()) {
      session.retention(partition, null, null, 1);
      sql.rows("select pg_terminate_backend(?)", backend);
      Waiting.untilTrue(
          sql, "select not exists (select 1 from pg_stat_activity where pid = ?)", backend);
      assertThat(catchThrowable(() -> session.retention(partition, null, null, 1)))
          .isInstanceOf(DatabaseUnavailableException.class);
    }
    assertThat(step(pool, s -> s.retention(partition, null, null, 1)).done()).isTrue();
  }

  @Test
  void anExhaustedPoolIsAnUnavailableDatabase() throws SQLException {
    HikariDataSource pool = pool(c -> c.setConnectionTimeout(250));
    try (Connection only = pool.getConnection()) {
      assertThat(only.isValid(1)).isTrue();
      thrown(
          () -> new QueueGateway(pool).partitions(queue),
          DatabaseUnavailableException.class,
          "08001");
      thrown(
          () -> HolderTransaction.open(pool, Duration.ofSeconds(1)),
          DatabaseUnavailableException.class,
          "08001");
    }
  }

  @Test
  void aConnectionGoesBackAsItCameWhateverHappened() throws SQLException {
    String name = sql.value("select quote_ident(current_database())");
    sql.run("alter database " + name + " set lock_timeout = '7777ms'");
    sql.run("alter database " + name + " set statement_timeout = '66666ms'");
    sql.run("alter database " + name + " set synchronous_commit = 'local'");
    sql.run("alter database " + name + " set default_transaction_isolation = 'repeatable read'");
    sql.run("alter database " + name + " set idle_in_transaction_session_timeout = '55555ms'");
    HikariDataSource pool = pool(c -> {});
    String before = state(pool);
    assertThat(before)
        .isEqualTo("autocommit=true [7777ms, 66666ms, local, repeatable read, 55555ms, origin]");
    StepSettings hasty = new StepSettings(Duration.ofMillis(20), Duration.ofSeconds(20), "off");
    JooqRetentionDatabase retention = new JooqRetentionDatabase(pool, hasty);
    Instant epoch = Instant.EPOCH;

    Map<String, Runnable> calls = new java.util.LinkedHashMap<>();
    calls.put("work list", () -> retention.workList(1, 1, Map.of()));
    calls.put("refused work list", () -> retention.workList(0, 1, Map.of()));
    QueueRule rule =
        new QueueRule(UUID.randomUUID(), "rule", epoch, epoch.plusSeconds(1), epoch, null);
    calls.put("page", () -> retention.duePage(Lane.AGE, rule, Optional.empty(), 1));
    calls.put("refused page", () -> retention.duePage(Lane.CONSUMPTION, rule, Optional.empty(), 0));
    calls.put("heads", () -> retention.headsThatCanGo(List.of(partition)));
    calls.put("retention", () -> step(pool, s -> s.retention(partition, epoch, epoch, 1)));
    calls.put("refused retention", () -> step(pool, s -> s.retention(partition, epoch, epoch, 0)));
    calls.put("purge", () -> step(pool, s -> s.purgeTxns(partition, epoch, 1)));
    calls.put("refused purge", () -> step(pool, s -> s.purgeTxns(partition, epoch, 0)));
    calls.put("evict", () -> step(pool, s -> s.evictMaxWait(partition, epoch, 1)));
    calls.put("refused evict", () -> step(pool, s -> s.evictMaxWait(partition, epoch, 0)));
    calls.put(
        "cleanup", () -> tail(pool, t -> t.cleanupPartitions(epoch, 1, 10, Optional.empty())));
    calls.put(
        "refused cleanup",
        () -> tail(pool, t -> t.cleanupPartitions(epoch, 0, 10, Optional.empty())));
    calls.put("metrics", () -> tail(pool, t -> t.purgeMetrics(epoch, 1)));
    calls.put("refused metrics", () -> tail(pool, t -> t.purgeMetrics(epoch, 0)));
    calls.put("configure", () -> new QueueGateway(pool).configure(queue, Map.of()));
    calls.put("refused configure", () -> new QueueGateway(pool).configure("", Map.of()));
    calls.put("partitions", () -> new QueueGateway(pool).partitions(queue));
    calls.put("refused partitions", () -> new QueueGateway(pool).partitions("none"));
    calls.put("seek", () -> new LogGateway(pool).seek(partition, "g", 0));
    calls.put("refused seek", () -> new LogGateway(pool).seek(partition, "g", 99));
    calls.put("group", () -> new QueueGateway(pool).deleteGroup(queue, "g"));
    calls.put("import", () -> new LogGateway(pool).importing(i -> i.provision(queue, "x")));
    calls.put(
        "broken import",
        () ->
            new LogGateway(pool)
                .importing(
                    i -> {
                      i.provision(queue, "y");
                      throw new IllegalStateException("the caller's own");
                    }));
    calls.put("read", () -> new LogGateway(pool).read(partition, 0, 1));
    calls.put("now", () -> new LogGateway(pool).databaseNow());
    calls.put("status", () -> new StatusGateway(pool).queues());
    calls.put("history", () -> new StatusGateway(pool).history(null));
    calls.put("tasks", () -> new StatusGateway(pool).tasks());
    calls.put("schedule", () -> new StatusGateway(pool).schedule());
    calls.put("pins", () -> new StatusGateway(pool).pins(null, 1));
    calls.put("refused pins", () -> new StatusGateway(pool).pins(null, 0));
    calls.put("plan", () -> new PlanGateway(pool).plan(null, null, Duration.ofDays(1)));
    calls.put("refused enable", () -> new LeaseGateway(pool).enable("none", true));
    calls.put(
        "holder", () -> HolderTransaction.open(pool, Duration.ofSeconds(9)).orElseThrow().close());
    calls.put(
        "busy holder",
        () -> {
          sql.rows("select pg_advisory_lock(737001)");
          assertThat(HolderTransaction.open(pool, Duration.ofSeconds(9))).isEmpty();
          sql.rows("select pg_advisory_unlock(737001)");
        });
    calls.put("delete", () -> new QueueGateway(pool).delete(queue));
    int backend = Integer.parseInt(query(pool, "select pg_backend_pid()::text").get(0));
    for (var call : calls.entrySet()) {
      Throwable failure = catchThrowable(call.getValue()::run);
      boolean refused = call.getKey().matches("(refused|broken) .*");
      assertThat(failure != null).as("%s: %s", call.getKey(), failure).isEqualTo(refused);
      assertThat(state(pool)).as("%s", call.getKey()).isEqualTo(before);
    }
    assertThat(query(pool, "select pg_backend_pid()::text")).containsExactly("" + backend);
    assertThat(sql.number("select count(*) from queen.log_partitions where name = 'y'")).isZero();

    UUID other = log.partition(queue, "locked");
    try (Sql busy = database.connect()) {
      busy.begin();
      busy.rows("select 1 from queen.log_partitions where id = ? for update", other);
      thrown(
          () -> step(pool, hasty, s -> s.retention(other, epoch, epoch, 1)),
          TimedOutException.class,
          "55P03");
      assertThat(state(pool)).isEqualTo(before);
      busy.rollback();
    }
    sql.run("alter database " + name + " reset all");
  }

  @Test
  void whatAStepSetsItSetsForItselfAlone() {
    HikariDataSource pool = pool(c -> {});
    sql.run(
        """
        create function public.note() returns trigger language plpgsql as $$
        begin
            insert into public.noted values (current_setting('lock_timeout'), current_setting('statement_timeout'),
                current_setting('synchronous_commit'), current_setting('transaction_isolation'));
            return old;
        end $$\
        """);
    sql.run("create table public.noted (l text, s text, c text, i text)");
    sql.run(
        "create trigger note before delete on queen.log_segments for each row execute function"
            + " public.note()");
    try {
      step(
          pool,
          new StepSettings(Duration.ofMillis(1234), Duration.ofMillis(23456), "remote_write"),
          s -> s.retention(partition, log.ago(Duration.ofMinutes(150)), null, 10));
      assertThat(sql.row("select * from public.noted").values())
          .containsExactly("1234ms", "23456ms", "remote_write", "read committed");
    } finally {
      sql.run("drop function public.note() cascade");
      sql.run("drop table public.noted");
    }
  }

  @Test
  void everyCallWorksOnAPoolThatIsSerializableAndNotInAutocommit() throws SQLException {
    HikariDataSource pool =
        pool(
            c -> {
              c.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
              c.setAutoCommit(false);
            });
    QueueGateway queues = new QueueGateway(pool);
    LogGateway logs = new LogGateway(pool);
    JooqRetentionDatabase retention = new JooqRetentionDatabase(pool, SETTINGS);
    queues.configure(
        queue,
        Map.of("retentionEnabled", true, "completedRetentionSeconds", BigDecimal.valueOf(9000)));
    logs.seek(partition, "g", 6);
    UUID imported =
        logs.importing(
            i -> {
              UUID id = i.provision(queue, "i");
              i.append(
                  id,
                  List.of(
                      new LogGateway.ImportedSegment(
                          log.ago(Duration.ofDays(1)), 1, new byte[16], new byte[0])));
              return id;
            });
    WorkList list = retention.workList(10, 10, Map.of());
    assertThat(list.due(Lane.CONSUMPTION))
        .extracting(DuePartition::partitionId)
        .containsExactly(imported, partition);
    DuePartition first = list.due(Lane.CONSUMPTION).get(0);
    DuePartition second = list.due(Lane.CONSUMPTION).get(1);
    assertThat(
            retention
                .workList(10, 10, Map.of(first.queueId(), first.position()))
                .due(Lane.CONSUMPTION))
        .containsExactly(second);
    QueueRule ofQueue = list.rules().get(first.queueId());
    assertThat(retention.duePage(Lane.CONSUMPTION, ofQueue, Optional.of(first.position()), 10))
        .containsExactly(second);
    assertThat(retention.duePage(Lane.CONSUMPTION, ofQueue, Optional.empty(), 1))
        .containsExactly(first);
    assertThat(retention.duePage(Lane.AGE, ofQueue, Optional.empty(), 1))
        .as("no age window")
        .isEmpty();
    assertThat(retention.headsThatCanGo(List.of(imported, partition))).containsExactly(partition);
    assertThat(retention.headsThatCanGo(List.of())).isEmpty();
    var rule =
        list.rules().values().stream()
            .filter(r -> r.queueName().equals(queue))
            .findFirst()
            .orElseThrow();
    assertThat(step(pool, s -> s.retention(partition, null, rule.completedCutoff(), 10)).deleted())
        .isOne();
    assertThat(step(pool, s -> s.purgeTxns(partition, list.listedAt(), 10)).deleted()).isEqualTo(3);
    assertThat(step(pool, s -> s.evictMaxWait(imported, list.listedAt(), 10)).deleted()).isOne();
    assertThat(
            tail(pool, t -> t.cleanupPartitions(Instant.EPOCH, 10, 100, Optional.empty())).goesOn())
        .isFalse();
    TailSession.RolledUp rolledUp =
        tail(pool, t -> t.rollUpHistory(Instant.EPOCH, Instant.EPOCH, 10));
    assertThat(rolledUp).isEqualTo(new TailSession.RolledUp(0, Instant.EPOCH, true));
    assertThat(tail(pool, t -> t.purgeMetrics(Instant.EPOCH, 10)).goesOn()).isFalse();
    assertThat(queues.deleteGroup(queue, "g")).isOne();
    try (HolderTransaction holder =
        HolderTransaction.open(pool, Duration.ofSeconds(9)).orElseThrow()) {
      holder.ping();
    }
    // Seen from elsewhere: everything was committed.
    assertThat(log.row(partition).logStart()).isEqualTo(2);
    assertThat(log.row(imported).oldestLiveAt()).isNull();
    try (Connection connection = pool.getConnection()) {
      assertThat(connection.getAutoCommit()).isFalse();
      assertThat(connection.getTransactionIsolation())
          .isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
    }
    assertThat(queues.delete(queue)).isTrue();
    assertThat(sql.number("select count(*) from queen.queues where name = ?", queue)).isZero();
  }

  private static <E extends DatabaseException> E thrown(
      Runnable call, Class<E> type, String state) {
    E failure = catchThrowableOfType(type, call::run);
    assertThat(failure).isNotNull();
    assertThat(failure.sqlState()).as("%s", failure).isEqualTo(state);
    assertThat(failure.getMessage()).isNotBlank().doesNotContain("\n").doesNotStartWith("ERROR");
    return failure;
  }

  private Sql locked() {
    Sql busy = database.connect();
    busy.begin();
    busy.rows("select 1 from queen.log_partitions where id = ? for update", partition);
    return busy;
  }

  /** One connection, like every pool here: what one call leaves, the next one finds. */
  private HikariDataSource pool(Consumer<HikariConfig> more) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.setMaximumPoolSize(1);
    more.accept(config);
    HikariDataSource pool = new HikariDataSource(config);
    pools.add(pool);
    return pool;
  }

  private static StepResult step(
      HikariDataSource pool, java.util.function.Function<StepSession, StepResult> step) {
    return step(pool, SETTINGS, step);
  }

  private static StepResult step(
      HikariDataSource pool,
      StepSettings settings,
      java.util.function.Function<StepSession, StepResult> step) {
    try (StepSession session = new JooqRetentionDatabase(pool, settings).openSteps()) {
      return step.apply(session);
    }
  }

  private static <T> T tail(
      HikariDataSource pool, java.util.function.Function<TailSession, T> call) {
    try (TailSession session = new JooqRetentionDatabase(pool, SETTINGS).openTail()) {
      return call.apply(session);
    }
  }

  private static List<String> query(HikariDataSource pool, String query) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      List<String> values = new ArrayList<>();
      while (result.next()) {
        values.add(result.getString(1));
      }
      return values;
    }
  }

  /** Everything a call may have changed on the pool's only connection. */
  private static String state(HikariDataSource pool) {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      List<String> settings = new ArrayList<>();
      for (String setting :
          List.of(
              "lock_timeout",
              "statement_timeout",
              "synchronous_commit",
              "transaction_isolation",
              "idle_in_transaction_session_timeout",
              "session_replication_role")) {
        try (ResultSet result = statement.executeQuery("show " + setting)) {
          result.next();
          settings.add(result.getString(1));
        }
      }
      return "autocommit=" + connection.getAutoCommit() + " " + settings;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What the driver says it sent, in its own trace. */
  private static List<String> sentDuring(Runnable calls) {
    List<String> lines = new CopyOnWriteArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            lines.add(new java.util.logging.SimpleFormatter().formatMessage(record));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    handler.setLevel(Level.ALL);
    DRIVER.setLevel(Level.FINEST);
    DRIVER.setUseParentHandlers(false);
    DRIVER.addHandler(handler);
    try {
      calls.run();
    } finally {
      DRIVER.removeHandler(handler);
      DRIVER.setUseParentHandlers(true);
      DRIVER.setLevel(null);
    }
    return lines;
  }
}

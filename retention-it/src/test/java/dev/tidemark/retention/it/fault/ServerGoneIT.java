package dev.tidemark.retention.it.fault;

import static dev.tidemark.retention.it.schedule.Fleet.until;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import com.zaxxer.hikari.HikariDataSource;
import dev.tidemark.retention.cli.Retention;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.it.schedule.CountedPool;
import dev.tidemark.retention.it.schedule.LogLines;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.runner.RetentionService;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The server goes away under a runner that is started, is back as a standby, and becomes writable:
 * a failover. Nobody touches the runner meanwhile.
 */
class ServerGoneIT {
  /** More polls than a start of the task, fewer than a tight loop makes in the time. */
  private static final int POLLS = 6;

  private static final Duration POLL = Duration.ofMillis(500);

  @TempDir private Path directory;
  private final LogLines lines = new LogLines();
  private final SetClock clock = new SetClock(Duration.ZERO);
  private final int port = Ports.free();
  private int minutes;
  private EmbeddedPostgres server;
  private HikariDataSource hikari;
  private CountedPool pool;
  private RetentionService service;

  @BeforeEach
  void aRunnerOnAServerOfItsOwn() throws IOException {
    server = start();
    assertThat(Retention.commandLine().execute("--jdbc-url", url(), "migrate")).isZero();
    hikari = Pools.of(url(), 4, Duration.ofMillis(1_000));
    pool = new CountedPool(hikari);
    service =
        RetentionService.on(pool)
            .knob(Knob.INTERVAL, "1000")
            .leaseBetween(Duration.ofSeconds(2), Duration.ofSeconds(2))
            .clock(clock)
            .build();
    service.start();
  }

  @AfterEach
  void close() throws IOException {
    service.close();
    hikari.close();
    server.close();
    lines.close();
  }

  @Test
  void itIsMissedSaidAndServedAgainWithoutARestartOfTheRunner() throws IOException {
    try (Sql sql = Sql.connect(url())) {
      Wanted first = new Wanted(sql, 2);
      until("swept", first::isSwept);
      // Not to be swept before the server goes.
      sql.run(
          "update queen.maintenance_leases set next_due_at = clock_timestamp() + interval '3 s'");
      assertThat(new Wanted(sql, 2).isSwept()).isFalse();
    }
    server.close();
    assertThat(lines.awaited("cycle failed")).containsPattern("sqlstate=(08|57P)");
    assertThat(lines.levels("cycle failed")).containsOnly(Level.ERROR);

    Files.createFile(directory.resolve("data/standby.signal"));
    server = start();
    readOnlyIsSaidAndNotTriedInATightLoop();
    try (Sql sql = Sql.connect(url())) {
      assertThat(sql.<Boolean>value("select pg_promote()")).isTrue();
      Wanted more = new Wanted(sql, 2);
      until("swept by the same runner", more::isSwept);
      more.isSweptAndWhole();
      assertThat(
              sql.number(
                  "select count(*) from queen.log_partitions where log_start <> " + Wanted.GONE))
          .as("partitions of before and after")
          .isZero();

      sql.run("alter system set default_transaction_read_only = on");
      sql.run("select pg_reload_conf()");
      readOnlyIsSaidAndNotTriedInATightLoop();
      sql.run("set default_transaction_read_only = off");
      Wanted last = new Wanted(sql, 2);
      sql.run("alter system reset default_transaction_read_only");
      sql.run("select pg_reload_conf()");
      until("swept again", last::isSwept);
      last.isSweptAndWhole();
    }
  }

  private void readOnlyIsSaidAndNotTriedInATightLoop() {
    int before = lines.beginning("cycle failed").size();
    until(
        "it says why",
        () -> {
          // There is a line in half a minute.
          clock.set(Duration.ofMinutes(++minutes));
          return lines.beginning("cycle failed").stream()
              .skip(before)
              .anyMatch(
                  line ->
                      line.contains("sqlstate=25006")
                          && line.contains("a standby, or default_transaction_read_only"));
        });
    try (Sql sql = Sql.connect(url())) {
      long borrowed = pool.borrowed();
      Instant begin = sql.value("select clock_timestamp()");
      until("some more polls", () -> pool.borrowed() >= borrowed + POLLS);
      Instant end = sql.value("select clock_timestamp()");
      assertThat(Duration.between(begin, end))
          .as("a try a poll")
          .isGreaterThan(POLL.multipliedBy(POLLS - 2));
    }
  }

  private EmbeddedPostgres start() throws IOException {
    return EmbeddedPostgres.builder()
        .setPort(port)
        .setDataDirectory(directory.resolve("data"))
        .setCleanDataDirectory(false)
        .start();
  }

  private String url() {
    return "jdbc:postgresql://localhost:" + port + "/postgres?user=postgres";
  }
}

package dev.tidemark.retention.it.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.cli.Retention;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code retention run} as processes of their own, and the signals that end them. */
class RunCommandIT {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final int BY_SIGTERM = 128 + 15;

  @TempDir private Path logs;
  private final TestDatabase database = TestDatabase.migrated();
  private final Sql sql = database.connect();
  private final List<Process> started = new ArrayList<>();

  @AfterEach
  void close() {
    started.forEach(Process::destroyForcibly);
    database.close();
  }

  @Test
  void twoProcessesKeepOneCadenceAndOneGoesOnWhenTheOtherIsEnded()
      throws IOException, InterruptedException {
    UUID partition = due();
    Process first = run("first");
    until("registered", () -> runs() >= 1);
    Process second = run("second");
    until("both run", () -> said("second").contains(" started holder="));
    until("deleted by one", () -> live(partition) == 0);

    first.destroy();
    assertThat(first.waitFor()).isEqualTo(BY_SIGTERM);
    long runs = runs();
    until("the other goes on", () -> runs() >= runs + 2);

    second.destroy();
    assertThat(second.waitFor()).isEqualTo(BY_SIGTERM);
    assertThat(sql.number("select count(*) from queen.maintenance_leases where holder is not null"))
        .as("the claim is given back")
        .isZero();
    assertThat(said("first") + said("second")).contains(" swept ").doesNotContain("ERROR", "WARN");
  }

  @Test
  void aKilledProcessIsFollowedByAnotherOnceItsLeaseHasRunOut()
      throws IOException, InterruptedException {
    UUID partition = due();
    try (Sql blocker = database.connect()) {
      blocker.begin();
      blocker.run("select from queen.log_partitions where id = ? for update", partition);
      Process killed = run("killed");
      until(
          "its step waits",
          () -> sql.number("select count(*) from pg_locks where not granted") > 0);
      killed.destroyForcibly();
      killed.waitFor();
      blocker.rollback();
    }
    assertThat(
            sql.number(
                "select count(*) from queen.maintenance_leases where task = 'retention' and lease_until > now()"))
        .as("the dead still has the lease")
        .isEqualTo(1);

    run("next");
    until("it runs", () -> said("next").contains(" started holder="));
    // A minute passes.
    sql.run("update queen.maintenance_leases set lease_until = clock_timestamp()");
    until("served by the next", () -> runs() >= 1);
    until("nothing of the dead is in the way", () -> live(partition) == 0);
  }

  @Test
  void aBadKnobStopsTheStartWithOneLine() {
    Cli.Run refused =
        new Cli("--jdbc-url", database.url()).run("run", "--retention-interval", "999");
    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err())
        .startsWith(
            "retention run: --retention-interval: must be a whole number, 1000 .. 86400000, not '999'");
  }

  @Test
  void walkMendsWhatDriftedAndSaysSo() {
    UUID partition = due();
    sql.run("update queen.log_partitions set oldest_live_at = null");
    Cli cli = new Cli("--jdbc-url", database.url());
    assertThat(cli.json("walk").get("repaired").asLong()).isEqualTo(1);
    assertThat(cli.run("walk").out()).isEqualTo("read 1 partitions, mended 0\n");
    assertThat(new TestLog(sql).row(partition).oldestLiveAt()).isNotNull();

    sql.run("update queen.log_partitions set oldest_live_at = null");
    try (Sql blocker = database.connect()) {
      blocker.begin();
      blocker.run("select from queen.log_partitions for update");
      Cli.Run passed = cli.run("walk");
      assertThat(passed.code()).isEqualTo(1);
      assertThat(passed.out())
          .isEqualTo("read 1 partitions, mended 0, passed 1 that somebody holds\n");
      blocker.rollback();
    }
  }

  private UUID due() {
    TestLog log = new TestLog(sql);
    log.configure("q", "{\"retentionEnabled\": true, \"retentionSeconds\": 60}");
    UUID partition = log.partition("q", "p");
    log.append(partition, log.ago(Duration.ofHours(2)), 3);
    return partition;
  }

  private Process run(String name) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Retention.class.getName(),
                "--jdbc-url",
                database.url(),
                "run",
                "--retention-interval",
                "1000")
            .redirectErrorStream(true)
            .redirectOutput(file(name).toFile())
            .start();
    started.add(process);
    return process;
  }

  private Path file(String name) {
    return logs.resolve(name + ".log");
  }

  private String said(String name) {
    try {
      return Files.readString(file(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private long runs() {
    return sql.number(
        "select coalesce(max(runs), 0) from queen.maintenance_leases where task = 'retention'");
  }

  private long live(UUID partition) {
    return sql.number("select count(*) from queen.log_segments where partition_id = ?", partition);
  }

  private static void until(String what, BooleanSupplier fact) {
    Waiting.until(what, PATIENCE, fact);
  }
}

package dev.tidemark.retention.it.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tidemark.retention.cli.Retention;
import dev.tidemark.retention.cli.embedded.EmbeddedServer;
import dev.tidemark.retention.core.database.DatabaseException;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Locks;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.runner.RetentionService;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The server is stopped as by a power cut in the middle of a drain whose steps commit
 * asynchronously. What they did last may be undone by that, but only whole: the segments, the
 * watermark and the history row of a step come and go together.
 */
class CrashIT {
  /** More than two chunks, so that the crash falls between two calls. */
  private static final int PARTITIONS = 150;

  private static final int SEGMENTS = 8;
  private static final int MESSAGES = 2;

  /** Segments a partition that its group has consumed. */
  private static final int CONSUMED = 5;

  private static final long UNCONSUMED = PARTITIONS * (SEGMENTS - CONSUMED);

  @TempDir private Path directory;

  @Test
  void aCrashUndoesTheNewestStepsWholeAndTheNextCycleDoesThemAgain() {
    AtomicLong deleted = new AtomicLong();
    AtomicBoolean stopped = new AtomicBoolean();
    try (EmbeddedServer server = EmbeddedServer.open(database())) {
      fill(server);
      Throwable thrown =
          catchThrowable(
              () ->
                  service(server)
                      .runOnce(
                          (segments, rows) -> {
                            deleted.set(segments);
                            if (segments >= PARTITIONS * CONSUMED / 2
                                && stopped.compareAndSet(false, true)) {
                              stopImmediately();
                            }
                          }));
      assertThat(thrown).as("the cycle met the crash").isInstanceOf(DatabaseException.class);
    }

    try (EmbeddedServer server = EmbeddedServer.open(database());
        Sql sql = Sql.connect(url(server))) {
      assertThat(sql.<String>value("show fsync")).isEqualTo("on");
      nothingIsHalfDone(sql);
      long undone = live(sql) - (PARTITIONS * SEGMENTS - deleted.get());
      assertThat(undone).as("what the crash undid, and nothing it did").isNotNegative();

      service(server).runOnce();
      assertThat(live(sql)).as("all that may go, and nothing that is wanted").isEqualTo(UNCONSUMED);
      nothingIsHalfDone(sql);
    }
  }

  private static void nothingIsHalfDone(Sql sql) {
    assertThat(Locks.held(sql)).as("what is still locked").isEmpty();
    assertThat(Invariants.broken(sql)).isEmpty();
    assertThat(
            sql.rows(
                """
                select p.name, p.log_start, coalesce(sum(h.messages_deleted), 0) as in_history
                  from queen.log_partitions p
                  left join queen.retention_history h on h.partition_id = p.id
                 group by p.id
                having p.log_start <> coalesce(sum(h.messages_deleted), 0)
                """))
        .as("history against what is gone")
        .isEmpty();
    assertThat(
            sql.number(
                "select count(*) from queen.log_partitions where log_start > ?",
                CONSUMED * MESSAGES))
        .as("partitions that lost something unconsumed")
        .isZero();
  }

  private static long live(Sql sql) {
    return sql.number("select count(*) from queen.log_segments");
  }

  private void fill(EmbeddedServer server) {
    assertThat(Retention.commandLine().execute("--jdbc-url", url(server), "migrate")).isZero();
    try (Sql sql = Sql.connect(url(server))) {
      // Nothing but a synchronous commit flushes for a while, so the crash finds much to undo.
      sql.run("alter system set wal_writer_delay = '10s'");
      sql.run("select pg_reload_conf()");
      TestLog log = new TestLog(sql);
      log.configure("q", "{\"retentionEnabled\": true, \"completedRetentionSeconds\": 60}");
      for (int p = 0; p < PARTITIONS; p++) {
        UUID partition = log.partition("q", "p" + p);
        for (int s = 0; s < SEGMENTS; s++) {
          log.append(partition, log.ago(Duration.ofHours(2)), MESSAGES);
        }
        log.commit(partition, "g", CONSUMED * MESSAGES - 1);
      }
    }
  }

  private static RetentionService service(EmbeddedServer server) {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setUrl(url(server));
    return RetentionService.on(dataSource)
        .knob(Knob.BATCH_SIZE, "10")
        .knob(Knob.DUE_CAP, "1000")
        .build();
  }

  private static String url(EmbeddedServer server) {
    return server.jdbcUrl() + "?user=" + server.user();
  }

  private Path database() {
    return directory.resolve("db");
  }

  /** No checkpoint, no flush: SIGQUIT is the server's immediate shutdown. */
  private void stopImmediately() {
    try {
      String postmaster = Files.readAllLines(database().resolve("postmaster.pid")).get(0);
      Process kill = new ProcessBuilder("kill", "-QUIT", postmaster.strip()).start();
      assertThat(kill.waitFor()).isZero();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}

package dev.tidemark.retention.it.schedule;

import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.Waiting;
import dev.tidemark.retention.runner.RetentionService;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/**
 * Replicas on one database, each with a pool of its own, and the row of the schedule they share.
 * The cadence is the shortest there is, a second.
 */
public final class Fleet implements AutoCloseable {
  public static final Duration PERIOD = Duration.ofSeconds(1);
  public static final Duration PATIENCE = Duration.ofSeconds(60);
  public static final Knobs KNOBS =
      Knobs.defaults()
          .with(Knob.INTERVAL, "1000")
          // A step that a test holds is not to time out before the test lets it go.
          .with(Knob.LOCK_TIMEOUT_MS, "60000")
          .with(Knob.STEP_TIMEOUT_MS, "120000");

  public final TestDatabase database = TestDatabase.migrated();
  public final Sql sql = database.connect();
  public final TestLog log = new TestLog(sql);
  private final List<RetentionService> replicas = new ArrayList<>();

  /** A replica that has not been started. */
  public RetentionService replica(String holder) {
    return replica(holder, builder -> builder);
  }

  public RetentionService replica(String holder, UnaryOperator<RetentionService.Builder> change) {
    RetentionService service =
        change.apply(RetentionService.on(database.pool()).knobs(KNOBS).holder(holder)).build();
    replicas.add(service);
    return service;
  }

  public RetentionService started(String holder) {
    return started(holder, builder -> builder);
  }

  public RetentionService started(String holder, UnaryOperator<RetentionService.Builder> change) {
    RetentionService service = replica(holder, change);
    service.start();
    return service;
  }

  /** Partitions of a new queue with one segment each that rule 1 deletes; oldest first. */
  public List<UUID> due(int partitions) {
    String queue = "due-" + UUID.randomUUID();
    log.configure(queue, "{\"retentionEnabled\": true, \"retentionSeconds\": 60}");
    List<UUID> ids = new ArrayList<>();
    for (int i = 0; i < partitions; i++) {
      UUID id = log.partition(queue, "p" + i);
      log.append(id, log.ago(Duration.ofHours(2).minusSeconds(i)), 3);
      ids.add(id);
    }
    return ids;
  }

  public long live(List<UUID> partitions) {
    return sql.number(
        "select count(*) from queen.log_segments where partition_id = any (?)",
        (Object) partitions.toArray(UUID[]::new));
  }

  /** A column of the task's row. */
  @SuppressWarnings("TypeParameterUnusedInFormals")
  public <T> T column(String name) {
    return sql.value(
        "select " + name + " from queen.maintenance_leases where task = ?", RetentionService.TASK);
  }

  public long number(String column) {
    return this.<Number>column(column).longValue();
  }

  public void set(String columns) {
    sql.run(
        "update queen.maintenance_leases set " + columns + " where task = ?",
        RetentionService.TASK);
  }

  public Instant now() {
    return sql.value("select clock_timestamp()");
  }

  /** Waits until as many cycles have been served. */
  public void awaitRuns(long runs) {
    until("cycle " + runs, () -> number("runs") >= runs);
  }

  /** Waits until a session of this database waits for a lock. */
  public void awaitBlocked(int sessions) {
    until(
        sessions + " sessions wait for a lock",
        () ->
            sql.number(
                    "select count(*) from pg_stat_activity where datname = current_database()"
                        + " and cardinality(pg_blocking_pids(pid)) > 0")
                == sessions);
  }

  public static void until(String what, BooleanSupplier fact) {
    Waiting.until(what, PATIENCE, fact);
  }

  @Override
  public void close() {
    replicas.forEach(RetentionService::close);
    database.close();
  }
}

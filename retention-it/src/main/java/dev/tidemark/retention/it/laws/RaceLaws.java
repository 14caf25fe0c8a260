package dev.tidemark.retention.it.laws;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.cycle.CycleReport;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.it.race.Race;
import dev.tidemark.retention.it.race.RaceQueues;
import dev.tidemark.retention.it.race.RaceTraffic;
import dev.tidemark.retention.it.step.StepKind;
import dev.tidemark.retention.it.suite.Depth;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.runner.RetentionService;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Everybody at once, at full speed: producers, consumers, seekers, the runner with four workers,
 * raw steps, the cleanup, the walk, and a queue that is dropped again and again.
 */
public class RaceLaws {
  private static final Duration SHORTLY = Duration.ofSeconds(5);
  private static final Duration AT_LENGTH = Duration.ofMinutes(3);
  private static final Set<String> NONE = Set.of();

  /** The partition or its queue vanished meanwhile: push again. */
  private static final Set<String> VANISHED = Set.of("TM007", "23503");

  /** The queue is dropped at the moment, or its partition in this very one. */
  private static final Set<String> NO_QUEUE = Set.of("TM003", "TM004", "23503");

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;

  @BeforeAll
  static void open() {
    database = Target.open();
    sql = database.connect();
    log = new TestLog(sql);
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @Test
  void nothingBreaksAndNothingIsLostWhenEverythingHappensAtOnce() throws Exception {
    try (RetentionService service =
        RetentionService.on(database.pool())
            .knob(Knob.PARALLELISM, "4")
            .knob(Knob.BATCH_SIZE, "20")
            .knob(Knob.LOCK_TIMEOUT_MS, "60000")
            .build()) {
      RaceQueues queues = RaceQueues.configured(log, sql);
      // Once alone: it opens connections and loads classes, which takes long beside all the others.
      queues.age(log);
      service.runOnce();
      queues.age(log);
      race(queues, service);
    }
  }

  private static void race(RaceQueues queues, RetentionService service)
      throws InterruptedException {
    Race race = new Race(database, "RaceLaws");
    Instant start = log.ago(Duration.ZERO);
    long deadlocks = deadlocks();

    RaceTraffic traffic = new RaceTraffic(queues);
    race.actor("pusher", VANISHED, traffic::push);
    race.actor("second pusher", VANISHED, traffic::push);
    race.actor("multi-pusher", VANISHED, traffic::pushMulti);
    race.actor("second multi-pusher", VANISHED, traffic::pushMulti);
    race.actor("wire", VANISHED, traffic::wire);
    race.actor("consumer a", NONE, (s, r) -> traffic.consume(s, r, queues.kept(), "a"));
    race.actor("second consumer a", NONE, (s, r) -> traffic.consume(s, r, queues.kept(), "a"));
    race.actor("consumer b", NONE, (s, r) -> traffic.consume(s, r, queues.kept(), "b"));
    race.actor("consumer x", NO_QUEUE, (s, r) -> traffic.consume(s, r, queues.any(r), "x"));
    race.actor("consumer y", NO_QUEUE, (s, r) -> traffic.consume(s, r, queues.any(r), "y"));
    race.actor("groups", "seeker", NO_QUEUE, queues::seek);
    race.actor("groups", "group deleter", NO_QUEUE, queues::deleteGroup);
    race.actor("dropper", NONE, queues::drop);
    for (StepKind kind : StepKind.values()) {
      race.actor("steps " + kind, NONE, (s, r) -> queues.step(s, r, kind));
    }
    race.actor("cleanup", NONE, RaceLaws::cleanup);
    race.actor("runner", NONE, (s, r) -> cycle(service));
    Map<Object, TestLog.Row> seen = new HashMap<>();
    race.actor("observer", "watermarks", NONE, (s, r) -> watch(s, seen));
    race.actor("observer", "walk", NONE, RaceLaws::walk);
    race.actor("observer", "invariants", NONE, (s, r) -> holdsNow(s));
    race.run(Depth.of(SHORTLY, AT_LENGTH));

    assertThat(holdsNow(sql)).isTrue();
    assertThat(race.done())
        .as("%s", race)
        .allSatisfy((actor, turns) -> assertThat(turns.sum()).as(actor).isPositive());
    assertThat(deleted(start)).as("%s", race).isNotEmpty().doesNotContain(0L);
    traffic.drain(sql, "a", "b");
    traffic.ledger().requireContent();
    queues.keptPartitions().forEach(p -> traffic.ledger().requireDelivery(p, "a", "b"));
    assertThat(deadlocks()).as("%s", race).isEqualTo(deadlocks);
  }

  private static boolean cycle(RetentionService service) {
    if (service.runOnce() instanceof CycleOutcome.Swept swept) {
      CycleReport report = swept.report();
      assertThat(report.visits().failed()).isZero();
      assertThat(report.metrics().error()).isEmpty();
      return report.deletedSomething();
    }
    throw new AssertionError("somebody else holds the cycle's lock");
  }

  private static boolean cleanup(Sql session, Random random) {
    return session
            .json(
                "select queen.log_partition_cleanup_step_v1(clock_timestamp() - interval '50 ms', ?)",
                1 + random.nextInt(10))
            .get("deleted")
            .asInt()
        > 0;
  }

  private static boolean walk(Sql session, Random random) {
    String after = null;
    JsonNode page;
    do {
      page =
          session.json(
              "select queen.log_watermark_walk_step_v1(?::uuid, ?)", after, 1 + random.nextInt(50));
      assertThat(page.get("repaired").asInt()).as("nothing drifts by itself").isZero();
      after = page.get("last_id").asText(null);
    } while (!page.get("done").asBoolean());
    return after != null;
  }

  private static boolean watch(Sql session, Map<Object, TestLog.Row> seen) {
    for (var row :
        session.rows("select id, last_offset, log_start, txns_start from queen.log_partitions")) {
      TestLog.Row now =
          new TestLog.Row(
              (long) row.get("last_offset"),
              (long) row.get("log_start"),
              (long) row.get("txns_start"),
              null,
              null);
      TestLog.Row before = seen.put((UUID) row.get("id"), now);
      assertThat(
              before == null
                  || (now.lastOffset() >= before.lastOffset()
                      && now.logStart() >= before.logStart()
                      && now.txnsStart() >= before.txnsStart()))
          .as("%s then %s", before, now)
          .isTrue();
    }
    return !seen.isEmpty();
  }

  private static boolean holdsNow(Sql session) {
    assertThat(session.rows("select * from queen.log_invariants_v1()")).isEmpty();
    assertThat(Invariants.broken(session)).isEmpty();
    return true;
  }

  /** What went since then, by rule. */
  private static List<Object> deleted(Instant since) {
    return sql.column(
        "select sum(h.segments_deleted)::bigint from (values ('retention'), ('completed_retention'),"
            + " ('max_wait_time_eviction')) t(type) left join queen.retention_history h"
            + " on h.retention_type = t.type and h.executed_at >= ? group by t.type",
        since);
  }

  private static long deadlocks() {
    return sql.number("select deadlocks from pg_stat_database where datname = current_database()");
  }
}

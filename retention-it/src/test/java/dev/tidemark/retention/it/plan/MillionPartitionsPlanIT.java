package dev.tidemark.retention.it.plan;

import static dev.tidemark.retention.it.plan.MillionPartitions.EMPTY;
import static dev.tidemark.retention.it.plan.MillionPartitions.PARTITIONS;
import static dev.tidemark.retention.it.plan.MillionPartitions.QUEUES;
import static dev.tidemark.retention.it.plan.MillionPartitions.id;
import static dev.tidemark.retention.it.plan.MillionPartitions.queue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.tidemark.retention.it.plan.ExplainedSession.Plan;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * The statements that retention runs over all partitions, or into a deep one, among a million: by
 * which index, by which bounds, and how much they read.
 *
 * <p>The tables go through one life, and two sessions through all of it, so that each sees every
 * state with the plans it made before: one keeps the generic plans of the time when the tables were
 * empty, the other chooses anew until the server thinks it knows. In each state each call is made
 * eight times.
 */
@TestMethodOrder(OrderAnnotation.class)
class MillionPartitionsPlanIT {
  private static final int CALLS = 8;
  private static final int BATCH = 100;
  private static final int LOOK = 10 * BATCH;

  private static final int LONGER_THAN_ANYTHING = (int) Duration.ofDays(20).toSeconds();
  private static final int SHORTER_THAN_ANYTHING = 1000;

  /** A queue's due range, lane by lane, over all queues. */
  private static final Probe WORK_LIST =
      Probe.of(
              "work list",
              "select * from queen.log_work_list_v1(p_due_cap => ?, p_total_cap => ?)",
              BATCH,
              BATCH)
          .reads(4L * QUEUES * BATCH, 2L * QUEUES * BATCH)
          .range("log_partitions_due_live", "queue_id = ", "oldest_live_at < ")
          .range("log_partitions_due_live", "queue_id = ", "ROW(oldest_live_at, id) > ROW(")
          .range("log_partitions_due_txns", "queue_id = ", "oldest_txn_at < ");

  private static final Probe IDLE_WORK_LIST =
      Probe.of("idle " + WORK_LIST.name(), WORK_LIST.statement(), BATCH, BATCH)
          .reads(0, 20L * QUEUES);

  private static final List<Probe> PROBES =
      List.of(
          page(1, "log_partitions_due_live", "oldest_live_at"),
          page(2, "log_partitions_due_txns", "oldest_txn_at"),
          Probe.of(
                  "heads",
                  "select * from queen.log_heads_can_go_v1(?::uuid[])",
                  LongStream.range(0, BATCH)
                      .mapToObj(i -> id(EMPTY + 900 * i).toString())
                      .collect(Collectors.joining(",", "{", "}")))
              .reads(BATCH, 20 * BATCH)
              .range("log_partitions_pkey", "id = ANY")
              .range("log_consumers_pkey", "partition_id = ")
              .range("log_segments_pkey", "partition_id = ", "base_offset >= "),
          Probe.of(
                  "boundary walk",
                  "select queen.log_retention_boundary_windowed_v1(?, ?, now(), ?)",
                  id(PARTITIONS),
                  160_000L,
                  160_000L + BATCH)
              .reads(BATCH, BATCH)
              .range("log_segments_pkey", "partition_id = ", "base_offset >= ", "base_offset < "),
          Probe.of(
                  "retention step",
                  "select queen.log_retention_step_v1(?, now(), null, ?)",
                  id(PARTITIONS),
                  BATCH)
              .reads(6 * BATCH, 10 * BATCH)
              .range("log_segments_pkey", "partition_id = ", "base_offset >= ")
              .range("log_partitions_pkey", "id = "),
          Probe.of(
                  "step with nothing stale",
                  "select queen.log_retention_step_v1(?, now() - interval '1 day', now() - interval '1 day', ?)",
                  id(PARTITIONS),
                  BATCH)
              .reads(3 * BATCH, BATCH),
          Probe.of(
                  "sidecar purge",
                  "select queen.log_txns_purge_step_v1(?, now(), ?)",
                  id(PARTITIONS),
                  BATCH)
              .reads(6 * BATCH, 10 * BATCH)
              .range("log_txns_pkey", "partition_id = ", "base_offset >= ")
              .range("log_partitions_pkey", "id = "),
          Probe.of(
                  "first pop of a group",
                  "select from_offset from queen.log_pop_v1('q0', 'deep', 'new', 'w', ?, 60)",
                  BATCH)
              .reads(2 * BATCH, 4 * BATCH)
              .range("log_segments_pkey", "partition_id = ", "base_offset >= "),
          Probe.of(
                  "reading from the start",
                  "select base_offset from queen.log_read_v1(?, 0, ?)",
                  id(PARTITIONS),
                  BATCH)
              .reads(BATCH, BATCH)
              .range("log_segments_pkey", "partition_id = ", "base_offset >= "),
          cleanup("cleanup at what dead letters keep", "null, null").reads(2 * LOOK + 1, 20 * LOOK),
          cleanup(
                  "cleanup behind it",
                  "'2000-01-01Z'::timestamptz + "
                      + (150_000 - 1)
                      + " * interval '1 s', '"
                      + id(150_000 - 1)
                      + "'")
              .reads(LOOK + 10 * BATCH, 20 * LOOK),
          Probe.of(
                  "safety walk",
                  "select queen.log_watermark_walk_step_v1(?, ?)",
                  id(PARTITIONS / 2),
                  BATCH)
              .reads(2 * BATCH, 30 * BATCH)
              .range("log_partitions_pkey", "id > ")
              .range("log_segments_pkey", "partition_id = ", "base_offset >= ")
              .range("log_txns_pkey", "partition_id = ", "base_offset >= "));

  /** Looks through what the group has read, which is little that lives. */
  private static final Probe ACK =
      Probe.of(
              "ack of a hash that is gone",
              "select queen.log_ack_by_hash_v1(?, 'reader', 'w', decode(repeat('ff', 16), 'hex'))",
              id(PARTITIONS))
          .reads(2 * BATCH, BATCH)
          .range("log_txns_pkey", "partition_id = ", "base_offset >= ", "base_offset <= ");

  private static TestDatabase database;
  private static MillionPartitions tables;
  private static List<ExplainedSession> sessions;

  /** After a position inside the queue, as the planner reads on. */
  private static Probe page(int phase, String index, String column) {
    return Probe.of(
            "page of phase " + phase,
            "select * from queen.log_due_page_v1(?, ?, null, now(), now() - interval '9 days' + interval '30000 s', ?, ?)",
            phase,
            queue(3),
            id(0),
            BATCH)
        .reads(BATCH, BATCH)
        .range(index, "queue_id = ", "ROW(" + column + ", id) > ROW(", column + " < ");
  }

  private static Probe cleanup(String name, String after) {
    return Probe.of(
            name,
            "select queen.log_partition_cleanup_step_v1('2020-01-01Z', ?, ?, " + after + ")",
            BATCH,
            LOOK)
        .sorts(BATCH)
        .range("log_partitions_silent", "last_write_at < ", "ROW(last_write_at, id) > ROW(")
        .range("log_partitions_silent", "ROW(last_write_at, id) <= ROW(")
        .range("log_dlq_partition", "partition_id = ");
  }

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    try (Sql sql = Sql.connect(database.url())) {
      assumeTrue(
          sql.<Boolean>value("select rolsuper from pg_roles where rolname = current_user"),
          "auto_explain takes a superuser");
    }
    tables = new MillionPartitions(database);
    sessions =
        List.of(
            new ExplainedSession(database.url(), "auto"),
            new ExplainedSession(database.url(), "force_generic_plan"));
  }

  @AfterAll
  static void close() {
    if (sessions != null) {
      sessions.forEach(ExplainedSession::close);
    }
    database.close();
  }

  @Order(1)
  @TestFactory
  Stream<DynamicTest> whileTheTablesAreEmpty() {
    tables.windows(SHORTER_THAN_ANYTHING);
    return Stream.concat(PROBES.stream(), Stream.of(WORK_LIST))
        .map(probe -> dynamicTest(probe.name(), () -> explained(probe, probe::bounded)));
  }

  @Order(2)
  @TestFactory
  Stream<DynamicTest> withStatisticsFromBeforeTheyWereFilled() {
    tables.fill();
    return stale();
  }

  @Order(3)
  @TestFactory
  Stream<DynamicTest> withNewStatisticsAndEverythingStale() {
    tables.analyze();
    return stale();
  }

  @Order(4)
  @TestFactory
  Stream<DynamicTest> withNothingStale() {
    tables.windows(LONGER_THAN_ANYTHING);
    return Stream.of(dynamicTest(IDLE_WORK_LIST.name(), () -> everything(IDLE_WORK_LIST)));
  }

  /** Whoever begins at a watermark, or at a position, does not see what lies dead before it. */
  @Order(5)
  @TestFactory
  Stream<DynamicTest> behindDeadRowsThatASnapshotKeeps() {
    Sql elsewhere = database.connect();
    elsewhere.run("begin isolation level repeatable read");
    elsewhere.rows("select from queen.queues");
    tables.deleteHeads(150_000, 50_000);
    tables.windows(SHORTER_THAN_ANYTHING);
    return Stream.concat(
            Stream.concat(PROBES.stream(), Stream.of(ACK))
                .map(probe -> dynamicTest(probe.name(), () -> everything(probe))),
            Stream.of(
                dynamicTest(
                    WORK_LIST.name(),
                    () ->
                        explained(
                            WORK_LIST,
                            plans -> {
                              WORK_LIST.bounded(plans);
                              WORK_LIST.ranged(plans);
                            }))))
        .onClose(elsewhere::close);
  }

  @Order(6)
  @TestFactory
  Stream<DynamicTest> withStatisticsFromBeforeTheyWereEmptied() {
    tables.analyze();
    tables.deleteEverything();
    return Stream.concat(PROBES.stream(), Stream.of(WORK_LIST))
        .map(probe -> dynamicTest(probe.name(), () -> explained(probe, probe::bounded)));
  }

  private static Stream<DynamicTest> stale() {
    tables.windows(SHORTER_THAN_ANYTHING);
    return Stream.concat(PROBES.stream(), Stream.of(WORK_LIST))
        .map(probe -> dynamicTest(probe.name(), () -> everything(probe)));
  }

  private static void everything(Probe probe) {
    explained(
        probe,
        plans -> {
          probe.bounded(plans);
          probe.ranged(plans);
          probe.paged(plans);
        });
  }

  private static void explained(Probe probe, Consumer<List<Plan>> judge) {
    for (ExplainedSession session : sessions) {
      for (int call = 1; call <= CALLS; call++) {
        judge.accept(probe.in(session));
      }
    }
  }
}

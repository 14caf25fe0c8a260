package dev.tidemark.retention.it.race;

import dev.tidemark.retention.it.step.StepKind;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Queues to race on. In the kept one only rule 2 deletes, two groups read all of it, and a dead
 * letter keeps each partition from the cleanup. In the wild one every rule deletes, with windows of
 * a second. The doomed one is dropped as soon as there is something in it. The aged one holds a
 * backlog that nobody reads.
 */
public record RaceQueues(String kept, String wild, String doomed, String aged) {
  private static final int BACKLOG = 20;
  private static final List<String> PARTITIONS = List.of("p0", "p1", "p2");
  private static final String ALL_RULES =
      "{\"retentionEnabled\": true, \"retentionSeconds\": 2, \"completedRetentionSeconds\": 1,"
          + " \"maxWaitTimeSeconds\": 1}";

  public static RaceQueues configured(TestLog log, Sql sql) {
    String random = "-" + UUID.randomUUID();
    RaceQueues queues =
        new RaceQueues("kept" + random, "wild" + random, "doomed" + random, "aged" + random);
    log.configure(queues.kept, "{\"retentionEnabled\": true, \"completedRetentionSeconds\": 1}");
    log.configure(queues.wild, ALL_RULES);
    log.configure(queues.aged, ALL_RULES);
    for (String name : PARTITIONS) {
      UUID id = log.partition(queues.kept, name);
      log.commit(id, "a", -1);
      log.commit(id, "b", -1);
      sql.run("select queen.log_dlq_put_v1(?, 'keep', null, null, null, null)", id);
    }
    return queues;
  }

  /** Gives the runner something old that only it deletes. */
  public void age(TestLog log) {
    for (int i = 0; i < BACKLOG; i++) {
      UUID id = log.partition(aged, "p" + UUID.randomUUID());
      for (int messages = 1; messages <= 3; messages++) {
        log.append(id, log.ago(Duration.ofHours(1)), messages);
      }
    }
  }

  public String any(Random random) {
    return random.nextBoolean() ? wild : doomed;
  }

  /** A partition as {@code queue/name}: now and then one that nobody else names. */
  String partition(Random random) {
    String queue = random.nextInt(3) == 0 ? kept : any(random);
    boolean once = !queue.equals(kept) && random.nextInt(10) == 0;
    return queue + "/" + (once ? "once" + random.nextLong() : some(random));
  }

  static String some(Random random) {
    return PARTITIONS.get(random.nextInt(PARTITIONS.size()));
  }

  public List<String> keptPartitions() {
    return PARTITIONS.stream().map(name -> kept + "/" + name).toList();
  }

  /** Some cursor goes back, or anywhere where messages may be lost. */
  public boolean seek(Sql session, Random random) {
    var cursors =
        session.rows(
            "select c.partition_id, c.consumer_group, case when q.name = ? then c.committed else"
                + " p.last_offset end + 1 as limit from queen.log_consumers c join"
                + " queen.log_partitions p on p.id = c.partition_id join queen.queues q on q.id ="
                + " p.queue_id where q.name in (?, ?) order by random() limit 1",
            kept,
            kept,
            wild);
    for (var cursor : cursors) {
      long limit = (long) cursor.get("limit");
      // Not too far: whatever is read again has to be read by somebody.
      long offset = Math.max(0, limit - random.nextInt(20));
      session.run(
          "select queen.log_seek_v1(?, ?, ?)",
          cursor.get("partition_id"),
          cursor.get("consumer_group"),
          offset);
    }
    return !cursors.isEmpty();
  }

  public boolean deleteGroup(Sql session, Random random) {
    return session
            .json("select queen.log_group_delete_v1(?, 'y')", any(random))
            .get("deleted")
            .asInt()
        > 0;
  }

  /** Drops the doomed queue when it is full enough, with its rules or without them afterwards. */
  public boolean drop(Sql session, Random random) {
    long segments =
        session.number(
            "select count(*) from queen.log_segments s join queen.log_partitions p on p.id ="
                + " s.partition_id join queen.queues q on q.id = p.queue_id where q.name = ?",
            doomed);
    if (segments < 1 + random.nextInt(20)) {
      return false;
    }
    boolean dropped =
        session.json("select queen.delete_queue_v1(?)", doomed).get("deleted").asBoolean();
    if (random.nextBoolean()) {
      new TestLog(session).configure(doomed, ALL_RULES);
    }
    return dropped;
  }

  /**
   * A step on some partition; in the kept and the aged queue only what rule 2 and the sidecar
   * allow.
   */
  public boolean step(Sql session, Random random, StepKind kind) {
    // By consumption as soon as it is consumed, and mostly where two groups read; the aged queue
    // is the runner's, and a purge is all that touches it.
    boolean consumed = kind == StepKind.BY_CONSUMPTION;
    Stream<String> queues =
        switch (kind) {
          case BY_CONSUMPTION -> Stream.of(kept, wild);
          case SIDECAR -> Stream.of(kept, wild, doomed, aged);
          default -> Stream.of(wild, doomed);
        };
    Object[] names = queues.toArray(String[]::new);
    List<Object> ids =
        session.column(
            "select p.id from queen.log_partitions p join queen.queues q on q.id = p.queue_id"
                + " where q.name = any (?) order by random() limit 1",
            (Object) names);
    boolean deleted = false;
    for (Object id : ids) {
      var cutoff =
          new TestLog(session).ago(Duration.ofMillis(random.nextInt(consumed ? 50 : 4_000)));
      deleted =
          kind.run(session, (UUID) id, cutoff, 1 + random.nextInt(5)).get("deleted").asInt() > 0;
    }
    return deleted;
  }
}

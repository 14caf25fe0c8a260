package dev.tidemark.retention.it.step;

import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * A queue of windows of a day, and of partitions whose segments, of one message each, are older: a
 * step of any kind may take them.
 *
 * @param cutoff that its windows cover
 */
public record DueQueue(Sql sql, String name, UUID id, Instant cutoff) {
  private static final Duration AGE = Duration.ofDays(10);

  /** A new one. */
  public static DueQueue of(Sql sql) {
    TestLog log = new TestLog(sql);
    String name = "due-" + UUID.randomUUID();
    log.configure(
        name,
        "{\"retentionEnabled\": true, \"retentionSeconds\": 86400, \"maxWaitTimeSeconds\": 86400,"
            + " \"completedRetentionSeconds\": 86400, \"dedupWindowSeconds\": 3600}");
    return new DueQueue(
        sql,
        name,
        sql.value("select id from queen.queues where name = ?", name),
        log.ago(Duration.ofDays(1)));
  }

  /** A partition with a group that is through with it. */
  public UUID partition(int segments) {
    TestLog log = new TestLog(sql);
    UUID id = log.partition(name, UUID.randomUUID().toString());
    for (int i = 0; i < segments; i++) {
      log.append(id, log.ago(AGE), 1);
    }
    log.commit(id, "through", segments - 1L);
    return id;
  }

  /** As many of them. */
  public List<UUID> partitions(int count, int segments) {
    return IntStream.range(0, count).mapToObj(i -> partition(segments)).toList();
  }

  /** Takes it away, with everything in it. */
  public void delete() {
    sql.json("select queen.delete_queue_v1(p_name => ?)", name);
  }

  /** A drain of some of its partitions, without an end in time. */
  public ServerDrain drain(StepKind kind, List<UUID> partitions, int maxRows) {
    return ServerDrain.of(kind, id, partitions, cutoff, maxRows).with("p_time_ms", 3_600_000);
  }
}

package dev.tidemark.retention.it.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Locks;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Partitions of one queue whose first segments may go, because the only group has consumed them,
 * and whose last ones are wanted: as old, but not consumed.
 */
final class Wanted {
  /** log_start once all that may go is gone. */
  static final int GONE = 6;

  /** Segments of each partition. */
  static final int MAY_GO = 3;

  private static final int KEPT = 2;
  private static final int MESSAGES = 2;

  private final Sql sql;
  private final List<UUID> partitions = new ArrayList<>();

  Wanted(Sql sql, int count) {
    this.sql = sql;
    TestLog log = new TestLog(sql);
    String queue = "wanted-" + UUID.randomUUID();
    log.configure(queue, "{\"retentionEnabled\": true, \"completedRetentionSeconds\": 60}");
    for (int p = 0; p < count; p++) {
      UUID partition = log.partition(queue, "p" + p);
      for (int s = 0; s < MAY_GO + KEPT; s++) {
        log.append(partition, log.ago(Duration.ofHours(2)), MESSAGES);
      }
      log.commit(partition, "g", MAY_GO * MESSAGES - 1);
      partitions.add(partition);
    }
  }

  UUID first() {
    return partitions.get(0);
  }

  boolean isSwept() {
    return live() == (long) KEPT * partitions.size();
  }

  long live() {
    return ofAll("select count(*) from queen.log_segments where partition_id = any (?)");
  }

  /** All that may go is gone, and nothing else; each message once; nobody holds anything. */
  void isSweptAndWhole() {
    assertThat(live()).isEqualTo((long) KEPT * partitions.size());
    isWhole();
    assertThat(
            ofAll(
                "select sum(messages_deleted) from queen.retention_history where partition_id = any (?)"))
        .as("messages deleted")
        .isEqualTo((long) MAY_GO * MESSAGES * partitions.size());
    // A cycle that found nothing may be under way.
    Waiting.until("nothing is held", Duration.ofSeconds(30), () -> Locks.held(sql).isEmpty());
  }

  /** Whatever is gone by now: the invariants hold and nothing unconsumed is gone. */
  void isWhole() {
    assertThat(Invariants.broken(sql)).isEmpty();
    assertThat(
            ofAll(
                "select count(*) from queen.log_partitions where id = any (?) and log_start > "
                    + MAY_GO * MESSAGES))
        .as("partitions that lost something unconsumed")
        .isZero();
  }

  private long ofAll(String query) {
    return sql.number(query, (Object) partitions.toArray(UUID[]::new));
  }
}

package dev.tidemark.retention.it.step;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestPush;
import java.time.Duration;
import java.util.UUID;

/** A transaction of the engine that writes. */
public enum EngineTransaction {
  RETENTION {
    @Override
    public JsonNode on(Sql session, UUID partition) {
      TestLog log = new TestLog(session);
      return log.retentionStep(partition, null, log.ago(Duration.ofHours(1)), 100);
    }
  },
  EVICTION {
    @Override
    public JsonNode on(Sql session, UUID partition) {
      TestLog log = new TestLog(session);
      return log.evictStep(partition, log.ago(Duration.ofHours(1)), 100);
    }
  },
  PURGE {
    @Override
    public JsonNode on(Sql session, UUID partition) {
      TestLog log = new TestLog(session);
      return log.purgeStep(partition, log.ago(Duration.ofHours(1)), 100);
    }
  },
  CLEANUP {
    @Override
    public JsonNode on(Sql session, UUID partition) {
      return session.json(
          "select queen.log_partition_cleanup_step_v1(p_cutoff => '2021-01-01Z', p_max_rows => 10)");
    }
  },
  WALK {
    @Override
    public JsonNode on(Sql session, UUID partition) {
      return session.json(
          "select queen.log_watermark_walk_step_v1(p_after => null, p_max_rows => 1000)");
    }
  },
  PUSH {
    @Override
    public JsonNode on(Sql session, UUID partition) {
      var address =
          session.row(
              "select q.name as queue, p.name as partition from queen.log_partitions p"
                  + " join queen.queues q on q.id = p.queue_id where p.id = ?",
              partition);
      return new TestPush(session)
          .push(
              String.valueOf(address.get("queue")),
              String.valueOf(address.get("partition")),
              "a",
              "b");
    }
  };

  public abstract JsonNode on(Sql session, UUID partition);
}

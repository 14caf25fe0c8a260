package dev.tidemark.retention.it.laws;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestPush;
import java.time.Duration;
import java.util.UUID;

/** A transaction of the engine that writes. */
enum Transaction {
  RETENTION {
    @Override
    JsonNode on(Sql session, UUID partition) {
      TestLog log = new TestLog(session);
      return log.retentionStep(partition, null, log.ago(Duration.ofHours(1)), 100);
    }
  },
  EVICTION {
    @Override
    JsonNode on(Sql session, UUID partition) {
      TestLog log = new TestLog(session);
      return log.evictStep(partition, log.ago(Duration.ofHours(1)), 100);
    }
  },
  PURGE {
    @Override
    JsonNode on(Sql session, UUID partition) {
      TestLog log = new TestLog(session);
      return log.purgeStep(partition, log.ago(Duration.ofHours(1)), 100);
    }
  },
  CLEANUP {
    @Override
    JsonNode on(Sql session, UUID partition) {
      return session.json(
          "select queen.log_partition_cleanup_step_v1(p_cutoff => '2021-01-01Z', p_max_rows => 10)");
    }
  },
  WALK {
    @Override
    JsonNode on(Sql session, UUID partition) {
      return session.json(
          "select queen.log_watermark_walk_step_v1(p_after => null, p_max_rows => 1000)");
    }
  },
  PUSH {
    @Override
    JsonNode on(Sql session, UUID partition) {
      String name = session.value("select name from queen.log_partitions where id = ?", partition);
      return new TestPush(session).push(FaultLaws.QUEUE, name, "a", "b");
    }
  };

  abstract JsonNode on(Sql session, UUID partition);
}

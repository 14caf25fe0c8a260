package dev.tidemark.retention.cli.demo;

import dev.tidemark.retention.sql.AuditGateway;
import dev.tidemark.retention.sql.AuditGateway.PartitionCursors;
import dev.tidemark.retention.sql.LogGateway;
import dev.tidemark.retention.sql.StatusGateway;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/**
 * Looks at the database as anybody with the role of a reader can: it knows nothing of the traffic.
 */
final class Observer {
  private final AuditGateway audit;
  private final StatusGateway status;
  private final LogGateway log;
  private final List<QueuePlan> queues;

  Observer(DataSource dataSource, List<QueuePlan> queues) {
    this.audit = new AuditGateway(dataSource);
    this.status = new StatusGateway(dataSource);
    this.log = new LogGateway(dataSource);
    this.queues = queues;
  }

  Look look() {
    Map<String, List<PartitionCursors>> partitions = new LinkedHashMap<>();
    for (QueuePlan queue : queues) {
      partitions.put(queue.name(), audit.cursors(queue.name()));
    }
    return new Look(log.databaseNow(), partitions, status.history(null));
  }
}

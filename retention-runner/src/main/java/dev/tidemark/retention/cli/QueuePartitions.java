package dev.tidemark.retention.cli;

import dev.tidemark.retention.sql.QueueGateway;
import dev.tidemark.retention.sql.QueueGateway.PartitionLog;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The partitions a command is about: all of a queue, or the one it names. */
final class QueuePartitions {
  private QueuePartitions() {}

  /**
   * @param partition a name, or {@code null} = all
   * @throws CommandFailedException when there is no such partition
   */
  static List<PartitionLog> of(Database database, String queue, @Nullable String partition) {
    List<PartitionLog> all = new QueueGateway(database.dataSource()).partitions(queue);
    if (partition == null) {
      return all;
    }
    List<PartitionLog> named = all.stream().filter(p -> partition.equals(p.name())).toList();
    if (named.isEmpty()) {
      throw new CommandFailedException("queue " + queue + " has no partition " + partition);
    }
    return named;
  }
}

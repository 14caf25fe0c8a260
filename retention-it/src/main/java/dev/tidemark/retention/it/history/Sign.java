package dev.tidemark.retention.it.history;

import dev.tidemark.retention.it.model.Cursor;
import dev.tidemark.retention.it.model.Partition;
import dev.tidemark.retention.it.support.Sql;
import java.time.Instant;
import java.util.UUID;

/** Which time of a partition the cutoff of a cleanup lies beside. */
enum Sign {
  WRITTEN("update queen.log_partitions set last_write_at = ? where id = ?"),
  CREATED("update queen.log_partitions set created_at = ? where id = ?"),
  JOINED("update queen.log_consumers set created_at = ? where partition_id = ?"),
  LEASE_TAKEN("update queen.log_consumers set lease_acquired_at = ? where partition_id = ?"),
  LEASE_ENDS("update queen.log_consumers set lease_expires_at = ? where partition_id = ?");

  private final String touch;

  Sign(String touch) {
    this.touch = touch;
  }

  void touch(Sql sql, UUID id, Instant now) {
    sql.run(touch, now, id);
  }

  void touch(Partition partition, Instant now) {
    switch (this) {
      case WRITTEN -> partition.wrote(now);
      case CREATED -> partition.created(now);
      case JOINED -> partition.cursors().replaceAll((group, c) -> c.joinedAt(now));
      case LEASE_TAKEN -> partition.cursors().replaceAll((group, c) -> c.takenAt(now));
      case LEASE_ENDS -> partition.cursors().replaceAll((group, c) -> c.endingAt(now));
    }
  }

  Instant of(Partition partition, Instant otherwise) {
    Cursor cursor = partition.cursors().values().stream().findFirst().orElse(null);
    Instant time =
        switch (this) {
          case WRITTEN -> partition.row().lastWriteAt();
          case CREATED -> partition.row().createdAt();
          case JOINED -> cursor == null ? null : cursor.createdAt();
          case LEASE_TAKEN -> cursor == null ? null : cursor.acquiredAt();
          case LEASE_ENDS -> cursor == null ? null : cursor.expiresAt();
        };
    return time == null ? otherwise : time;
  }
}

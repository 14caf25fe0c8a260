package dev.tidemark.retention.it.step;

import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestLog.History;
import dev.tidemark.retention.it.support.TestLog.Row;
import dev.tidemark.retention.it.support.TestLog.Segment;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** All of a partition that a drain changes, and how much its history says went. */
public record PartitionState(
    Row row,
    List<Segment> segments,
    List<@Nullable Object> sidecar,
    long deletedSegments,
    long messages) {
  public static PartitionState of(Sql sql, UUID partition) {
    TestLog log = new TestLog(sql);
    List<History> history = log.history(partition);
    return new PartitionState(
        log.row(partition),
        log.segments(partition),
        sql.column(
            "select base_offset || '-' || end_offset || ' ' || created_at from queen.log_txns"
                + " where partition_id = ? order by base_offset",
            partition),
        history.stream().mapToLong(History::segments).sum(),
        history.stream().mapToLong(History::messages).sum());
  }
}

package dev.tidemark.retention.it.support;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A log to fill and to look at, over one connection. */
public final class TestLog {
  private final Sql sql;

  public TestLog(Sql sql) {
    this.sql = sql;
  }

  /** The database's clock, minus something: how tests speak of age. */
  public Instant ago(Duration age) {
    Instant now = sql.value("select clock_timestamp()");
    return now.minus(age);
  }

  /** Creates or edits a queue; options as JSON text. */
  public JsonNode configure(String queue, String options) {
    return sql.json(
        "select queen.configure_queue_v1(p_name => ?, p_options => ?::jsonb)", queue, options);
  }

  /** Finds or creates a partition. */
  public UUID partition(String queue, String partition) {
    return sql.value(
        "select queen.log_partition_provision_v1(p_queue => ?, p_partition => ?)",
        queue,
        partition);
  }

  /**
   * Appends one segment of {@code messages} messages that was made at {@code createdAt}; its base
   * offset.
   */
  public long append(UUID partition, Instant createdAt, int messages) {
    byte[] hashes = new byte[16 * messages];
    byte[] blob = "blob".getBytes(StandardCharsets.UTF_8);
    JsonNode answer =
        sql.json(
            "select queen.log_import_v1(p_partition_id => ?, p_created_at => array[?::timestamptz], p_msg_counts => array[?::int],"
                + " p_hashes => array[?::bytea], p_blobs => array[?::bytea])",
            partition,
            createdAt,
            messages,
            hashes,
            blob);
    return answer.get("baseOffset").asLong();
  }

  /** Moves a group's cursor so that {@code committed} is the last offset done; joins when new. */
  public void commit(UUID partition, String group, long committed) {
    sql.json(
        "select queen.log_seek_v1(p_partition_id => ?, p_group => ?, p_offset => ?)",
        partition,
        group,
        committed + 1);
  }

  public JsonNode retentionStep(
      UUID partition, @Nullable Instant all, @Nullable Instant completed, int maxRows) {
    return sql.json(
        "select queen.log_retention_step_v1(p_pid => ?, p_all_cutoff => ?::timestamptz, p_completed_cutoff => ?::timestamptz,"
            + " p_max_rows => ?)",
        partition,
        all,
        completed,
        maxRows);
  }

  public JsonNode purgeStep(UUID partition, @Nullable Instant cutoff, int maxRows) {
    return sql.json(
        "select queen.log_txns_purge_step_v1(p_pid => ?, p_cutoff => ?::timestamptz, p_max_rows => ?)",
        partition,
        cutoff,
        maxRows);
  }

  public JsonNode evictStep(UUID partition, @Nullable Instant cutoff, int maxRows) {
    return sql.json(
        "select queen.log_evict_max_wait_step_v1(p_pid => ?, p_cutoff => ?::timestamptz, p_max_rows => ?)",
        partition,
        cutoff,
        maxRows);
  }

  /** Live segments, in log order. */
  public List<Segment> segments(UUID partition) {
    return sql
        .rows(
            "select base_offset, end_offset, created_at from queen.log_segments where partition_id = ? order by base_offset",
            partition)
        .stream()
        .map(
            r ->
                new Segment(
                    (long) value(r.get("base_offset")),
                    (long) value(r.get("end_offset")),
                    (Instant) value(r.get("created_at"))))
        .toList();
  }

  /** The partition row. */
  public Row row(UUID partition) {
    var r =
        sql.row(
            "select last_offset, log_start, txns_start, oldest_live_at, oldest_txn_at from queen.log_partitions where id = ?",
            partition);
    return new Row(
        (long) value(r.get("last_offset")),
        (long) value(r.get("log_start")),
        (long) value(r.get("txns_start")),
        (Instant) r.get("oldest_live_at"),
        (Instant) r.get("oldest_txn_at"));
  }

  /**
   * The last stamp a segment got, whether or not it still lives; null for a partition that never
   * held one.
   */
  public @Nullable Instant lastCreatedAt(UUID partition) {
    return sql.<@Nullable Instant>value(
        "select last_created_at from queen.log_partitions where id = ?", partition);
  }

  /** History rows of a partition, in order of writing. */
  public List<History> history(UUID partition) {
    return sql
        .rows(
            "select segments_deleted, messages_deleted, retention_type from queen.retention_history where partition_id = ? order by id",
            partition)
        .stream()
        .map(
            r ->
                new History(
                    (long) value(r.get("segments_deleted")),
                    (long) value(r.get("messages_deleted")),
                    (String) value(r.get("retention_type"))))
        .toList();
  }

  private static Object value(@Nullable Object value) {
    if (value == null) {
      throw new AssertionError("a null where none can be");
    }
    return value;
  }

  /** A live segment: offsets [base, end]. */
  public record Segment(long base, long end, Instant createdAt) {
    public long messages() {
      return end - base + 1;
    }
  }

  /** The watermarks of a partition. */
  public record Row(
      long lastOffset,
      long logStart,
      long txnsStart,
      @Nullable Instant oldestLiveAt,
      @Nullable Instant oldestTxnAt) {}

  public record History(long segments, long messages, String type) {}
}

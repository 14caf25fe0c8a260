package dev.tidemark.retention.it.support;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The history that is older than any log here: rows of any content, and what both of its tables say
 * about them.
 */
public final class RolledHistory {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Instant END = Instant.parse("2005-01-01T00:00:00Z");

  private final Sql sql;

  public RolledHistory(Sql sql) {
    this.sql = sql;
  }

  /** What one step left, or one event. */
  public record Row(@Nullable UUID queue, String rule, long messages, long segments, Instant at) {
    /** Its name stands between two underscores and two more. */
    public boolean isEvent() {
      return rule.length() >= 4 && rule.startsWith("__") && rule.endsWith("__");
    }
  }

  /** A minute of one queue and rule. */
  public record Key(Instant minute, @Nullable UUID queue, String rule) {}

  public record Total(BigInteger messages, BigInteger segments, long steps) {
    private Total plus(Total other) {
      return new Total(
          messages.add(other.messages), segments.add(other.segments), steps + other.steps);
    }
  }

  /** The totals that these rows have, by no database. */
  public static Map<Key, Total> totals(Collection<Row> rows) {
    Map<Key, Total> totals = new HashMap<>();
    for (Row row : rows) {
      totals.merge(
          new Key(row.at().truncatedTo(ChronoUnit.MINUTES), row.queue(), row.rule()),
          new Total(BigInteger.valueOf(row.messages()), BigInteger.valueOf(row.segments()), 1),
          Total::plus);
    }
    return totals;
  }

  public void add(Collection<Row> rows) {
    ArrayNode array = JSON.createArrayNode();
    for (Row row : rows) {
      array
          .addObject()
          .put("queue_id", row.queue() == null ? null : row.queue().toString())
          .put("rule", row.rule())
          .put("messages", row.messages())
          .put("segments", row.segments())
          .put("at", row.at().toString());
    }
    sql.run(
        "insert into queen.retention_history (partition_id, queue_id, messages_deleted,"
            + " segments_deleted, retention_type, executed_at)"
            + " select gen_random_uuid(), queue_id, messages, segments, rule, at"
            + " from jsonb_to_recordset(?::jsonb)"
            + " as r(queue_id uuid, rule text, messages bigint, segments bigint, at timestamptz)",
        array.toString());
  }

  public JsonNode rollUp(@Nullable Instant from, Instant cutoff, int maxRows) {
    return sql.json(
        "select queen.log_history_roll_up_step_v1("
            + "p_from => ?::timestamptz, p_cutoff => ?::timestamptz, p_max_rows => ?)",
        from,
        cutoff,
        maxRows);
  }

  /** What is still there row by row. */
  public List<Row> rows() {
    return sql
        .rows(
            "select queue_id, retention_type, messages_deleted, segments_deleted, executed_at"
                + " from queen.retention_history where executed_at < ? order by id",
            END)
        .stream()
        .map(
            row ->
                new Row(
                    (UUID) row.get("queue_id"),
                    String.valueOf(row.get("retention_type")),
                    count(row.get("messages_deleted")),
                    count(row.get("segments_deleted")),
                    at(row.get("executed_at"))))
        .toList();
  }

  /** By minute, queue and rule, over both tables. */
  public Map<Key, Total> totals() {
    Map<Key, Total> totals = totals(rows());
    sql.rows("select * from queen.retention_history_minutes where minute < ?", END)
        .forEach(
            row ->
                totals.merge(
                    new Key(
                        at(row.get("minute")),
                        (UUID) row.get("queue_id"),
                        String.valueOf(row.get("retention_type"))),
                    new Total(
                        whole(row.get("messages_deleted")),
                        whole(row.get("segments_deleted")),
                        count(row.get("steps"))),
                    Total::plus));
    return totals;
  }

  public void forget() {
    sql.run("delete from queen.retention_history where executed_at < ?", END);
    sql.run("delete from queen.retention_history_minutes where minute < ?", END);
  }

  private static Instant at(@Nullable Object timestamptz) {
    return (Instant) Objects.requireNonNull(timestamptz);
  }

  private static long count(@Nullable Object bigint) {
    return (Long) Objects.requireNonNull(bigint);
  }

  private static BigInteger whole(@Nullable Object numeric) {
    return ((BigDecimal) Objects.requireNonNull(numeric)).toBigIntegerExact();
  }
}

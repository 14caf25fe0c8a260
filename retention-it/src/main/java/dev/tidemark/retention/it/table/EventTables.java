package dev.tidemark.retention.it.table;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Sql;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Tables in the schema {@code ev}, and what retention does with them, on one connection. */
public final class EventTables {
  private static final int MANY = 1_000;

  private final Sql sql;

  public EventTables(Sql sql) {
    this.sql = sql;
  }

  /** An empty schema {@code ev}, no policy, no history of one. */
  public void reset() {
    forget(sql);
    sql.run("create schema ev");
  }

  /** Takes away what {@link #reset} and the policies left. */
  public static void forget(Sql sql) {
    sql.run("drop schema if exists ev cascade");
    sql.run("delete from queen.table_policies");
    sql.run("delete from queen.table_history");
  }

  /** {@code ev.<name>} with a column {@code at} of that type, indexed, and a number {@code n}. */
  public String table(String name, String type) {
    sql.run("create table ev.%s (at %s, n int)".formatted(name, type));
    sql.run("create index on ev.%s (at)".formatted(name));
    return "ev." + name;
  }

  /** Sets a policy with more of its parameters by name, {@code p_} left out. */
  public JsonNode set(String relation, String column, String keep, Map<String, ?> more) {
    StringBuilder call =
        new StringBuilder(
            "select queen.table_policy_set_v1(p_relation => ?, p_column => ?, p_keep => ?");
    List<Object> arguments = new ArrayList<>();
    arguments.add(relation);
    arguments.add(column);
    arguments.add(keep);
    more.forEach(
        (name, value) -> {
          call.append(", p_").append(name).append(" => ?");
          arguments.add(value);
        });
    return sql.json(call.append(")").toString(), arguments.toArray());
  }

  public JsonNode set(String relation, String column, String keep) {
    return set(relation, column, keep, Map.of());
  }

  public JsonNode step(String policy, Instant cutoff, Integer maxRows) {
    return sql.json(
        "select queen.table_delete_step_v1(p_name => ?, p_cutoff => ?::timestamptz, p_max_rows =>"
            + " ?::int)",
        policy,
        cutoff,
        maxRows);
  }

  /** Steps until one says done, that nothing more can go, or anything but ok; the last answer. */
  public JsonNode drain(String policy, Instant cutoff, int maxRows) {
    for (int steps = 0; steps < MANY; steps++) {
      JsonNode step = step(policy, cutoff, maxRows);
      if (step.get("done").asBoolean()
          || step.get("stuck").asBoolean()
          || !step.get("state").asText().equals("ok")) {
        return step;
      }
    }
    throw new AssertionError("no end after " + MANY + " steps");
  }

  /** The only column of a query, as text, in order. */
  public List<String> texts(String query) {
    return sql.column(query).stream().map(String::valueOf).toList();
  }
}

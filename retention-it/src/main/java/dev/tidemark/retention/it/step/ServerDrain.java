package dev.tidemark.retention.it.step;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.retention.it.support.Sql;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A call of a drain on the server.
 *
 * @param procedure without its schema
 * @param told by name; everything else is as the procedure has it
 */
public record ServerDrain(String procedure, Map<String, @Nullable Object> told) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The drain of a kind of step, with the one cutoff that the kind has. */
  public static ServerDrain of(
      StepKind kind, UUID queue, List<UUID> partitions, @Nullable Instant cutoff, int maxRows) {
    return switch (kind) {
      case BY_AGE -> retention(queue, partitions, cutoff, null, maxRows);
      case BY_CONSUMPTION -> retention(queue, partitions, null, cutoff, maxRows);
      case MAX_WAIT ->
          on("log_evict_max_wait_drain_v1", queue, partitions, maxRows).with("p_cutoff", cutoff);
      case SIDECAR ->
          on("log_txns_purge_drain_v1", queue, partitions, maxRows).with("p_cutoff", cutoff);
    };
  }

  /** The drain of rules 1 and 2; a null cutoff turns its rule off. */
  public static ServerDrain retention(
      UUID queue,
      List<UUID> partitions,
      @Nullable Instant all,
      @Nullable Instant completed,
      int maxRows) {
    return on("log_retention_drain_v1", queue, partitions, maxRows)
        .with("p_all_cutoff", all)
        .with("p_completed_cutoff", completed);
  }

  private static ServerDrain on(String procedure, UUID queue, List<UUID> partitions, int maxRows) {
    return new ServerDrain(procedure, Map.of())
        .with("p_queue_id", queue)
        .with("p_pids", partitions.toArray(UUID[]::new))
        .with("p_max_rows", maxRows);
  }

  /** The same, with another argument. */
  public ServerDrain with(String argument, @Nullable Object value) {
    Map<String, @Nullable Object> more = new LinkedHashMap<>(told);
    more.put(argument, value);
    return new ServerDrain(procedure, more);
  }

  /** Calls it, in autocommit. */
  public Answer run(Sql session) {
    String arguments =
        told.entrySet().stream()
            .map(
                argument ->
                    argument.getKey()
                        + (argument.getValue() instanceof Instant || argument.getValue() == null
                            ? " => ?::" + type(argument.getKey())
                            : " => ?"))
            .collect(Collectors.joining(", "));
    Map<String, @Nullable Object> row =
        session.row("call queen." + procedure + "(" + arguments + ")", told.values().toArray());
    return new Answer((String) row.get("p_stopped"), steps(String.valueOf(row.get("p_steps"))));
  }

  private static String type(String argument) {
    return "pg_catalog." + (argument.endsWith("_cutoff") ? "timestamptz" : "text");
  }

  private static List<JsonNode> steps(String json) {
    try {
      JsonNode all = JSON.readTree(json);
      if (!all.isArray()) {
        throw new AssertionError("steps are an array, not " + json);
      }
      List<JsonNode> steps = new ArrayList<>();
      all.forEach(steps::add);
      return steps;
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("not JSON: " + json, e);
    }
  }

  /**
   * What it answers.
   *
   * @param stopped null = every partition had its turn
   * @param steps in their order
   */
  public record Answer(@Nullable String stopped, List<JsonNode> steps) {
    /** The partition of each step. */
    public List<UUID> partitions() {
      return steps.stream()
          .map(step -> UUID.fromString(step.get("partition_id").asText()))
          .toList();
    }

    /** One thing that each step says, or null where it does not. */
    public List<@Nullable Object> each(String field) {
      List<@Nullable Object> each = new ArrayList<>();
      for (JsonNode step : steps) {
        JsonNode value = step.path(field);
        each.add(
            value.isMissingNode() || value.isNull()
                ? null
                : value.isInt() ? (Object) value.intValue() : value.asText());
      }
      return each;
    }
  }
}

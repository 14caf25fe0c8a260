package dev.tidemark.retention.it.plan;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A node of a plan that ran.
 *
 * @param read rows it took from below or from its table, also those a filter threw away
 * @param buffers pages it and all below it looked at
 */
record PlanNode(
    String type,
    String table,
    String index,
    String condition,
    String filter,
    double rows,
    double read,
    long buffers,
    List<PlanNode> children) {

  static PlanNode of(JsonNode json) {
    double loops = json.path("Actual Loops").asDouble();
    double rows = json.path("Actual Rows").asDouble() * loops;
    double removed =
        Stream.of(
                    "Rows Removed by Filter",
                    "Rows Removed by Join Filter",
                    "Rows Removed by Index Recheck")
                .mapToDouble(key -> json.path(key).asDouble())
                .sum()
            * loops;
    return new PlanNode(
        json.path("Node Type").asText(),
        json.path("Relation Name").asText(),
        json.path("Index Name").asText(),
        json.path("Index Cond").asText(),
        json.path("Filter").asText(),
        rows,
        rows + removed,
        json.path("Shared Hit Blocks").asLong() + json.path("Shared Read Blocks").asLong(),
        StreamSupport.stream(json.path("Plans").spliterator(), false).map(PlanNode::of).toList());
  }

  /** This one and all below it. */
  Stream<PlanNode> all() {
    return Stream.concat(Stream.of(this), children.stream().flatMap(PlanNode::all));
  }

  boolean scans() {
    return type.endsWith("Scan") && !table.isEmpty();
  }

  @Override
  public String toString() {
    return String.join(" ", type, table, index, "cond", condition, "filter", filter)
        + " read "
        + read;
  }
}

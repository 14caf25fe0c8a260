package dev.tidemark.retention.it.plan;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.retention.it.support.Sql;
import java.util.List;

/**
 * A session that prepares every statement on the server, and hears from auto_explain how each one
 * ran, also those inside functions. Needs a superuser and the module.
 */
final class ExplainedSession implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String MARK = "plan:\n";

  private final Sql sql;

  ExplainedSession(String url, String planCacheMode) {
    sql = Sql.connect(url + (url.contains("?") ? "&" : "?") + "prepareThreshold=1");
    sql.run("load 'auto_explain'");
    for (String setting :
        List.of(
            "log_nested_statements = on",
            "log_min_duration = 0",
            "log_analyze = on",
            "log_buffers = on",
            "log_timing = off",
            "log_format = json",
            "log_level = notice")) {
      sql.run("set auto_explain." + setting);
    }
    sql.run("set plan_cache_mode = " + planCacheMode);
  }

  /** Runs it and takes it back; how the statements within it ran. (It itself ends too late.) */
  List<Plan> run(String statement, Object... arguments) {
    sql.begin();
    try {
      return sql.notices(statement, arguments).stream()
          .filter(said -> said.contains(MARK))
          .map(ExplainedSession::plan)
          .toList();
    } finally {
      sql.rollback();
    }
  }

  private static Plan plan(String said) {
    try {
      JsonNode json = JSON.readTree(said.substring(said.indexOf(MARK) + MARK.length()));
      return new Plan(json.get("Query Text").asText(), PlanNode.of(json.get("Plan")));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("not a plan: " + said, e);
    }
  }

  @Override
  public void close() {
    sql.close();
  }

  /** A statement and how it ran. */
  record Plan(String query, PlanNode root) {}
}

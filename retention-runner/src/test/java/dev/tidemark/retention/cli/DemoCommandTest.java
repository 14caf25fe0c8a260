package dev.tidemark.retention.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * What the demo says when something is broken behind its back, between the traffic and the check.
 */
class DemoCommandTest {

  @Test
  void aBrokenInvariantIsNamedWithItsPartitionAndIsExitCodeOne() throws Exception {
    JsonNode summary =
        brokenBy(
            "update queen.log_partitions p set log_start = 0, last_offset = last_offset + 1,"
                + " oldest_live_at = null from queen.queues q"
                + " where q.id = p.queue_id and q.name = 'payments' and p.name = 'p01'",
            "update queen.log_consumers c set committed = committed + 1"
                + " from queen.log_partitions p join queen.queues q on q.id = p.queue_id"
                + " where p.id = c.partition_id and q.name = 'payments' and p.name = 'p01'");

    assertThat(results(summary))
        .containsExactly("BROKEN", "BROKEN", "BROKEN", "OK", "BROKEN", "BROKEN", "BROKEN", "OK");
    for (int invariant : new int[] {1, 2, 3, 5, 6, 7}) {
      assertThat(summary.get("invariants").get(invariant - 1).get("broken").toString())
          .contains("payments/p01: ");
    }
  }

  /** What rule 1 took unread, had it been rule 2. */
  @Test
  void unreadMessagesThatWentByConsumptionBreakFiveAlone() throws Exception {
    JsonNode summary =
        brokenBy(
            "update queen.retention_history h set retention_type = 'completed_retention'"
                + " from queen.queues q where q.id = h.queue_id and q.name = 'orders'");

    assertThat(results(summary))
        .containsExactly("OK", "OK", "OK", "OK", "BROKEN", "OK", "OK", "OK");
    assertThat(summary.get("invariants").get(4).get("broken").toString())
        .contains("orders/p", "completed_retention deleted offsets");
  }

  /** The summary of a demo in whose tables these were run between the traffic and the check. */
  private static JsonNode brokenBy(String... statements) throws JsonProcessingException {
    StringWriter out = new StringWriter();
    CommandLine line = Retention.commandLine().setOut(new PrintWriter(out));
    DemoCommand demo = Objects.requireNonNull(line.getSubcommands().get("demo")).getCommand();
    demo.beforeCheck = dataSource -> run(dataSource, statements);

    int code = line.execute("demo", "--seconds", "3", "--json");

    assertThat(code).as(out.toString()).isEqualTo(1);
    return new ObjectMapper().readTree(out.toString());
  }

  private static List<String> results(JsonNode summary) {
    List<String> results = new ArrayList<>();
    summary.get("invariants").forEach(i -> results.add(i.get("result").asText()));
    return results;
  }

  private static void run(DataSource dataSource, String... statements) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.executeUpdate(sql);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}

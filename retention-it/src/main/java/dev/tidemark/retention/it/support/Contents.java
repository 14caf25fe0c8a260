package dev.tidemark.retention.it.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;

/** Everything the schema holds, as one word: two that are equal mean that nothing changed. */
public record Contents(String digest) {
  private static final List<String> TABLES =
      List.of(
          "queen.queues",
          "queen.log_partitions",
          "queen.log_segments",
          "queen.log_txns",
          "queen.log_consumers",
          "queen.log_dlq",
          "queen.retention_history",
          "queen.retention_history_minutes",
          "queen.maintenance_leases",
          "queen.system_metrics",
          "queen.table_policies",
          "queen.table_positions",
          "queen.table_runs",
          "queen.table_history");

  public static Contents of(Sql sql) {
    return new Contents(
        sql.value(
            TABLES.stream()
                .map(
                    "(select md5(coalesce(string_agg(t::text, '' order by t::text), '')) from %s t)"
                        ::formatted)
                .collect(Collectors.joining(" || ", "select ", ""))));
  }

  /**
   * A call is refused with this SQLSTATE and these words, and nothing changed.
   *
   * @param call of a function; of a procedure, with {@code call} before it
   */
  public static void refusedAndUntouched(
      Sql observer, Sql session, String state, String call, String... says) {
    Contents before = of(observer);
    String statement =
        call.startsWith("call ")
            ? "call queen." + call.substring(5)
            : "select * from queen." + call;
    Refusals.refused(call, state, () -> session.rows(statement), says);
    assertThat(of(observer)).as(call).isEqualTo(before);
  }
}

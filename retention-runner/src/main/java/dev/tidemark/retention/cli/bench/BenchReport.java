package dev.tidemark.retention.cli.bench;

import java.util.List;

/**
 * A whole run.
 *
 * @param date by the database's clock
 * @param seconds the run took
 */
public record BenchReport(
    List<RowResult> rows, Environment environment, String date, int rounds, double seconds) {
  /** Where it ran and with what. */
  public record Environment(String machine, String java, String server, List<String> settings) {}

  /** Whether every result that has a target reaches it. */
  public boolean holds() {
    return rows.stream().allMatch(row -> row.holds().orElse(true));
  }
}

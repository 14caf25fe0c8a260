package dev.tidemark.retention.cli.bench;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run as {@code --json} prints it. Empty fields are left out, {@code target} and {@code holds}
 * are null.
 */
public record BenchDocument(
    List<Entry> rows,
    String date,
    double seconds,
    int rounds,
    boolean holds,
    String machine,
    String java,
    String server,
    List<String> settings) {

  /**
   * One result.
   *
   * @param variant which case of the row, where it has several
   * @param bound {@code ">="} or {@code "<="}
   */
  public record Entry(
      String name,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) String variant,
      String what,
      double ratio,
      @Nullable Double target,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String bound,
      @Nullable Boolean holds,
      List<Double> ratios,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, Map<String, Double>> values,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, List<Double>> series) {}

  public static BenchDocument of(BenchReport report) {
    return new BenchDocument(
        report.rows().stream().map(BenchDocument::entry).toList(),
        report.date(),
        report.seconds(),
        report.rounds(),
        report.holds(),
        report.environment().machine(),
        report.environment().java(),
        report.environment().server(),
        report.environment().settings());
  }

  private static Entry entry(RowResult row) {
    return new Entry(
        row.name(),
        row.variant(),
        row.what(),
        row.ratio(),
        row.target().map(Target::bound).orElse(null),
        row.target().map(t -> t.atLeast() ? ">=" : "<=").orElse(null),
        row.holds().orElse(null),
        row.ratios(),
        row.values(),
        row.series());
  }
}

package dev.tidemark.retention.cli.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** A run as a table: for the terminal and for the page. */
public final class BenchTable {
  private static final double WHOLE = 100;

  private BenchTable() {}

  /** The heading, and a line for each result. */
  public static List<List<String>> lines(BenchReport report) {
    List<List<String>> lines = new ArrayList<>();
    lines.add(List.of("row", "ratio", "target", "status", "rounds", "what", "measured"));
    report.rows().forEach(row -> lines.add(line(row)));
    return lines;
  }

  /** A result as it is there, before the table is. */
  public static String oneLine(RowResult row) {
    return name(row) + ": " + row.what() + ": " + number(row.ratio());
  }

  private static String name(RowResult row) {
    return row.variant().isEmpty() ? row.name() : row.name() + " (" + row.variant() + ")";
  }

  private static List<String> line(RowResult row) {
    return List.of(
        name(row),
        number(row.ratio()),
        row.target().map(Target::toString).orElse("-"),
        row.holds().map(holds -> holds ? "holds" : "MISSED").orElse(""),
        spread(row.ratios()),
        row.what(),
        row.values().entrySet().stream().map(BenchTable::sides).collect(Collectors.joining("; ")));
  }

  /** The lowest and the highest. */
  private static String spread(List<Double> ratios) {
    return ratios.size() == 1
        ? ""
        : number(Collections.min(ratios)) + " .. " + number(Collections.max(ratios));
  }

  private static String sides(Map.Entry<String, Map<String, Double>> measured) {
    return measured.getValue().entrySet().stream()
        .map(side -> side.getKey() + " " + number(side.getValue()))
        .collect(Collectors.joining(", ", measured.getKey() + ": ", ""));
  }

  /** As many digits as say something. */
  static String number(double value) {
    return value >= WHOLE
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, "%.2f", value);
  }
}

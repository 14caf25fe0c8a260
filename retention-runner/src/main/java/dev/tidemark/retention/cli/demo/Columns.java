package dev.tidemark.retention.cli.demo;

import java.util.ArrayList;
import java.util.List;

/**
 * Rows under a heading, as lines: the first column to the left, the others to the right, where
 * digits stand below digits.
 */
final class Columns {
  private static final String GAP = "  ";

  private final List<List<String>> rows = new ArrayList<>();

  Columns row(String... cells) {
    return row(List.of(cells));
  }

  Columns row(List<String> cells) {
    if (!rows.isEmpty() && rows.get(0).size() != cells.size()) {
      throw new IllegalArgumentException(cells.size() + " cells under " + rows.get(0).size());
    }
    rows.add(List.copyOf(cells));
    return this;
  }

  List<String> lines() {
    int columns = rows.isEmpty() ? 0 : rows.get(0).size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int c = 0; c < columns; c++) {
        widths[c] = Math.max(widths[c], row.get(c).length());
      }
    }
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private static String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int c = 0; c < widths.length; c++) {
      String padding = " ".repeat(widths[c] - row.get(c).length());
      line.append(c == 0 ? "" : GAP);
      line.append(c == 0 ? row.get(c) + padding : padding + row.get(c));
    }
    return line.toString().stripTrailing();
  }
}

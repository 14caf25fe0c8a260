package dev.tidemark.retention.cli.events;

import java.util.Locale;

/** The shapes a file of events may have. */
public enum FileFormat {
  /** One array of objects, on one line or many. */
  JSON_ARRAY,
  /** One object a line; blank lines are skipped. */
  NDJSON,
  /** RFC 4180 with a header: commas, double quotes, any line end. */
  CSV;

  /**
   * The name decides for {@code .csv}; otherwise the first byte that is not blank does: {@code [}
   * opens an array, <code>{</code> the first object of NDJSON, and anything else a CSV header. A
   * name that promises JSON never falls back to CSV: its rows are then refused as JSON, which says
   * more than a header without the wanted columns would.
   */
  static FileFormat detect(String fileName, int firstByte) {
    String name = fileName.toLowerCase(Locale.ROOT);
    if (name.endsWith(".csv")) {
      return CSV;
    }
    if (firstByte == '[') {
      return JSON_ARRAY;
    }
    boolean json = name.endsWith(".json") || name.endsWith(".jsonl") || name.endsWith(".ndjson");
    return firstByte == '{' || json ? NDJSON : CSV;
  }
}

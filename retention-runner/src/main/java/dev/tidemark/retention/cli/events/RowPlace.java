package dev.tidemark.retention.cli.events;

/**
 * Where a row is in its file.
 *
 * @param line 1-based line on which the row starts
 * @param row 1-based number of the row among all rows of the file, good and bad; 0 is a CSV header
 * @param element whether the row is an element of a JSON array, where the line alone may not find
 *     it
 */
public record RowPlace(long line, long row, boolean element) {

  /** {@code line 5}, or {@code line 1, row 17} for an element of an array. */
  @Override
  public String toString() {
    return element ? "line " + line + ", row " + row : "line " + line;
  }
}

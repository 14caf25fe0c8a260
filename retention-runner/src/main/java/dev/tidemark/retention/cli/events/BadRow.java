package dev.tidemark.retention.cli.events;

/**
 * One row of the file that cannot be imported.
 *
 * @param place where it is in the file
 * @param reason why, in words; one printable line of bounded length whatever the file holds
 */
public record BadRow(RowPlace place, String reason) implements EventRow {

  /** {@code line 5: time field "date" is missing}. */
  @Override
  public String toString() {
    return place + ": " + reason;
  }
}

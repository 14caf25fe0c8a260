package dev.tidemark.retention.cli.events;

/** What became of one row of the file: an event, or a reason why not. */
public sealed interface EventRow permits Event, BadRow {

  /** Where the row is in the file. */
  RowPlace place();
}

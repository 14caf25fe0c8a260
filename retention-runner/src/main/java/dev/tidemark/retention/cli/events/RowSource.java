package dev.tidemark.retention.cli.events;

import java.io.IOException;
import java.util.Optional;

/** The rows of a file of one format, in the file's order. */
interface RowSource {

  /** The next row; empty at the end, and from then on. */
  Optional<EventRow> next() throws IOException;
}

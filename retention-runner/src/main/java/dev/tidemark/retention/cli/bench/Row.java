package dev.tidemark.retention.cli.bench;

import java.sql.SQLException;
import java.util.List;

/** One row of the bench: what is measured against what, and how. */
public interface Row {
  /** As {@code --rows} and the document name it. */
  String name();

  /** Measures it; one result, or one for each case of it. */
  List<RowResult> measure(Bench bench) throws SQLException, InterruptedException;
}

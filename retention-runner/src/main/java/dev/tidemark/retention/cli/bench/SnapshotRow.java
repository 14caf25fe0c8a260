package dev.tidemark.retention.cli.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Many old rows of an event table, deleted while another session holds a snapshot that may see them
 * all, against the same without: no dead row can be given back, and each batch finds those of all
 * the batches before it at the head of the index.
 */
final class SnapshotRow implements Row {
  private static final String HELD = "snapshot held";
  private static final String FREE = "none";

  private final int due;
  private final int kept;

  SnapshotRow(int due, int kept) {
    this.due = due;
    this.kept = kept;
  }

  @Override
  public String name() {
    return "snapshot";
  }

  @Override
  public List<RowResult> measure(Bench bench) throws SQLException, InterruptedException {
    BenchDatabase database = bench.server().database(name());
    EventTable table = new EventTable(database, due, kept);
    Map<String, List<EventTable.Emptied>> emptied =
        bench.alternate(
            name(),
            List.of(
                table.side(HELD, () -> underSnapshot(database, table)),
                table.side(FREE, table::bySteps)));
    bench.server().drop(name());
    Map<String, List<Double>> rates = EventTable.rates(emptied, due);
    return List.of(
        new RowResult(
            name(),
            "rows/s of the steps with a snapshot held open elsewhere to rows/s without",
            Optional.of(Target.atLeast(0.7)),
            Statistics.ratios(Medians.of(rates, HELD), Medians.of(rates, FREE)),
            EventTable.values(emptied, due)));
  }

  private static EventTable.Emptied underSnapshot(BenchDatabase database, EventTable table)
      throws SQLException {
    try (Connection holder = database.dataSource().getConnection()) {
      Soak.hold(holder);
      EventTable.Emptied emptied = table.bySteps();
      holder.rollback();
      return emptied;
    }
  }
}

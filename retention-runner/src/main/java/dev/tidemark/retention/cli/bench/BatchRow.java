package dev.tidemark.retention.cli.bench;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Many old rows of an event table: steps until they are gone, against a loop that somebody could
 * have written instead, a commit a batch in both.
 */
final class BatchRow implements Row {
  private static final String STEPS = "steps";

  /** What of a loop is flush: the same with asynchronous commits. */
  private static final String UNFLUSHED = ", no flush";

  private final String name;
  private final String loop;
  private final String baseline;
  private final double target;
  private final int due;
  private final int kept;

  private BatchRow(String name, String loop, String baseline, double target, int due, int kept) {
    this.name = name;
    this.loop = loop;
    this.baseline = baseline;
    this.target = target;
    this.due = due;
    this.kept = kept;
  }

  /** Against the best that can be written by hand. */
  static BatchRow hand(int due, int kept) {
    return new BatchRow("batch", "hand_loop", "loop by hand", 0.9, due, kept);
  }

  /** Against the form that is recommended most. */
  static BatchRow form(int due, int kept) {
    return new BatchRow("form", "form_loop", "id in (select ..)", 1.8, due, kept);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public List<RowResult> measure(Bench bench) throws SQLException, InterruptedException {
    EventTable table = new EventTable(bench.server().database(name), due, kept);
    Map<String, List<EventTable.Emptied>> emptied =
        bench.alternate(
            name,
            List.of(
                table.side(STEPS, table::bySteps),
                table.side(baseline, () -> table.byLoop(loop, "on")),
                table.side(baseline + UNFLUSHED, () -> table.byLoop(loop, "off"))));
    bench.server().drop(name);
    return List.of(
        result(emptied, baseline, Optional.of(Target.atLeast(target))),
        result(emptied, baseline + UNFLUSHED, Optional.empty()).variant("no flush"));
  }

  private RowResult result(
      Map<String, List<EventTable.Emptied>> emptied, String against, Optional<Target> aim) {
    Map<String, List<Double>> rates = EventTable.rates(emptied, due);
    return new RowResult(
        name,
        "rows/s of the steps to rows/s of " + against,
        aim,
        Statistics.ratios(Medians.of(rates, STEPS), Medians.of(rates, against)),
        EventTable.values(emptied, due));
  }
}

package dev.tidemark.retention.cli.bench;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Many old rows of an event table: steps until they are gone, against a loop that somebody could
 * have written instead, a commit a batch in both.
 */
final class BatchRow implements Row {
  private static final String STEPS = "steps";

  private final String name;
  private final String baseline;
  private final double target;
  private final List<Loop> loops;
  private final int due;
  private final int kept;

  private BatchRow(
      String name, String baseline, double target, List<Loop> loops, int due, int kept) {
    this.name = name;
    this.baseline = baseline;
    this.target = target;
    this.loops = loops;
    this.due = due;
    this.kept = kept;
  }

  /** Against the best that can be written by hand. */
  static BatchRow hand(int due, int kept) {
    return new BatchRow(
        "batch",
        "loop by hand",
        0.9,
        List.of(
            new Loop("", "hand_loop", "on"),
            new Loop("no flush", "hand_loop", "off"),
            new Loop("asked", "hand_loop_asked", "on")),
        due,
        kept);
  }

  /** Against the form that is recommended most. */
  static BatchRow form(int due, int kept) {
    return new BatchRow(
        "form",
        "id in (select ..)",
        1.8,
        List.of(new Loop("", "form_loop", "on"), new Loop("no flush", "form_loop", "off")),
        due,
        kept);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public List<RowResult> measure(Bench bench) throws SQLException, InterruptedException {
    EventTable table = new EventTable(bench.server().database(name), due, kept);
    List<Rounds.Side<EventTable.Emptied>> sides = new ArrayList<>();
    sides.add(table.side(STEPS, table::bySteps));
    for (Loop loop : loops) {
      sides.add(
          table.side(label(loop), () -> table.byLoop(loop.procedure(), loop.synchronousCommit())));
    }
    Map<String, List<EventTable.Emptied>> emptied = bench.alternate(name, sides);
    bench.server().drop(name);
    return loops.stream().map(loop -> result(emptied, loop)).toList();
  }

  private RowResult result(Map<String, List<EventTable.Emptied>> emptied, Loop loop) {
    Map<String, List<Double>> rates = EventTable.rates(emptied, due);
    return new RowResult(
            name,
            "rows/s of the steps to rows/s of " + label(loop),
            loop.variant().isEmpty() ? Optional.of(Target.atLeast(target)) : Optional.empty(),
            Statistics.ratios(Medians.of(rates, STEPS), Medians.of(rates, label(loop))),
            EventTable.values(emptied, due))
        .variant(loop.variant());
  }

  private String label(Loop loop) {
    return loop.variant().isEmpty() ? baseline : baseline + ", " + loop.variant();
  }

  /**
   * A loop that somebody wrote.
   *
   * @param variant what of it is another; empty for the one that has the target
   */
  private record Loop(String variant, String procedure, String synchronousCommit) {}
}

package dev.tidemark.retention.cli.bench;

import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.core.knob.Knobs;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Many partitions with one deletable segment each: a cycle of the runner, its work list included,
 * against one autocommitted call of the step as it first landed for each partition.
 */
final class WideRow implements Row {
  private static final int BATCH = 1000;
  private static final String RUNNER = "runner";

  /** What a second core brings. */
  private static final String TWO = "runner, 2 workers";

  private static final String CALLS = "a call each";

  /** What the flushes cost: the same calls with asynchronous commits. */
  private static final String UNFLUSHED = "a call each, no flush";

  private final LogShape shape;

  WideRow(int partitions, int blobBytes) {
    this.shape = LogShape.due(partitions, 1, blobBytes);
  }

  @Override
  public String name() {
    return "wide";
  }

  @Override
  public List<RowResult> measure(Bench bench) throws SQLException, InterruptedException {
    BenchDatabase database = bench.server().database(name());
    Map<String, List<Double>> visits =
        bench.alternate(
            name(),
            List.of(
                bench.side(RUNNER, database, shape, () -> cycle(database, 1)),
                bench.side(TWO, database, shape, () -> cycle(database, 2)),
                bench.side(CALLS, database, shape, () -> shape.due() / callEach(database, "on")),
                bench.side(
                    UNFLUSHED, database, shape, () -> shape.due() / callEach(database, "off"))));
    bench.server().drop(name());
    return List.of(
        result(visits, RUNNER, CALLS, Optional.of(Target.atLeast(5))),
        result(visits, TWO, CALLS, Optional.empty()).variant("2 workers"),
        result(visits, RUNNER, UNFLUSHED, Optional.empty()).variant("no flush"));
  }

  private RowResult result(
      Map<String, List<Double>> visits, String side, String baseline, Optional<Target> target) {
    return new RowResult(
        name(),
        "visits/s of the " + side + " to visits/s of " + baseline,
        target,
        Statistics.ratios(Medians.of(visits, side), Medians.of(visits, baseline)),
        Map.of("visits/s", Medians.of(visits)));
  }

  private double cycle(BenchDatabase database, int workers) throws SQLException {
    Knobs knobs = Cycles.knobs(shape.due()).with(Knob.PARALLELISM, String.valueOf(workers));
    return Cycles.segmentsPerSecond(database, knobs, shape.deletable());
  }

  static double callEach(BenchDatabase database, String synchronousCommit) throws SQLException {
    List<UUID> due =
        database.column("select bench.due_partitions()").stream().map(UUID::fromString).toList();
    try (Connection connection = database.dataSource().getConnection();
        Statement settings = connection.createStatement();
        PreparedStatement step =
            connection.prepareStatement("select bench.baseline_step(?, ?, null, " + BATCH + ")")) {
      OffsetDateTime cutoff = cutoff(connection);
      settings.execute("set synchronous_commit = " + synchronousCommit);
      long start = System.nanoTime();
      for (UUID partition : due) {
        step.setObject(1, partition);
        step.setObject(2, cutoff);
        try (ResultSet answer = step.executeQuery()) {
          answer.next();
          answer.getString(1);
        }
      }
      double seconds = Cycles.seconds(start);
      settings.execute("reset synchronous_commit");
      return seconds;
    }
  }

  /** What the queues keep is a day. */
  static OffsetDateTime cutoff(Connection connection) throws SQLException {
    try (PreparedStatement query = connection.prepareStatement("select now() - interval '1 day'");
        ResultSet row = query.executeQuery()) {
      row.next();
      return row.getObject(1, OffsetDateTime.class);
    }
  }
}

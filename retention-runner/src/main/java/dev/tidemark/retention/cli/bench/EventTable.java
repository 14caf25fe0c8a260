package dev.tidemark.retention.cli.bench;

import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * An ordinary table with one policy ({@code load_events.sql}), and the ways to rid it of its old
 * rows.
 */
final class EventTable {
  /** As the policy has it, which is the default. */
  static final int BATCH = 10_000;

  private static final int KEEP_SECONDS = 86_400;

  /** As table_retention_run_v1 has it by default. */
  private static final int HOLD_MS = 25;

  private final BenchDatabase database;
  private final int due;
  private final int kept;

  /**
   * @param due rows that can go
   * @param kept rows that stay
   */
  EventTable(BenchDatabase database, int due, int kept) {
    this.database = database;
    this.due = due;
    this.kept = kept;
  }

  /** What emptying it took, and how large the batches were meant to be. */
  record Emptied(double seconds, List<Integer> batches) {}

  /** Rows a second of every side, by round. */
  static Map<String, List<Double>> rates(Map<String, List<Emptied>> emptied, int rows) {
    return each(emptied, e -> rows / e.seconds());
  }

  /** What a row reports of its sides beside the ratio. */
  static Map<String, Map<String, Double>> values(Map<String, List<Emptied>> emptied, int rows) {
    Map<String, Map<String, Double>> values = new LinkedHashMap<>();
    values.put("rows/s", Medians.of(rates(emptied, rows)));
    values.put("rows a batch", batches(emptied));
    return values;
  }

  /** The median batch of every side. */
  private static Map<String, Double> batches(Map<String, List<Emptied>> emptied) {
    return Medians.of(
        each(
            emptied,
            e -> Statistics.median(e.batches().stream().map(Integer::doubleValue).toList())));
  }

  private static Map<String, List<Double>> each(
      Map<String, List<Emptied>> emptied, ToDoubleFunction<Emptied> value) {
    Map<String, List<Double>> values = new LinkedHashMap<>();
    emptied.forEach(
        (side, rounds) ->
            values.put(side, rounds.stream().map(e -> value.applyAsDouble(e)).toList()));
    return values;
  }

  /** A side that measures on the table loaded anew. */
  <T> Rounds.Side<T> side(String name, Rounds.Measurement<T> measurement) {
    return new Rounds.Side<>(
        name,
        () -> {
          load(KEEP_SECONDS);
          T measured = measurement.measure();
          requireEmptied();
          return measured;
        });
  }

  /** Replaces the rows, and leaves them vacuumed, analyzed and written out. */
  void load(int keepSeconds) throws SQLException {
    database.number(
        "select bench.load_events(p_due => ?, p_kept => ?, p_keep_seconds => ?)",
        due,
        kept,
        keepSeconds);
    database.run(
        "vacuum (analyze) bench.events, queen.table_policies, queen.table_positions,"
            + " queen.table_runs, queen.table_history");
    database.checkpoint();
  }

  /**
   * Steps of the policy, each in autocommit, of batches that follow their time as a run's do, and
   * committed as a run does by default.
   */
  Emptied bySteps() throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement settings = connection.createStatement();
        PreparedStatement step =
            connection.prepareStatement(
                "select deleted, done, next from bench.event_step(p_cutoff => ?, p_batch => ?, p_hold_ms => "
                    + HOLD_MS
                    + ")")) {
      step.setObject(1, WideRow.cutoff(connection));
      settings.execute("set synchronous_commit = off");
      List<Integer> batches = new ArrayList<>();
      int batch = BATCH / 10;
      long start = System.nanoTime();
      for (boolean done = false; !done; ) {
        step.setInt(2, batch);
        try (ResultSet answer = step.executeQuery()) {
          answer.next();
          batches.add(batch);
          done = answer.getBoolean("done");
          batch = answer.getInt("next");
        }
      }
      Emptied emptied = new Emptied(Cycles.seconds(start), batches);
      settings.execute("reset synchronous_commit");
      return emptied;
    }
  }

  /**
   * Calls a loop of the bench.
   *
   * @param procedure hand_loop, hand_loop_asked or form_loop
   */
  Emptied byLoop(String procedure, String synchronousCommit) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement settings = connection.createStatement();
        CallableStatement loop = connection.prepareCall("call bench." + procedure + "(?, ?, 0)")) {
      OffsetDateTime before = WideRow.cutoff(connection);
      loop.setObject(1, before);
      loop.setInt(2, BATCH);
      settings.execute("set synchronous_commit = " + synchronousCommit);
      long start = System.nanoTime();
      loop.execute();
      Emptied emptied = new Emptied(Cycles.seconds(start), List.of(BATCH));
      settings.execute("reset synchronous_commit");
      return emptied;
    }
  }

  /** A side that left something, or took too much, measured something else. */
  private void requireEmptied() throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select count(*), count(*) filter (where created_at < now() - interval '1 day') from bench.events")) {
      row.next();
      if (row.getLong(1) != kept || row.getLong(2) != 0) {
        throw new IllegalStateException(
            row.getLong(1)
                + " rows are left, "
                + row.getLong(2)
                + " of them old, where "
                + kept
                + " should be, none of them old");
      }
    }
  }
}

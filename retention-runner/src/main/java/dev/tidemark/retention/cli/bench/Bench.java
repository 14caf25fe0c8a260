package dev.tidemark.retention.cli.bench;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What a row is given to measure with.
 *
 * @param check whether every load is checked against the invariants: small sizes only
 */
public record Bench(BenchServer server, int rounds, Consumer<String> progress, boolean check) {
  <T> Map<String, List<T>> alternate(String row, List<Rounds.Side<T>> sides)
      throws SQLException, InterruptedException {
    return new Rounds(rounds, progress).alternate(row, sides);
  }

  /** A side that measures on its log loaded anew. */
  <T> Rounds.Side<T> side(
      String name, BenchDatabase database, LogShape shape, Rounds.Measurement<T> measurement) {
    return new Rounds.Side<>(
        name,
        () -> {
          load(database, shape);
          return measurement.measure();
        });
  }

  /** Replaces the log of a database, and leaves it vacuumed, analyzed and written out. */
  void load(BenchDatabase database, LogShape shape) throws SQLException {
    database.number(
        "select bench.load_log(p_queues => ?, p_partitions => ?, p_due => ?, p_segments => ?, p_blob_bytes => ?,"
            + " p_sidecar => ?)",
        shape.queues(),
        shape.partitions(),
        shape.due(),
        shape.segments(),
        shape.blobBytes(),
        shape.sidecar());
    settle(database);
    database.checkpoint();
  }

  /** Both sides of a row begin without dead rows, and with fresh statistics. */
  void settle(BenchDatabase database) throws SQLException {
    database.vacuum();
    if (check) {
      database.requireInvariants();
    }
  }
}

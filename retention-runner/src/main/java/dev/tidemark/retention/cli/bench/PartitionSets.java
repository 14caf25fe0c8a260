package dev.tidemark.retention.cli.bench;

import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The large databases that {@code scale} and {@code idle} share, since loading one takes longer
 * than measuring it. Each has the same number of due partitions, evenly spread among the others.
 */
final class PartitionSets {
  static final String MANY = "many";
  static final String FEW = "few";
  static final String MANY_QUEUES = "many_queues";

  private final Map<String, LogShape> shapes = new LinkedHashMap<>();
  private final Map<String, BenchDatabase> loaded = new LinkedHashMap<>();

  PartitionSets(int many, int few, int due, int queues, int manyQueues) {
    shapes.put(MANY, new LogShape(queues, many, due, 1, 200, true));
    shapes.put(FEW, new LogShape(queues, few, due, 1, 200, true));
    shapes.put(MANY_QUEUES, new LogShape(manyQueues, few, due, 1, 200, true));
  }

  LogShape shape(String name) {
    return Objects.requireNonNull(shapes.get(name), name);
  }

  /** Loaded by the first who asks. */
  BenchDatabase database(Bench bench, String name) throws SQLException {
    BenchDatabase known = loaded.get(name);
    if (known != null) {
      return known;
    }
    bench.progress().accept("loading " + shape(name).partitions() + " partitions");
    BenchDatabase database = bench.server().database(name);
    bench.load(database, shape(name));
    loaded.put(name, database);
    return database;
  }

  /**
   * Makes what a cycle emptied due again. The checkpoint comes before: the cycle then finds the
   * pages it changes logged since. After it, each of the scattered rows would cost a page of WAL in
   * the table and in every index, and few partitions share few pages: that is a cost of where rows
   * lie, once a checkpoint, whoever writes them.
   */
  void restore(Bench bench, String name) throws SQLException {
    BenchDatabase database = database(bench, name);
    database.checkpoint();
    database.number("select bench.restore_due()");
    bench.settle(database);
  }
}

package dev.tidemark.retention.cli.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Inserts into the event table at a steady rate, for a phase with runs of its policy or without.
 */
final class SeedTraffic implements AutoCloseable {
  private static final int THREADS = 4;
  private static final int RUNS_A_PHASE = 2;
  private static final int LOOKS_A_RUN = 10;

  private final BenchDatabase database;
  private final Pushers inserts;
  private final Duration every;
  private final List<Double> sizes = new ArrayList<>();

  /**
   * @param rate inserts a second
   * @param every from one run to the next
   */
  SeedTraffic(BenchDatabase database, int rate, Duration every) {
    this.database = database;
    this.every = every;
    this.inserts = new Pushers(THREADS, rate, number -> insert(database, number));
  }

  /**
   * What a phase saw.
   *
   * @param latencies of the inserts, in microseconds
   * @param rate inserts a second that were made: the machine may not hold those that were meant
   * @param heldMillis of each batch, as it wrote down itself
   */
  record Phase(Histogram latencies, double rate, List<Double> heldMillis) {}

  /** One phase; with runs, the first comes at once. */
  Phase phase(boolean runs) throws SQLException, InterruptedException {
    long before = database.number("select coalesce(max(id), 0) from queen.table_history");
    long start = System.nanoTime();
    Histogram latencies = inserts.during(() -> last(runs));
    double seconds = Cycles.seconds(start);
    List<Double> held =
        database
            .column("select held_ms from queen.table_history where id > " + before + " order by id")
            .stream()
            .map(Double::valueOf)
            .toList();
    return new Phase(latencies, latencies.getTotalCount() / seconds, held);
  }

  /** How large the table was at most in each phase, with its indexes, in bytes. */
  List<Double> sizes() {
    return List.copyOf(sizes);
  }

  private void last(boolean runs) throws SQLException, InterruptedException {
    long start = System.nanoTime();
    double largest = 0;
    for (int look = 0; look < RUNS_A_PHASE * LOOKS_A_RUN; look++) {
      if (runs && look % LOOKS_A_RUN == 0) {
        database.run("call bench.run_events()");
      }
      largest = Math.max(largest, database.number("select pg_total_relation_size('bench.events')"));
      long next = start + (look + 1) * every.toNanos() / LOOKS_A_RUN;
      TimeUnit.NANOSECONDS.sleep(next - System.nanoTime());
    }
    sizes.add(largest);
  }

  private static void insert(BenchDatabase database, long number) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        PreparedStatement insert =
            connection.prepareStatement("insert into bench.events (kind, payload) values (?, ?)")) {
      insert.setString(1, "order.changed");
      insert.setString(2, String.format("%0160d", number));
      insert.executeUpdate();
    }
  }

  @Override
  public void close() {
    inserts.close();
  }
}

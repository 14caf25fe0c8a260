package dev.tidemark.retention.cli.bench;

import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.runner.RetentionService;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The soak as it runs: the runner on its schedule, a snapshot held in the middle, a look now and
 * then.
 */
final class Soak {
  private static final Knobs EVERY_SECOND = Knobs.defaults().with(Knob.INTERVAL, "1000");
  private static final int LOOKS = 150;
  private static final double NANOS = 1e9;

  private final BenchDatabase database;
  private final long length;
  private final SoakSeries series;
  private final Consumer<String> progress;
  private final long start = System.nanoTime();

  Soak(BenchDatabase database, Duration length, SoakSeries series, Consumer<String> progress) {
    this.database = database;
    this.length = length.toNanos();
    this.series = series;
    this.progress = progress;
  }

  void run() throws SQLException, InterruptedException {
    RetentionService service =
        RetentionService.on(database.dataSource())
            .knobs(EVERY_SECOND)
            .listener(this::cycle)
            .build();
    try (service) {
      service.start();
      look(SoakSeries.BEFORE, 0.25);
      try (Connection holder = database.dataSource().getConnection()) {
        hold(holder);
        look(SoakSeries.HELD, 0.75);
        holder.rollback();
      }
      look(SoakSeries.AFTER, 1);
    }
  }

  /** A snapshot exists from the first query on. */
  static void hold(Connection holder) throws SQLException {
    holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    holder.setAutoCommit(false);
    try (Statement query = holder.createStatement();
        ResultSet row = query.executeQuery("select count(*) from queen.queues")) {
      row.next();
    }
  }

  private void cycle(CycleOutcome outcome) {
    if (outcome instanceof CycleOutcome.Swept swept) {
      series.cycle(swept.report().elapsed().toNanos() / 1e6);
    }
  }

  /** Looks at equal distances until this share of the whole is over, and enough was seen. */
  private void look(String phase, double until) throws SQLException, InterruptedException {
    progress.accept("soak: " + phase);
    series.phase(phase);
    long step = length / LOOKS;
    long next = System.nanoTime();
    while (next - start <= length * until || !series.enough()) {
      next = Math.max(next + step, System.nanoTime());
      TimeUnit.NANOSECONDS.sleep(next - System.nanoTime());
      series.look((System.nanoTime() - start) / NANOS, sizes());
    }
  }

  private SoakSeries.Sizes sizes() throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select coalesce(sum(bytes) filter (where name <> 'retention_history'), 0),"
                    + " coalesce(sum(bytes) filter (where name = 'retention_history'), 0)"
                    + " from bench.table_sizes()")) {
      row.next();
      return new SoakSeries.Sizes(row.getLong(1), row.getLong(2));
    }
  }
}

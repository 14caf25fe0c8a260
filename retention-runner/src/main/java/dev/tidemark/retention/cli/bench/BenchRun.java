package dev.tidemark.retention.cli.bench;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** Measures the chosen rows on a server of its own, one after the other. */
public final class BenchRun {
  private final int rounds;
  private final boolean check;
  private final Consumer<String> progress;
  private final Runnable atSignal;

  /**
   * @param check whether every load is checked against the invariants
   * @param atSignal runs when a signal ends the JVM meanwhile, before the server is stopped
   */
  public BenchRun(int rounds, boolean check, Consumer<String> progress, Runnable atSignal) {
    this.rounds = rounds;
    this.check = check;
    this.progress = progress;
    this.atSignal = atSignal;
  }

  /**
   * Starts a server, measures, stops it.
   *
   * @param migrate deploys the schema
   * @param each told of every result as it is there
   */
  public BenchReport measure(List<Row> rows, Consumer<DataSource> migrate, Consumer<RowResult> each)
      throws SQLException, InterruptedException {
    long start = System.nanoTime();
    try (BenchServer server = BenchServer.start(migrate, atSignal)) {
      Bench bench =
          new Bench(
              server,
              rounds,
              text -> progress.accept(Math.round(Cycles.seconds(start)) + " s " + text),
              check);
      List<RowResult> results = new ArrayList<>();
      for (Row row : rows) {
        List<RowResult> measured = row.measure(bench);
        measured.forEach(each);
        results.addAll(measured);
      }
      return new BenchReport(
          List.copyOf(results),
          new BenchReport.Environment(
              Machine.description(),
              "Java " + Runtime.version().feature(),
              server.version(),
              server.settings()),
          server.date(),
          rounds,
          Cycles.seconds(start));
    }
  }
}

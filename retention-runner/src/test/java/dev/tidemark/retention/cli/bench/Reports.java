package dev.tidemark.retention.cli.bench;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs that never were. */
public final class Reports {
  private Reports() {}

  public static BenchReport of(RowResult... rows) {
    return new BenchReport(
        List.of(rows),
        new BenchReport.Environment(
            "2 cores, 25 GB, Linux amd64", "Java 17", "PostgreSQL 17.1", List.of("fsync=on")),
        "2026-01-02T03:04:05Z",
        5,
        432.1);
  }

  /** Every kind of row. */
  public static BenchReport full() {
    return of(
        new RowResult(
            "wide",
            "visits to visits",
            Optional.of(Target.atLeast(5)),
            List.of(5.5, 6.5, 6.0),
            Map.of("visits/s", Map.of("runner", 4200.0))),
        new RowResult(
            "push",
            "p99 to p99",
            Optional.of(Target.atMost(2)),
            List.of(2.5),
            Map.of(
                "p50 ms", Map.of("nothing", 1.0, "retention", 1.2, "one-transaction sweep", 1.5),
                "p99 ms", Map.of("nothing", 4.0, "retention", 7.0, "one-transaction sweep", 2400.0),
                "pushes a round", Map.of("nothing", 800.0))),
        new RowResult(
            "walwide",
            "200 B",
            "bytes to bytes",
            Optional.empty(),
            List.of(3.0),
            Map.of("WAL bytes a row", Map.of("runner", 300.0, "bare DELETE", 100.0)),
            Map.of()),
        new RowResult(
            "fanout",
            "2",
            "rows/s",
            Optional.empty(),
            List.of(1.6),
            Map.of("rows/s", Map.of("parallelism 1", 100.0, "parallelism 2", 160.0)),
            Map.of()),
        new RowResult(
            "soak",
            "tables",
            "sizes",
            Optional.of(Target.atMost(1.1)),
            List.of(1.0),
            Map.of(),
            Map.of(
                "second", List.of(1.0, 2.0, 3.0),
                "log MB", List.of(10.0, 11.0, 11.0),
                "history MB", List.of(0.1, 0.2, 0.3),
                "cycle ms", List.of(11.0, 12.0, 13.0),
                "snapshot", List.of(0.0, 1.0, 0.0))));
  }
}

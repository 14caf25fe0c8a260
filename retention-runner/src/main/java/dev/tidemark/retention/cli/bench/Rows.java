package dev.tidemark.retention.cli.bench;

import java.time.Duration;
import java.util.List;

/** Every row of the bench with its size, in the order they run. */
public final class Rows {
  private static final List<Integer> BLOBS = List.of(200, 1000, 8000);

  private Rows() {}

  /** As the targets mean it. */
  public static List<Row> full(Duration soak) {
    PartitionSets sets = new PartitionSets(1_000_000, 10_000, 2500, 10, 10_000);
    return List.of(
        new WideRow(5000, 1000),
        new DeepRow(1_000_000, 200),
        new PushRow(2, 250_000, 200, Duration.ofSeconds(4)),
        WalRow.wide(1000, BLOBS),
        WalRow.deep(5000, BLOBS),
        new FanoutRow(32, 5000),
        new ScaleRow(sets),
        new IdleRow(sets, 20),
        BatchRow.hand(300_000, 30_000),
        BatchRow.form(300_000, 30_000),
        new SnapshotRow(300_000, 30_000),
        new SeedRow(1000, 4, Duration.ofSeconds(2)),
        new SoakRow(soak, 200, 5));
  }

  /** The same code in seconds, for tests: the numbers say nothing. */
  public static List<Row> tiny(Duration soak) {
    PartitionSets sets = new PartitionSets(200, 40, 20, 2, 20);
    return List.of(
        new WideRow(20, 100),
        new DeepRow(300, 200),
        new PushRow(2, 2000, 100, Duration.ofMillis(200)),
        WalRow.wide(10, BLOBS),
        WalRow.deep(20, BLOBS),
        new FanoutRow(4, 10),
        new ScaleRow(sets),
        new IdleRow(sets, 1),
        BatchRow.hand(300, 30),
        BatchRow.form(300, 30),
        new SnapshotRow(300, 30),
        new SeedRow(50, 1, Duration.ofMillis(200)),
        new SoakRow(soak, 20, 1));
  }
}

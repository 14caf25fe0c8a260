package dev.tidemark.retention.cli.demo;

import dev.tidemark.retention.cli.demo.InvariantCheck.Verdict;
import dev.tidemark.retention.cli.demo.Latencies.Quantiles;
import dev.tidemark.retention.cli.demo.Ledger.Duplicates;
import dev.tidemark.retention.sql.StatusGateway.Windows;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a demo went, as {@code --json} prints it.
 *
 * @param seconds of traffic
 * @param replay {@code null} without a file
 * @param acksRefused batches whose ack was not taken, because the lease was over
 */
public record Summary(
    double seconds,
    List<Queue> queues,
    Totals totals,
    Pushes pushes,
    Duplicates duplicates,
    long acksRefused,
    Retention retention,
    @Nullable Replay replay,
    List<Verdict> invariants) {

  /** Whether all is as it has to be. */
  public boolean holds() {
    return invariants.stream().allMatch(Verdict::holds) && duplicates.sound();
  }

  /**
   * What became of a queue.
   *
   * @param acked messages by group
   * @param deleted by rule, as the history counts
   */
  public record Queue(
      String queue,
      Windows windows,
      int partitions,
      long pushedSegments,
      long pushedMessages,
      Map<String, Long> acked,
      Map<String, Went> deleted,
      long liveSegments,
      long liveMessages) {}

  public record Went(long segments, long messages) {}

  /** Over all queues. */
  public record Totals(
      long pushedMessages,
      double pushedPerSecond,
      Map<String, Long> acked,
      Map<String, Went> deleted,
      long liveMessages) {}

  /** Times from call to answer, while cycles ran. */
  public record Pushes(Quantiles single, Quantiles multi) {}

  public record Retention(long cycles, long failedSteps) {}

  /** How much of the file was due and pushed within the time. */
  public record Replay(long fileMessages, long pushedMessages) {}
}

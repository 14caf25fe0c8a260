package dev.tidemark.retention.cli.demo;

import dev.tidemark.retention.cli.demo.Latencies.Quantiles;
import dev.tidemark.retention.cli.demo.Ledger.Duplicates;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** One picture of a running demo. */
public record Frame(
    Duration elapsed, Duration length, long cycles, Duplicates duplicates, List<QueueLine> queues) {

  /**
   * A queue in it.
   *
   * @param pushed messages a second, lately; so are the rates of the groups
   * @param pushTimes since the beginning
   * @param segments live ones, by what was pushed and what the history says is gone
   * @param oldest age of the oldest live segment
   * @param deleted segments since the beginning, in the order of the rules' numbers
   * @param pin the group that holds the most back; empty when all are through, or nothing waits for
   *     one
   */
  record QueueLine(
      String queue,
      double pushed,
      List<GroupRates> groups,
      Quantiles pushTimes,
      long segments,
      long messages,
      Optional<Duration> oldest,
      List<Long> deleted,
      Optional<Pin> pin) {}

  record GroupRates(String group, double popped, double acked) {}

  /** Messages that live only because this group has not acked them: all others have. */
  record Pin(String group, long messages) {}
}

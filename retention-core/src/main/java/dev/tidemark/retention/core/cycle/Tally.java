package dev.tidemark.retention.core.cycle;

import dev.tidemark.retention.core.database.StepFailedException;
import dev.tidemark.retention.core.database.StepResult;
import dev.tidemark.retention.core.plan.Phase;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts what a cycle does. Workers write to it at once: every method is synchronized. */
final class Tally {
  private static final Logger LOG = LoggerFactory.getLogger("retention");

  /** Failing partitions named in the log a cycle; the report counts all of them. */
  private static final int NAMED_FAILURES = 10;

  private final Map<String, Map<String, Deleted>> byQueue = new TreeMap<>();
  private final Progress progress;
  private long segments;
  private long historyRows;
  private long due;
  private long backedOff;
  private long left;
  private long txnsPurged;
  private long failed;

  Tally(Progress progress) {
    this.progress = progress;
  }

  synchronized void due() {
    due++;
  }

  synchronized void backedOff() {
    backedOff++;
  }

  /** Partitions that were not finished and are left for the next cycle. */
  synchronized void left(int partitions) {
    left += partitions;
  }

  synchronized void step(Phase phase, String queue, StepResult result) {
    if (phase == Phase.TXNS_PURGE) {
      txnsPurged += result.deleted();
    } else if (result.deleted() > 0) {
      segments += result.deleted();
      historyRows++;
      byQueue
          .computeIfAbsent(queue, q -> new TreeMap<>())
          .merge(
              result
                  .rule()
                  .orElseThrow(
                      () -> new IllegalStateException("a step deleted without naming its rule")),
              new Deleted(result.deleted(), result.messages()),
              Deleted::plus);
    }
    progress.stepped(segments, txnsPurged);
  }

  /** Counts a failed step; {@code where} names it in the log. */
  synchronized void failed(String where, StepFailedException e) {
    failed++;
    if (failed <= NAMED_FAILURES) {
      LOG.warn(
          "step failed at=\"{}\" sqlstate={} error=\"{}\"", where, e.sqlState(), e.getMessage());
    }
  }

  synchronized CycleReport.Visits visits() {
    return new CycleReport.Visits(due, backedOff, left, failed);
  }

  synchronized Map<String, Map<String, Deleted>> byQueue() {
    Map<String, Map<String, Deleted>> copy = new TreeMap<>();
    byQueue.forEach((queue, rules) -> copy.put(queue, new TreeMap<>(rules)));
    return copy;
  }

  /** Rows that the steps added to the history: one each that deleted. */
  synchronized long historyRows() {
    return historyRows;
  }

  synchronized long txnsPurged() {
    return txnsPurged;
  }
}

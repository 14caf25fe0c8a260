package dev.tidemark.retention.core.table;

import dev.tidemark.retention.core.cycle.StopSignal;
import dev.tidemark.retention.core.database.StepFailedException;
import dev.tidemark.retention.core.database.TableRun;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What one pass over the event tables did.
 *
 * @param policies by name, in the order they were first run; one that got no turn is missing
 * @param waiting policies that have more to do, or got no turn
 * @param stopped why the pass ended before its time
 */
public record TableReport(
    Map<String, Totals> policies,
    int waiting,
    Optional<StopSignal.Reason> stopped,
    Duration elapsed) {
  public TableReport {
    policies = Collections.unmodifiableMap(new LinkedHashMap<>(policies));
  }

  /** This pass and the one after it together. */
  public TableReport then(TableReport next) {
    Map<String, Totals> both = new LinkedHashMap<>(policies);
    next.policies.forEach((policy, totals) -> both.merge(policy, totals, Totals::then));
    return new TableReport(both, next.waiting, next.stopped, elapsed.plus(next.elapsed));
  }

  public long deleted() {
    return policies.values().stream().mapToLong(Totals::deleted).sum();
  }

  public long archived() {
    return policies.values().stream().mapToLong(Totals::archived).sum();
  }

  /** Policies whose last run failed. */
  public long failed() {
    return policies.values().stream().filter(p -> p.failure().isPresent()).count();
  }

  /**
   * The runs of one policy in a pass together.
   *
   * @param skipped rows that somebody held, at the end of the last run
   * @param end of the last run
   * @param failure of the last run
   */
  public record Totals(
      long deleted,
      long archived,
      long skipped,
      TableRun.End end,
      Optional<StepFailedException> failure) {
    static Totals of(TableRun run) {
      return new Totals(run.deleted(), run.archived(), run.skipped(), run.end(), run.failure());
    }

    Totals then(Totals next) {
      return new Totals(
          deleted + next.deleted, archived + next.archived, next.skipped, next.end, next.failure);
    }
  }
}

package dev.tidemark.retention.core.table;

import dev.tidemark.retention.core.cycle.Deadline;
import dev.tidemark.retention.core.cycle.Permission;
import dev.tidemark.retention.core.database.Standing;
import dev.tidemark.retention.core.database.StepFailedException;
import dev.tidemark.retention.core.database.TableDatabase;
import dev.tidemark.retention.core.database.TableRun;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Works at all event tables in turns: a policy runs for a slice of time, and comes again after the
 * others if it has more to do. So a table with a large backlog keeps no other from its window, and
 * one that fails stops none. Each slice borrows a connection, so that a long pass keeps none from
 * others. Knows no schedule.
 */
public final class TablePass {
  static final Duration SLICE = Duration.ofSeconds(1);

  private static final Logger LOG = LoggerFactory.getLogger("retention");

  private final TableDatabase database;
  private final Duration budget;
  private final Clock clock;

  /**
   * @param budget when no further slice begins
   */
  public TablePass(TableDatabase database, Duration budget, Clock clock) {
    this.database = database;
    this.budget = budget;
    this.clock = clock;
  }

  /**
   * Works until no policy has anything left, or the budget is spent.
   *
   * @throws dev.tidemark.retention.core.database.DatabaseException when the database failed, and
   *     not a table; what was deleted stays deleted
   */
  public TableReport run(Permission permission) {
    return run(permission, database.enabledPolicies());
  }

  /** {@link #run(Permission)}, with these policies alone. */
  public TableReport run(Permission permission, Collection<String> policies) {
    Instant begin = clock.instant();
    Deadline deadline = Deadline.in(clock, budget);
    Map<String, TableReport.Totals> totals = new LinkedHashMap<>();
    Deque<String> waiting = new ArrayDeque<>(policies);
    while (!waiting.isEmpty() && !permission.withdrawn() && !deadline.passed()) {
      String policy = waiting.remove();
      TableRun run = slice(policy, deadline.earlier(SLICE).left(), permission);
      totals.merge(policy, TableReport.Totals.of(run), TableReport.Totals::then);
      if (run.end() == TableRun.End.TIME) {
        waiting.add(policy);
      }
    }
    return new TableReport(
        totals,
        waiting.size(),
        permission.signal().reason(),
        Duration.between(begin, clock.instant()));
  }

  private TableRun slice(String policy, Duration time, Permission permission) {
    TableRun run = call(policy, time, permission);
    switch (run.end()) {
      case PAUSED -> permission.heed(Standing.Lease.PAUSED);
      case LOST -> permission.heed(Standing.Lease.LOST);
      default -> {}
    }
    run.failure()
        .ifPresent(
            e ->
                LOG.warn(
                    "table failed policy=\"{}\" sqlstate={} error=\"{}\"",
                    policy,
                    e.sqlState(),
                    e.getMessage()));
    return run;
  }

  /** A call that failed as a whole, by a timeout or a right that is missing, is its table's too. */
  private TableRun call(String policy, Duration time, Permission permission) {
    Instant started = clock.instant();
    try {
      return database.run(policy, time, permission.claim());
    } catch (StepFailedException e) {
      note(policy, started, e);
      return new TableRun(0, 0, 0, TableRun.End.FAILED, Optional.of(e));
    }
  }

  private void note(String policy, Instant started, StepFailedException failure) {
    try {
      database.noteFailure(policy, started, failure);
    } catch (StepFailedException e) {
      LOG.warn(
          "table failure not noted policy=\"{}\" sqlstate={} error=\"{}\"",
          policy,
          e.sqlState(),
          e.getMessage());
    }
  }
}

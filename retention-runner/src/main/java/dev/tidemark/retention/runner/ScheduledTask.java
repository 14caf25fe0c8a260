package dev.tidemark.retention.runner;

import dev.tidemark.retention.core.cycle.Permission;

/** What a replica does when it has claimed a task of the schedule. */
interface ScheduledTask {
  /** The row in queen.maintenance_leases. */
  String name();

  /** Whether the task is to be claimed at all; once false, never asked again. */
  boolean wanted();

  /**
   * Does the work of one period.
   *
   * @return whether the period counts as served; otherwise the task stays due
   * @throws dev.tidemark.retention.core.database.DatabaseException the task stays due
   */
  boolean run(Permission permission);
}

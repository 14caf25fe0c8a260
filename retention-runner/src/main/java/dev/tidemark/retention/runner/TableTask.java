package dev.tidemark.retention.runner;

import dev.tidemark.retention.core.cycle.Permission;
import dev.tidemark.retention.core.table.TableReport;
import java.util.function.Function;

/** The task {@value RetentionService#TABLE_TASK}: a pass over the event tables a period. */
final class TableTask implements ScheduledTask {
  private final Function<Permission, TableReport> pass;

  TableTask(Function<Permission, TableReport> pass) {
    this.pass = pass;
  }

  @Override
  public String name() {
    return RetentionService.TABLE_TASK;
  }

  @Override
  public boolean wanted() {
    return true;
  }

  /** A table that fails is no reason to come again before the next period. */
  @Override
  public boolean run(Permission permission) {
    return pass.apply(permission).stopped().isEmpty();
  }
}

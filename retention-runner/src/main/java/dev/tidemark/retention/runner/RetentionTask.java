package dev.tidemark.retention.runner;

import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.cycle.Permission;
import java.util.function.Function;

/** The task {@value RetentionService#TASK}: a cycle a period. */
final class RetentionTask implements ScheduledTask {
  private final Function<Permission, CycleOutcome> cycle;

  RetentionTask(Function<Permission, CycleOutcome> cycle) {
    this.cycle = cycle;
  }

  @Override
  public String name() {
    return RetentionService.TASK;
  }

  @Override
  public boolean wanted() {
    return true;
  }

  /** A busy lock counts as served: whoever holds it is sweeping. */
  @Override
  public boolean run(Permission permission) {
    return !(cycle.apply(permission) instanceof CycleOutcome.Stopped);
  }
}

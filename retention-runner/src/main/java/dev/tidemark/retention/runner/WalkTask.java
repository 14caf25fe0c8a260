package dev.tidemark.retention.runner;

import dev.tidemark.retention.core.cycle.Permission;
import dev.tidemark.retention.core.cycle.WalkReport;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.sql.StatusGateway;
import java.time.Duration;
import java.util.function.Function;

/**
 * The task {@value RetentionService#WALK_TASK}: a walk a period; with the period's knob at 0 only
 * until the first has been served. A walk that met locked rows is not served, and comes again after
 * a poll.
 */
final class WalkTask implements ScheduledTask {
  /** What the row says where nobody wants a second walk. */
  private static final Duration NEVER_AGAIN = Duration.ofDays(366);

  private final Duration knob;
  private final StatusGateway status;
  private final Function<Permission, WalkReport> walk;

  WalkTask(Knobs knobs, StatusGateway status, Function<Permission, WalkReport> walk) {
    this.knob = knobs.safetyWalk();
    this.status = status;
    this.walk = walk;
  }

  Duration period() {
    return knob.isZero() ? NEVER_AGAIN : knob;
  }

  @Override
  public String name() {
    return RetentionService.WALK_TASK;
  }

  @Override
  public boolean wanted() {
    return !knob.isZero()
        || status.tasks().stream().noneMatch(t -> t.task().equals(name()) && t.runs() > 0);
  }

  @Override
  public boolean run(Permission permission) {
    return walk.apply(permission).complete();
  }
}

package dev.tidemark.retention.cli;

import dev.tidemark.retention.runner.RetentionService;
import dev.tidemark.retention.sql.LeaseGateway;
import dev.tidemark.retention.sql.StatusGateway;
import dev.tidemark.retention.sql.StatusGateway.Schedule;
import dev.tidemark.retention.sql.StatusGateway.TaskStatus;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Parameters;

/** Turns a task of the schedule on or off, on every replica at once. */
abstract class TaskSwitch extends DatabaseCommand {
  private static final List<String> TASKS =
      List.of(RetentionService.TASK, RetentionService.WALK_TASK, RetentionService.TABLE_TASK);

  private final boolean enabled;

  @Parameters(
      index = "0",
      paramLabel = "TASK",
      arity = "0..1",
      defaultValue = RetentionService.TASK,
      description = "retention, retention_watermark or table_retention; default retention.")
  private String task = RetentionService.TASK;

  TaskSwitch(boolean enabled) {
    this.enabled = enabled;
  }

  /** What there is to say about the task as it is now. */
  abstract void print(Output output, boolean changed, TaskStatus status, Instant now);

  @Override
  final int run(Database database, Output output) {
    if (!TASKS.contains(task)) {
      throw new UsageException(
          "TASK: must be one of " + String.join(", ", TASKS) + ", not '" + task + "'");
    }
    boolean changed = new LeaseGateway(database.dataSource()).enable(task, enabled);
    Schedule schedule = new StatusGateway(database.dataSource()).schedule();
    TaskStatus status =
        schedule.tasks().stream()
            .filter(t -> t.task().equals(task))
            .findFirst()
            .orElseThrow(() -> new CommandFailedException("task " + task + " is gone"));
    if (output.isJson()) {
      output.document(
          new Document(
              task,
              enabled,
              changed,
              status.holder(),
              status.leaseUntil(),
              status.nextDueAt(),
              schedule.lookedAt()));
    } else {
      print(output, changed, status, schedule.lookedAt());
    }
    return ExitCode.DONE;
  }

  /** {@code changed}: it was the other way before. */
  record Document(
      String task,
      boolean enabled,
      boolean changed,
      @Nullable String holder,
      @Nullable Instant leaseUntil,
      Instant nextDueAt,
      Instant lookedAt) {}
}

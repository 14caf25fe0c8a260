package dev.tidemark.retention.cli;

import dev.tidemark.retention.sql.StatusGateway.TaskStatus;
import java.time.Instant;
import picocli.CommandLine.Command;

@Command(name = "resume", description = "Let a paused task of the schedule run again.")
final class ResumeCommand extends TaskSwitch {
  ResumeCommand() {
    super(true);
  }

  @Override
  void print(Output output, boolean changed, TaskStatus status, Instant now) {
    output.line(
        changed ? "resumed task " + status.task() : "task " + status.task() + " was not paused");
    output.line(
        status.nextDueAt().isAfter(now)
            ? "it is due at " + status.nextDueAt()
            : "it is due now, since " + status.nextDueAt());
  }
}

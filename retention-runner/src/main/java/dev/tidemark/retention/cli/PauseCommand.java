package dev.tidemark.retention.cli;

import dev.tidemark.retention.sql.StatusGateway.TaskStatus;
import java.time.Instant;
import picocli.CommandLine.Command;

@Command(
    name = "pause",
    description = {
      "Pause a task of the schedule on every replica, until it is resumed.",
      "A cycle that is running stops before its next chunk; what it deleted stays deleted. once does not ask the schedule."
    })
final class PauseCommand extends TaskSwitch {
  PauseCommand() {
    super(false);
  }

  @Override
  void print(Output output, boolean changed, TaskStatus status, Instant now) {
    output.line(
        changed ? "paused task " + status.task() : "task " + status.task() + " was already paused");
    output.line(
        new TaskState(status, now)
            .leased()
            .map(
                lease ->
                    lease.live()
                        ? lease.holder()
                            + " holds it until "
                            + lease.until()
                            + ": a cycle that is running stops before its next chunk"
                        : lease.holder() + " held it; the lease ran out at " + lease.until())
            .orElse("nobody holds it"));
  }
}

package dev.tidemark.retention.cli;

import dev.tidemark.retention.runner.RetentionService;
import dev.tidemark.retention.sql.StatusGateway;
import dev.tidemark.retention.sql.StatusGateway.QueueStatus;
import dev.tidemark.retention.sql.StatusGateway.TaskStatus;
import dev.tidemark.retention.sql.StatusGateway.Windows;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;

@Command(
    name = "status",
    description = {
      "What each queue holds and for how long, what is due now, and the last cycle.",
      "Messages are exact; segments and sidecar rows are an estimate where segments are packed unevenly."
    })
final class StatusCommand extends DatabaseCommand {
  @Override
  int run(Database database, Output output) {
    StatusGateway gateway = new StatusGateway(database.dataSource());
    List<QueueStatus> queues = gateway.queues();
    List<TaskStatus> tasks = gateway.tasks();
    List<Warning> warnings = queues.stream().flatMap(q -> warnings(q).stream()).toList();
    if (output.isJson()) {
      output.document(new Document(queues, warnings, tasks));
    } else {
      print(output, queues, warnings, tasks);
    }
    return ExitCode.DONE;
  }

  record Document(List<QueueStatus> queues, List<Warning> warnings, List<TaskStatus> tasks) {}

  /** Something about a queue that surprises people later. */
  record Warning(String queue, String warning) {}

  static List<Warning> warnings(QueueStatus q) {
    List<Warning> warnings = new ArrayList<>();
    Windows w = q.windows();
    boolean byAge = w.retentionEnabled() && w.retention() > 0;
    boolean consumed = w.retentionEnabled() && w.completedRetention() > 0;
    if (!byAge && !consumed && w.maxWait() == 0) {
      boolean windowSet = w.retention() > 0 || w.completedRetention() > 0;
      warnings.add(
          new Warning(
              q.queue(),
              windowSet
                  ? "keeps data for ever: its windows do nothing while retentionEnabled is false"
                  : "keeps data for ever: no window is set"));
    }
    if (consumed && !byAge && w.maxWait() == 0 && q.held().unreadPartitions() > 0) {
      warnings.add(
          new Warning(
              q.queue(),
              "keeps "
                  + q.held().unreadPartitions()
                  + " partitions for ever: completedRetentionSeconds deletes only what a group"
                  + " consumed, and no group reads them"));
    }
    return warnings;
  }

  private static void print(
      Output output, List<QueueStatus> queues, List<Warning> warnings, List<TaskStatus> tasks) {
    if (queues.isEmpty()) {
      output.line("no queues");
    } else {
      List<List<String>> rows = new ArrayList<>();
      rows.add(
          List.of(
              "queue",
              "keeps",
              "consumed",
              "max wait",
              "partitions",
              "segments",
              "messages",
              "oldest live",
              "sidecar",
              "due 1/2/3"));
      queues.forEach(q -> rows.add(row(q)));
      output.table(rows);
    }
    warnings.forEach(w -> output.line("WARNING queue " + w.queue() + " " + w.warning()));
    Optional<TaskStatus> last =
        tasks.stream()
            .filter(t -> t.task().equals(RetentionService.TASK) && t.lastEndAt() != null)
            .findFirst();
    output.line(
        last.map(t -> "last cycle ended " + t.lastEndAt() + ", took " + t.lastDurationMs() + " ms")
            .orElse("no cycle has run yet"));
  }

  private static List<String> row(QueueStatus q) {
    Windows w = q.windows();
    return List.of(
        q.queue(),
        w.retentionEnabled() ? seconds(w.retention()) : "off",
        w.retentionEnabled() ? seconds(w.completedRetention()) : "off",
        seconds(w.maxWait()),
        q.held().livePartitions() + " of " + q.held().partitions(),
        String.valueOf(q.held().liveSegments()),
        String.valueOf(q.held().liveMessages()),
        q.held().oldestLiveAt() == null ? "-" : String.valueOf(q.held().oldestLiveAt()),
        String.valueOf(q.held().sidecarRows()),
        q.due().retention() + "/" + q.due().txns() + "/" + q.due().maxWait());
  }

  private static String seconds(int window) {
    return window == 0 ? "off" : window + " s";
  }
}

package dev.tidemark.retention.cli;

import dev.tidemark.retention.runner.RetentionService;
import dev.tidemark.retention.sql.StatusGateway;
import dev.tidemark.retention.sql.StatusGateway.Pin;
import dev.tidemark.retention.sql.StatusGateway.QueueStatus;
import dev.tidemark.retention.sql.StatusGateway.Schedule;
import dev.tidemark.retention.sql.StatusGateway.TaskStatus;
import dev.tidemark.retention.sql.StatusGateway.Windows;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "status",
    description = {
      "What each queue holds and for how long, what is due now, which group holds it back, and the schedule.",
      "Messages are exact; segments and sidecar rows are an estimate where segments are packed unevenly."
    })
final class StatusCommand extends DatabaseCommand {
  /**
   * Enough to name the group that pins most; the two probes a partition stay well below a second.
   */
  private static final int PARTITIONS_LOOKED_AT = 10_000;

  private static final List<String> PIN_HEADING =
      List.of("queue", "held back by", "partitions", "by it alone", "messages behind", "oldest");

  private static final List<String> TASK_HEADING =
      List.of("task", "state", "held by", "next due", "period", "last end", "took", "runs");

  @Option(
      names = "--pins",
      description =
          "List every group that holds back what completedRetentionSeconds would delete. Without it, the worst one of each queue,"
              + " by its 10000 oldest partitions.")
  private boolean pins;

  @Override
  int run(Database database, Output output) {
    StatusGateway gateway = new StatusGateway(database.dataSource());
    List<QueueStatus> queues = gateway.queues();
    List<Pin> held = gateway.pins(null, pins ? Integer.MAX_VALUE : PARTITIONS_LOOKED_AT);
    Schedule schedule = gateway.schedule();
    List<TaskState> tasks =
        schedule.tasks().stream().map(t -> new TaskState(t, schedule.lookedAt())).toList();
    List<Warning> warnings = new ArrayList<>();
    queues.forEach(q -> warnings.addAll(warnings(q)));
    warnings.addAll(pinned(held));
    tasks.forEach(t -> t.warnings().forEach(w -> warnings.add(Warning.task(t.task().task(), w))));
    if (output.isJson()) {
      output.document(new Document(queues, warnings, held, schedule.lookedAt(), schedule.tasks()));
    } else {
      print(output, queues, warnings, tasks, pins ? held : List.of());
    }
    return ExitCode.DONE;
  }

  record Document(
      List<QueueStatus> queues,
      List<Warning> warnings,
      List<Pin> pins,
      Instant lookedAt,
      List<TaskStatus> tasks) {}

  /** Something about a queue or a task that surprises people later. */
  record Warning(@Nullable String queue, @Nullable String task, String warning) {
    static Warning queue(String name, String warning) {
      return new Warning(name, null, warning);
    }

    static Warning task(String name, String warning) {
      return new Warning(null, name, warning);
    }

    String line() {
      return "WARNING " + (queue == null ? "task " + task : "queue " + queue) + " " + warning;
    }
  }

  static List<Warning> warnings(QueueStatus q) {
    List<Warning> warnings = new ArrayList<>();
    Windows w = q.windows();
    boolean byAge = w.retentionEnabled() && w.retention() > 0;
    boolean consumed = w.retentionEnabled() && w.completedRetention() > 0;
    if (!byAge && !consumed && w.maxWait() == 0) {
      boolean windowSet = w.retention() > 0 || w.completedRetention() > 0;
      warnings.add(
          Warning.queue(
              q.queue(),
              windowSet
                  ? "keeps data for ever: its windows do nothing while retentionEnabled is false"
                  : "keeps data for ever: no window is set"));
    }
    if (consumed && !byAge && w.maxWait() == 0 && q.held().unreadPartitions() > 0) {
      warnings.add(
          Warning.queue(
              q.queue(),
              "keeps "
                  + q.held().unreadPartitions()
                  + " partitions for ever: completedRetentionSeconds deletes only what a group"
                  + " consumed, and no group reads them"));
    }
    return warnings;
  }

  /** The worst group of each queue. A partition without any is warned of where it matters. */
  private static List<Warning> pinned(List<Pin> pins) {
    Map<String, Pin> worst = new LinkedHashMap<>();
    pins.stream().filter(p -> p.group() != null).forEach(p -> worst.putIfAbsent(p.queue(), p));
    return worst.values().stream()
        .map(
            p ->
                Warning.queue(
                    p.queue(),
                    "is held back by group "
                        + p.group()
                        + ": "
                        + (p.capped() ? "at least " : "")
                        + p.partitions()
                        + " partitions, "
                        + p.messagesBehind()
                        + " messages that it has not committed, the oldest since "
                        + p.oldestLiveAt()))
        .toList();
  }

  private static void print(
      Output output,
      List<QueueStatus> queues,
      List<Warning> warnings,
      List<TaskState> tasks,
      List<Pin> pins) {
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
    warnings.forEach(w -> output.line(w.line()));
    table(output, PIN_HEADING, pins.stream().map(StatusCommand::row).toList());
    table(output, TASK_HEADING, tasks.stream().map(StatusCommand::row).toList());
    Optional<TaskStatus> last =
        tasks.stream()
            .map(TaskState::task)
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

  private static List<String> row(Pin p) {
    return List.of(
        p.queue(),
        p.group() == null ? "(no group has a cursor)" : p.group(),
        String.valueOf(p.partitions()),
        String.valueOf(p.alone()),
        String.valueOf(p.messagesBehind()),
        String.valueOf(p.oldestLiveAt()));
  }

  private static List<String> row(TaskState t) {
    TaskStatus task = t.task();
    return List.of(
        task.task(),
        t.word(),
        t.leased().map(l -> l.holder() + " until " + l.until()).orElse("-"),
        String.valueOf(task.nextDueAt()),
        task.periodMs() + " ms",
        task.lastEndAt() == null ? "-" : String.valueOf(task.lastEndAt()),
        task.lastDurationMs() == null ? "-" : task.lastDurationMs() + " ms",
        String.valueOf(task.runs()));
  }

  private static void table(Output output, List<String> heading, List<List<String>> rows) {
    if (!rows.isEmpty()) {
      List<List<String>> all = new ArrayList<>(List.of(heading));
      all.addAll(rows);
      output.line("");
      output.table(all);
    }
  }

  private static String seconds(int window) {
    return window == 0 ? "off" : window + " s";
  }
}

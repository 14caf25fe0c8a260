package dev.tidemark.retention.cli;

import dev.tidemark.retention.core.cycle.StopSignal;
import dev.tidemark.retention.core.cycle.WalkReport;
import dev.tidemark.retention.runner.RetentionService;
import dev.tidemark.retention.sql.StatusGateway;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

@Command(
    name = "walk",
    description = {
      "Check the watermarks of all partitions against their data now, and mend what drifted.",
      "Exit code 1 also when rows were passed because somebody held them: walk again."
    })
final class WalkCommand extends RunnerCommand {
  private static final Duration DAY = Duration.ofDays(1);

  @Override
  int run(Database database, Output output) {
    WalkReport report;
    try (RetentionService service =
        RetentionService.on(database.dataSource()).knobs(knobs()).build()) {
      report = service.walkOnce();
    }
    // Only the first fill needs the period, and a day is what the schedule would have.
    Duration period = knobs().safetyWalk().isZero() ? DAY : knobs().safetyWalk();
    new StatusGateway(database.dataSource())
        .noteCycle(RetentionService.WALK_TASK, period, report.elapsed());
    if (output.isJson()) {
      output.document(Document.of(report));
    } else {
      output.line(
          "read "
              + report.scanned()
              + " partitions, mended "
              + report.repaired()
              + (report.held() == 0 ? "" : ", passed " + report.held() + " that somebody holds"));
    }
    return report.complete() ? ExitCode.DONE : ExitCode.FAILED;
  }

  record Document(
      long scanned, long repaired, long held, @Nullable String stopped, long elapsedMs) {
    static Document of(WalkReport report) {
      return new Document(
          report.scanned(),
          report.repaired(),
          report.held(),
          report.stopped().map(StopSignal.Reason::name).orElse(null),
          report.elapsed().toMillis());
    }
  }
}

package dev.tidemark.retention.cli;

import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.cycle.CycleReport;
import dev.tidemark.retention.core.database.DatabaseException;
import dev.tidemark.retention.runner.RetentionService;
import dev.tidemark.retention.sql.StatusGateway;
import picocli.CommandLine.Command;

@Command(
    name = "once",
    description = {
      "Run one cycle now, whatever the schedule says, and print what went by which rule.",
      "Exit code 1 also when a partition's step failed: the others were served."
    })
final class OnceCommand extends RunnerCommand {
  @Override
  int run(Database database, Output output) {
    RetentionService service = RetentionService.on(database.dataSource()).knobs(knobs()).build();
    CycleOutcome outcome = cycle(service, output);
    output.progress("");
    if (outcome instanceof CycleOutcome.Stopped stopped) {
      throw new CommandFailedException(
          "the cycle stopped before its end ("
              + stopped.reason()
              + "); "
              + gone(stopped.report().segmentsDeleted(), stopped.report().txnsPurged()));
    }
    return outcome instanceof CycleOutcome.Swept swept
        ? swept(database, output, swept.report())
        : busy(output);
  }

  /** Runs it; when the database fails in the middle, says what is done all the same. */
  private static CycleOutcome cycle(RetentionService service, Output output) {
    long[] gone = new long[2];
    try {
      return service.runOnce(
          (segments, rows) -> {
            gone[0] = segments;
            gone[1] = rows;
            output.progress("deleted " + segments + " segments, purged " + rows + " sidecar rows");
          });
    } catch (DatabaseException e) {
      if (gone[0] + gone[1] == 0) {
        throw e;
      }
      output.progress("");
      throw new CommandFailedException(
          e.getMessage()
              + "; "
              + gone(gone[0], gone[1])
              + ", besides what the call that failed did",
          e);
    }
  }

  private static String gone(long segments, long rows) {
    return segments + " segments and " + rows + " sidecar rows are deleted and stay deleted";
  }

  private static int busy(Output output) {
    if (output.isJson()) {
      output.document(new CycleDocument.Busy("busy"));
    } else {
      output.line("the lock is busy: another process is sweeping");
    }
    return ExitCode.BUSY;
  }

  private int swept(Database database, Output output, CycleReport report) {
    new StatusGateway(database.dataSource())
        .noteCycle(RetentionService.TASK, knobs().interval(), report.elapsed());
    CycleDocument document = CycleDocument.of(report);
    if (output.isJson()) {
      output.document(document);
    } else {
      document.print(output);
    }
    return report.visits().failed() > 0 ? ExitCode.FAILED : ExitCode.DONE;
  }
}

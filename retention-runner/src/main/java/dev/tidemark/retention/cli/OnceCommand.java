package dev.tidemark.retention.cli;

import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.cycle.CycleReport;
import dev.tidemark.retention.core.database.DatabaseException;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.runner.RetentionService;
import dev.tidemark.retention.sql.StatusGateway;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

@Command(
    name = "once",
    description = {
      "Run one cycle now, whatever the schedule says, and print what went by which rule.",
      "Exit code 1 also when a partition's step failed: the others were served."
    })
final class OnceCommand extends DatabaseCommand {
  /** Beside the workers: the holder of the lock, the tail, the lease. */
  private static final int BESIDE_WORKERS = 3;

  /**
   * How much longer than a step a socket may stay silent: the work list has no timeout of its own.
   */
  private static final Duration BESIDE_STEPS = Duration.ofMinutes(2);

  private @Nullable Knobs knobs;

  @Override
  PoolShape pool() {
    return new PoolShape(
        knobs().parallelism() + BESIDE_WORKERS, knobs().stepTimeout().plus(BESIDE_STEPS));
  }

  @Override
  int run(Database database, Output output) {
    RetentionService service = RetentionService.on(database.dataSource()).knobs(knobs()).build();
    CycleOutcome outcome = cycle(service, output);
    output.progress("");
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
              + gone[0]
              + " segments and "
              + gone[1]
              + " sidecar rows are deleted and stay deleted",
          e);
    }
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

  private Knobs knobs() {
    if (knobs == null) {
      knobs = KnobFlags.read(spec().commandLine().getParseResult(), System.getenv());
    }
    return knobs;
  }
}

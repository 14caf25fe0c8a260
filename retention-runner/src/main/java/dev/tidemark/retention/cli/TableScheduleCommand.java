package dev.tidemark.retention.cli;

import dev.tidemark.retention.sql.TableGateway;
import dev.tidemark.retention.sql.TableGateway.Job;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "schedule",
    description = {
      "Let pg_cron run a policy inside the database, or no longer.",
      "The job is one CALL that commits after every batch, as the user of this command. Runners work by all policies anyway; the two do not disturb each other."
    })
final class TableScheduleCommand extends DatabaseCommand {
  @Parameters(index = "0", paramLabel = "NAME", description = "The policy.")
  private String name = "";

  @ArgGroup(multiplicity = "1")
  private Change change = new Change();

  private static final class Change {
    @Option(
        names = "--with-pg-cron",
        paramLabel = "SCHEDULE",
        description = "When, as pg_cron takes it: '*/10 * * * *'.")
    private @Nullable String schedule;

    @Option(names = "--off", description = "Take the job away.")
    private boolean off;
  }

  @Override
  int run(Database database, Output output) {
    TableGateway tables = new TableGateway(database.dataSource());
    return change.schedule == null
        ? off(tables, output)
        : on(tables.schedule(name, change.schedule), output);
  }

  private static int on(Job job, Output output) {
    if (output.isJson()) {
      output.document(job);
    } else {
      output.line("job " + job.jobId() + " '" + job.job() + "' at " + job.schedule());
      output.line(job.command());
    }
    return ExitCode.DONE;
  }

  private int off(TableGateway tables, Output output) {
    boolean had = tables.unschedule(name);
    if (output.isJson()) {
      output.document(new Unscheduled(name, had));
    } else {
      output.line(had ? "took the job of " + name + " away" : "there was no job of " + name);
    }
    return ExitCode.DONE;
  }

  /** {@code removed}: there was a job of this user. */
  record Unscheduled(String policy, boolean removed) {}
}

package dev.tidemark.retention.cli;

import dev.tidemark.retention.sql.TableStatusGateway;
import dev.tidemark.retention.sql.TableStatusGateway.Backlog;
import dev.tidemark.retention.sql.TableStatusGateway.Job;
import dev.tidemark.retention.sql.TableStatusGateway.LastRun;
import dev.tidemark.retention.sql.TableStatusGateway.PolicyStatus;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "status",
    description = {
      "How far behind each table is, how fast it deletes, how the last run ended, and the jobs of pg_cron.",
      "Reads an index's edge of each table, no more."
    })
final class TableStatusCommand extends DatabaseCommand {
  @Parameters(index = "0", paramLabel = "NAME", arity = "0..1", description = "Only this policy.")
  private @Nullable String name;

  @Override
  int run(Database database, Output output) {
    List<PolicyStatus> policies = new TableStatusGateway(database.dataSource()).policies(name);
    if (name != null && policies.isEmpty()) {
      throw new CommandFailedException("there is no policy " + name);
    }
    if (output.isJson()) {
      output.document(new Document(policies));
    } else if (policies.isEmpty()) {
      output.line("no policies");
    } else {
      print(output, policies);
    }
    return ExitCode.DONE;
  }

  private static void print(Output output, List<PolicyStatus> policies) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(
        List.of(
            "policy", "oldest to go", "behind", "deleted in 24 h", "rows/s", "last run", "ended"));
    policies.forEach(p -> rows.add(row(p)));
    output.table(rows);
    for (PolicyStatus p : policies) {
      if (p.backlog().problem() != null) {
        output.line("WARNING policy " + p.policy() + ": " + p.backlog().problem());
      }
      if (p.lastRun().failed()) {
        output.line(
            "WARNING policy "
                + p.policy()
                + " failed at "
                + p.lastRun().errorAt()
                + ": "
                + p.lastRun().error()
                + " ("
                + p.lastRun().sqlState()
                + ")");
      }
    }
    List<List<String>> jobs = new ArrayList<>();
    jobs.add(
        List.of("job of pg_cron", "policy", "schedule", "user", "last", "ended", "failed of 100"));
    policies.forEach(p -> p.jobs().forEach(j -> jobs.add(row(j))));
    if (jobs.size() > 1) {
      output.line("");
      output.table(jobs);
    }
  }

  private static List<String> row(PolicyStatus p) {
    Backlog b = p.backlog();
    LastRun r = p.lastRun();
    return List.of(
        p.rule().enabled() ? p.policy() : p.policy() + " (disabled)",
        b.oldestAt() == null ? "none" : String.valueOf(b.oldestAt()),
        b.behindSeconds() == null ? "-" : b.behindSeconds().longValue() + " s",
        String.valueOf(b.deletedLately()),
        b.rowsPerSecond() == null ? "-" : String.valueOf(b.rowsPerSecond().longValue()),
        r.stopped() == null ? "none yet" : r.stopped(),
        r.endAt() == null ? "-" : String.valueOf(r.endAt()));
  }

  private static List<String> row(Job j) {
    return List.of(
        j.active() ? String.valueOf(j.jobId()) : j.jobId() + " (off)",
        j.policy(),
        j.schedule(),
        j.username(),
        j.lastStatus() == null ? "none yet" : j.lastStatus(),
        j.lastEndAt() == null ? "-" : String.valueOf(j.lastEndAt()),
        String.valueOf(j.failedLately()));
  }

  record Document(List<PolicyStatus> policies) {}
}

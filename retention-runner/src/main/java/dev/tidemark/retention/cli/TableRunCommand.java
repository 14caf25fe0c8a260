package dev.tidemark.retention.cli;

import dev.tidemark.retention.core.database.TableRun;
import dev.tidemark.retention.core.table.TableReport;
import dev.tidemark.retention.runner.RetentionService;
import dev.tidemark.retention.sql.TableStatusGateway;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "run",
    description = {
      "Delete what is outside the window now, by one policy or all, whatever the schedule says, until nothing is left that can go.",
      "Takes the knobs of run; those of the log do nothing here."
    },
    exitCodeList = {
      "0:nothing is left that should go",
      "1:failed; also when one table did: the others were served",
      "2:bad usage",
      "3:one was stuck or throttled: rows are left",
      "4:another process is at one of the tables"
    })
final class TableRunCommand extends RunnerCommand {
  @Parameters(index = "0", paramLabel = "NAME", arity = "0..1", description = "Only this policy.")
  private @Nullable String name;

  @Override
  int run(Database database, Output output) {
    if (name != null && new TableStatusGateway(database.dataSource()).rules(name).isEmpty()) {
      throw new CommandFailedException("there is no policy " + name);
    }
    TableReport report;
    try (RetentionService service =
        RetentionService.on(database.dataSource()).knobs(knobs()).build()) {
      report = pass(service);
      while (report.waiting() > 0 && report.stopped().isEmpty()) {
        output.progress("deleted " + report.deleted() + " rows");
        report = report.then(pass(service));
      }
    }
    output.progress("");
    Document document = Document.of(report);
    if (output.isJson()) {
      output.document(document);
    } else {
      document.print(output);
    }
    return exitCode(report);
  }

  private static int exitCode(TableReport report) {
    if (report.failed() > 0 || report.stopped().isPresent()) {
      return ExitCode.FAILED;
    }
    Set<TableRun.End> ends =
        report.policies().values().stream()
            .map(TableReport.Totals::end)
            .collect(Collectors.toSet());
    if (ends.contains(TableRun.End.BUSY)) {
      return ExitCode.BUSY;
    }
    return ends.contains(TableRun.End.STUCK) || ends.contains(TableRun.End.THROTTLED)
        ? ExitCode.HAZARDS
        : ExitCode.DONE;
  }

  private TableReport pass(RetentionService service) {
    return name == null ? service.tablesOnce() : service.tablesOnce(List.of(name));
  }

  record Document(
      long deleted, long archived, long failed, long elapsedMs, List<PolicyRun> policies) {
    static Document of(TableReport report) {
      List<PolicyRun> runs = new ArrayList<>();
      for (Map.Entry<String, TableReport.Totals> policy : report.policies().entrySet()) {
        TableReport.Totals t = policy.getValue();
        runs.add(
            new PolicyRun(
                policy.getKey(),
                t.deleted(),
                t.archived(),
                t.skipped(),
                t.end().name().toLowerCase(Locale.ROOT),
                t.failure().map(e -> e.sqlState()).orElse(null),
                t.failure().map(e -> String.valueOf(e.getMessage())).orElse(null)));
      }
      return new Document(
          report.deleted(), report.archived(), report.failed(), report.elapsed().toMillis(), runs);
    }

    void print(Output output) {
      if (policies.isEmpty()) {
        output.line("no policies are enabled");
        return;
      }
      List<List<String>> rows = new ArrayList<>();
      rows.add(List.of("policy", "deleted", "archived", "skipped", "ended"));
      policies.forEach(
          p ->
              rows.add(
                  List.of(
                      p.policy(),
                      String.valueOf(p.deleted()),
                      String.valueOf(p.archived()),
                      String.valueOf(p.skipped()),
                      p.stopped())));
      output.table(rows);
      policies.stream()
          .filter(p -> p.error() != null)
          .forEach(
              p ->
                  output.line(
                      "WARNING policy "
                          + p.policy()
                          + " failed: "
                          + p.error()
                          + " ("
                          + p.sqlState()
                          + ")"));
    }
  }

  /** {@code skipped}: rows that somebody held, at the end. */
  record PolicyRun(
      String policy,
      long deleted,
      long archived,
      long skipped,
      String stopped,
      @Nullable String sqlState,
      @Nullable String error) {}
}

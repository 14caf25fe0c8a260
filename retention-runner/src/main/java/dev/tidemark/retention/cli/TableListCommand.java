package dev.tidemark.retention.cli;

import dev.tidemark.retention.sql.TableStatusGateway;
import dev.tidemark.retention.sql.TableStatusGateway.NamedRule;
import dev.tidemark.retention.sql.TableStatusGateway.Rule;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

@Command(name = "list", description = "The policies: which table, which window, which rows.")
final class TableListCommand extends DatabaseCommand {
  @Override
  int run(Database database, Output output) {
    List<NamedRule> policies = new TableStatusGateway(database.dataSource()).rules(null);
    if (output.isJson()) {
      output.document(new Document(policies));
    } else if (policies.isEmpty()) {
      output.line("no policies");
    } else {
      List<List<String>> rows = new ArrayList<>();
      rows.add(List.of("policy", "table", "time", "keep", "where", "archive", "enabled"));
      policies.forEach(p -> rows.add(row(p.policy(), p.rule())));
      output.table(rows);
    }
    return ExitCode.DONE;
  }

  private static List<String> row(String policy, Rule rule) {
    return List.of(
        policy,
        rule.relation(),
        TableCommand.time(rule.column(), rule.kind(), rule.zone()),
        rule.keep(),
        rule.predicate() == null ? "-" : rule.predicate(),
        rule.archive() == null ? "-" : rule.archive(),
        rule.enabled() ? "yes" : "no");
  }

  record Document(List<NamedRule> policies) {}
}

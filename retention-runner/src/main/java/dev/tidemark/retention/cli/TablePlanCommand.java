package dev.tidemark.retention.cli;

import dev.tidemark.retention.sql.TableStatusGateway;
import dev.tidemark.retention.sql.TableStatusGateway.Leaf;
import dev.tidemark.retention.sql.TableStatusGateway.Plan;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "plan",
    description = {
      "How many rows a run would delete if it began now, by which window, and how long at the speed of the last steps.",
      "Changes nothing. Counts every row that would go."
    })
final class TablePlanCommand extends DatabaseCommand {
  @Parameters(index = "0", paramLabel = "NAME", description = "The policy.")
  private String name = "";

  @Override
  int run(Database database, Output output) {
    Plan plan = new TableStatusGateway(database.dataSource()).plan(name);
    if (output.isJson()) {
      output.document(
          new Document(
              name,
              plan.status().rule().relation(),
              plan.status().rule().keep(),
              plan.status().backlog().cutoff(),
              plan.rows(),
              plan.seconds().orElse(null),
              plan.leaves()));
    } else {
      print(output, plan);
    }
    return plan.leaves().stream().allMatch(l -> l.problem() == null)
        ? ExitCode.DONE
        : ExitCode.FAILED;
  }

  private void print(Output output, Plan plan) {
    output.line(
        plan.rows()
            + " rows of "
            + plan.status().rule().relation()
            + " would go: "
            + plan.status().rule().column()
            + " before "
            + plan.status().backlog().cutoff()
            + ", "
            + plan.status().rule().keep()
            + " ago"
            + (plan.status().rule().enabled() ? "" : ", if the policy were enabled"));
    output.line(
        plan.seconds()
            .map(s -> s + " s of work at " + plan.status().backlog().rowsPerSecond() + " rows/s")
            .orElse("no step has been measured yet"));
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("leaf", "would go", "never goes", "oldest", "stays from"));
    plan.leaves().stream().filter(l -> l.problem() == null).forEach(l -> rows.add(row(l)));
    if (rows.size() > 1) {
      output.table(rows);
    }
    plan.leaves().stream()
        .filter(l -> l.problem() != null)
        .forEach(
            l -> output.line("WARNING " + (l.leaf() == null ? "" : l.leaf() + ": ") + l.problem()));
  }

  private static List<String> row(Leaf l) {
    return List.of(
        String.valueOf(l.leaf()),
        String.valueOf(l.rows()),
        String.valueOf(l.never()),
        l.oldest() == null ? "-" : l.oldest(),
        String.valueOf(l.bound()));
  }

  record Document(
      String policy,
      String relation,
      String keep,
      Instant cutoff,
      long rows,
      @Nullable BigDecimal seconds,
      List<Leaf> leaves) {}
}

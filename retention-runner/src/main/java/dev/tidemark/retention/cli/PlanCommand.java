package dev.tidemark.retention.cli;

import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.sql.PlanGateway;
import dev.tidemark.retention.sql.PlanGateway.Plan;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "plan",
    description = {
      "What one cycle would delete if it began now, by queue, rule and partition, and why; and what is held back, and by whom.",
      "Changes nothing and locks nothing. Takes the knobs of once; those that bound a cycle do not bound the plan."
    })
final class PlanCommand extends KnobCommand {
  @Parameters(
      index = "0",
      paramLabel = "QUEUE",
      arity = "0..1",
      description = "Only this queue; without it, all, and the samples and the history.")
  private @Nullable String queue;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "20",
      description =
          "Partitions printed for each queue and rule, those that lose most first; default 20. --json prints all.")
  private int limit;

  @Override
  int run(Database database, Output output) {
    if (limit < 0) {
      throw new UsageException("--limit: must be 0 or more, not " + limit);
    }
    Knobs knobs = knobs();
    knobs.warnings().forEach(output::note);
    Plan plan =
        new PlanGateway(database.dataSource())
            .plan(queue, knobs.cleanupEnabled() ? knobs.cleanupAfter() : null, knobs.metricsKept());
    if (queue != null && plan.rules().isEmpty()) {
      throw new CommandFailedException("there is no queue " + queue);
    }
    PlanDocument document = PlanDocument.of(plan);
    if (output.isJson()) {
      output.document(document);
    } else {
      new PlanPrinter(output, limit).print(document);
    }
    return ExitCode.DONE;
  }
}

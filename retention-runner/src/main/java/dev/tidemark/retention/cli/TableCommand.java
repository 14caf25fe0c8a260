package dev.tidemark.retention.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "table",
    description =
        "Retention of ordinary tables that have a time column: their policies, and work by them.",
    subcommands = {TableAddCommand.class, TableScheduleCommand.class, TableRemoveCommand.class})
final class TableCommand implements Runnable {
  @Spec private @Nullable CommandSpec spec;

  @Override
  public void run() {
    if (spec != null) {
      throw new ParameterException(
          spec.commandLine(),
          "say what to do: " + String.join(", ", spec.commandLine().getSubcommands().keySet()));
    }
  }
}

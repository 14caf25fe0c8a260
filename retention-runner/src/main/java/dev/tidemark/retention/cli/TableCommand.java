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
    subcommands = {
      TableAddCommand.class,
      TableListCommand.class,
      TablePlanCommand.class,
      TableRunCommand.class,
      TableStatusCommand.class,
      TableDoctorCommand.class,
      TableScheduleCommand.class,
      TableRemoveCommand.class
    })
final class TableCommand implements Runnable {
  @Spec private @Nullable CommandSpec spec;

  /** A time column, as a person reads it. */
  static String time(String column, String kind, @Nullable String zone) {
    return column + " (" + kind + (zone == null ? "" : ", " + zone) + ")";
  }

  @Override
  public void run() {
    if (spec != null) {
      throw new ParameterException(
          spec.commandLine(),
          "say what to do: " + String.join(", ", spec.commandLine().getSubcommands().keySet()));
    }
  }
}

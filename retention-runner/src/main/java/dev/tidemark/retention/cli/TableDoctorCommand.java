package dev.tidemark.retention.cli;

import dev.tidemark.retention.sql.TableStatusGateway;
import dev.tidemark.retention.sql.TableStatusGateway.Hazard;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "doctor",
    description = "What keeps a policy from doing what it says, or will, each with what mends it.",
    exitCodeList = {
      "0:nothing is known to be wrong",
      "1:failed",
      "2:bad usage",
      "3:there are hazards"
    })
final class TableDoctorCommand extends DatabaseCommand {
  @Parameters(index = "0", paramLabel = "NAME", arity = "0..1", description = "Only this policy.")
  private @Nullable String name;

  @Override
  int run(Database database, Output output) {
    TableStatusGateway tables = new TableStatusGateway(database.dataSource());
    if (name != null && tables.policies(name).isEmpty()) {
      throw new CommandFailedException("there is no policy " + name);
    }
    List<Hazard> hazards = tables.hazards(name);
    if (output.isJson()) {
      output.document(new Document(hazards));
    } else if (hazards.isEmpty()) {
      output.line("no hazards");
    } else {
      for (Hazard h : hazards) {
        output.line(h.policy() + ": " + h.hazard() + ": " + h.detail());
        output.line("    " + h.fix());
      }
    }
    return hazards.isEmpty() ? ExitCode.DONE : ExitCode.HAZARDS;
  }

  record Document(List<Hazard> hazards) {}
}

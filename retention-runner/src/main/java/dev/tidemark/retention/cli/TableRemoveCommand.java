package dev.tidemark.retention.cli;

import dev.tidemark.retention.sql.TableGateway;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "remove",
    description = {
      "Forget a policy: no row goes by it any more. Takes this user's job of pg_cron away with it.",
      "The table is not touched, and what the policy deleted stays in the history."
    })
final class TableRemoveCommand extends DatabaseCommand {
  @Parameters(index = "0", paramLabel = "NAME", description = "The policy.")
  private String name = "";

  @Override
  int run(Database database, Output output) {
    if (!new TableGateway(database.dataSource()).remove(name)) {
      throw new CommandFailedException("there is no policy " + name);
    }
    if (output.isJson()) {
      output.document(new Document(name, true));
    } else {
      output.line("removed policy " + name);
    }
    return ExitCode.DONE;
  }

  record Document(String policy, boolean removed) {}
}

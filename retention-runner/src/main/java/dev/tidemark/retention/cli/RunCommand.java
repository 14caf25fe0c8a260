package dev.tidemark.retention.cli;

import dev.tidemark.retention.runner.RetentionService;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;

@Command(
    name = "run",
    description = {
      "Run cycles on the schedule in the database until a signal ends the command.",
      "Any number of these keep one cadence together: the database decides whose turn it is. The log"
          + " goes to standard error. SIGINT or SIGTERM ends it after the step in flight, and another"
          + " takes over at once."
    })
final class RunCommand extends RunnerCommand {
  @Override
  int run(Database database, Output output) throws InterruptedException {
    RetentionService service = RetentionService.on(database.dataSource()).knobs(knobs()).build();
    database.onShutdown(
        () -> {
          service.close();
          if (output.isJson()) {
            output.document(new Document("stopped"));
          }
        });
    service.start();
    // The hook closes the service, and the JVM ends without coming back here.
    new CountDownLatch(1).await();
    return ExitCode.DONE;
  }

  record Document(String outcome) {}
}

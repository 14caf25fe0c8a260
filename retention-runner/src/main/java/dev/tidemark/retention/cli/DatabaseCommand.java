package dev.tidemark.retention.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that works on a deployed database and prints. */
abstract class DatabaseCommand implements Callable<Integer> {
  private static final int ONE_AT_A_TIME = 2;

  @Spec private @Nullable CommandSpec spec;

  /** The command's own work; the exit code. */
  abstract int run(Database database, Output output) throws Exception;

  /** Connections it uses at once. */
  int connections() {
    return ONE_AT_A_TIME;
  }

  /** How it gets its database; most want a deployed schema. */
  Database open(CommonOptions options, Output output) {
    return Database.deployed(options, output, connections());
  }

  @Override
  public final Integer call() throws Exception {
    CommandSpec self = spec();
    CommonOptions options = options(self);
    Output output = new Output(self.commandLine(), options.json);
    try (Database database = open(options, output)) {
      return run(database, output);
    }
  }

  final CommandSpec spec() {
    if (spec == null) {
      throw new IllegalStateException("a command runs through picocli");
    }
    return spec;
  }

  private static CommonOptions options(CommandSpec self) {
    return ((Retention) self.root().userObject()).common();
  }
}

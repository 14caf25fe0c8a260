package dev.tidemark.retention.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that works on a deployed database and prints. */
abstract class DatabaseCommand implements Callable<Integer> {
  /**
   * One connection at a time, and one to spare; a report over a large database may take its
   * minutes.
   */
  private static final PoolShape SMALL = new PoolShape(2, Duration.ofMinutes(10));

  @Spec private @Nullable CommandSpec spec;

  /** The command's own work; the exit code. */
  abstract int run(Database database, Output output) throws Exception;

  /** What it needs of the pool. */
  PoolShape pool() {
    return SMALL;
  }

  /** How it gets its database; most want a deployed schema. */
  Database open(CommonOptions options, Output output) throws IOException {
    return Database.deployed(options, output, pool());
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

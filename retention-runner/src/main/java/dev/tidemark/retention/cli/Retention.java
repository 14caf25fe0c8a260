package dev.tidemark.retention.cli;

import dev.tidemark.retention.cli.embedded.EmbeddedServerException;
import dev.tidemark.retention.core.database.DatabaseException;
import dev.tidemark.retention.core.database.InvalidArgumentException;
import dev.tidemark.retention.core.knob.InvalidKnobException;
import dev.tidemark.retention.runner.PoolTooSmallException;
import dev.tidemark.retention.runner.SchemaMismatchException;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.flywaydb.core.api.FlywayException;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ScopeType;

/** The command's door: its subcommands, and how a failure becomes one line and an exit code. */
@Command(
    name = "retention",
    description = "Retention for message logs kept in PostgreSQL.",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:failed",
      "2:bad usage",
      "4:the lock is busy: another process is sweeping"
    },
    subcommands = {
      MigrateCommand.class,
      ConfigureCommand.class,
      ImportCommand.class,
      ExportCommand.class,
      GroupCommand.class,
      PlanCommand.class,
      OnceCommand.class,
      RunCommand.class,
      WalkCommand.class,
      StatusCommand.class,
      PauseCommand.class,
      ResumeCommand.class,
      DemoCommand.class,
      BenchCommand.class,
      TableCommand.class
    })
public final class Retention implements Runnable {
  private static final String FORBIDDEN = "42501";
  private static final String ROLES =
      "; grant the login the role the command needs: queen_retention for once, run, walk, pause and resume,"
          + " queen_reader for plan and status, queen_broker for configure, import, export and group";
  private static final Set<String> LOG_LEVELS = Set.of("ERROR", "WARN", "INFO", "DEBUG", "TRACE");
  private static final String LOGGING = "dev/tidemark/retention/cli/logging.xml";

  @Mixin private CommonOptions common = new CommonOptions();

  @CommandLine.Spec private CommandLine.Model.@org.jspecify.annotations.Nullable CommandSpec spec;

  public static void main(String[] args) {
    String level = System.getenv("RETENTION_LOG_LEVEL");
    if (level != null && !level.isBlank() && !LOG_LEVELS.contains(level)) {
      System.err.println(
          "retention: RETENTION_LOG_LEVEL: must be one of ERROR, WARN, INFO, DEBUG, TRACE, not '"
              + level
              + "'");
      System.exit(ExitCode.USAGE);
    }
    // Before the first logger: the executable's own settings, which must not lie where a broker's
    // logback would find them.
    if (System.getProperty("logback.configurationFile") == null) {
      System.setProperty("logback.configurationFile", LOGGING);
    }
    System.setProperty("org.jooq.no-logo", "true");
    System.setProperty("org.jooq.no-tips", "true");
    System.exit(commandLine().execute(args));
  }

  /** The whole command, as a test can run it. */
  public static CommandLine commandLine() {
    CommandLine line = new CommandLine(new Retention());
    line.getSubcommands().values().stream()
        .flatMap(
            command ->
                Stream.concat(Stream.of(command), command.getSubcommands().values().stream()))
        .map(CommandLine::getCommandSpec)
        .filter(command -> command.userObject() instanceof KnobCommand)
        .forEach(KnobFlags::addTo);
    line.setExecutionExceptionHandler((e, command, parsed) -> failed(e, command));
    line.setParameterExceptionHandler(
        (e, args) -> {
          CommandLine command = e.getCommandLine();
          // A line that did not parse has not set the option.
          line.<Retention>getCommand().common.json |= List.of(args).contains("--json");
          report(command, firstLine(e), ExitCode.USAGE);
          command
              .getErr()
              .println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
          return ExitCode.USAGE;
        });
    return line;
  }

  CommonOptions common() {
    return common;
  }

  @Override
  public void run() {
    if (spec != null) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "say what to do: a command is missing");
    }
  }

  private static int failed(Exception e, CommandLine command) {
    if (e instanceof UsageException
        || e instanceof InvalidKnobException
        || e instanceof InvalidArgumentException) {
      return report(command, firstLine(e) + ServerHint.of(e), ExitCode.USAGE);
    }
    if (e instanceof DatabaseException failure && failure.sqlState().equals(FORBIDDEN)) {
      return report(command, firstLine(e) + ROLES, ExitCode.FAILED);
    }
    if (e instanceof CommandFailedException
        || e instanceof DatabaseException
        || e instanceof SchemaMismatchException
        || e instanceof PoolTooSmallException
        || e instanceof EmbeddedServerException
        || e instanceof FlywayException) {
      LoggerFactory.getLogger(Retention.class).debug("the command failed", e);
      return report(
          command,
          e instanceof FlywayException ? oneLine(e) : e.getMessage() + ServerHint.of(e),
          ExitCode.FAILED);
    }
    // A fault of ours: the whole trace, and the same exit code.
    e.printStackTrace(command.getErr());
    return report(command, "unexpected: " + firstLine(e), ExitCode.FAILED);
  }

  /** One line for the person; with --json also one document for the program. */
  private static int report(CommandLine command, String message, int exitCode) {
    command.getErr().println(command.getCommandSpec().qualifiedName() + ": " + message);
    if (((Retention) command.getCommandSpec().root().userObject()).common.json) {
      new Output(command, true).document(new Failure("failed", message, exitCode));
    }
    return exitCode;
  }

  /** What a failed command prints with --json. */
  record Failure(String outcome, String error, int exitCode) {}

  /** Flyway says what is wrong behind its first line. */
  private static String oneLine(Exception e) {
    return String.valueOf(e.getMessage()).strip().replaceAll("\\s*\\R\\s*", "; ");
  }

  private static String firstLine(Exception e) {
    String message = String.valueOf(e.getMessage()).strip();
    int end = message.indexOf('\n');
    return end < 0 ? message : message.substring(0, end);
  }
}

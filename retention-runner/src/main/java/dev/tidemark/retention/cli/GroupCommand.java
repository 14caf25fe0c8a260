package dev.tidemark.retention.cli;

import dev.tidemark.retention.sql.LogGateway;
import dev.tidemark.retention.sql.QueueGateway;
import dev.tidemark.retention.sql.QueueGateway.PartitionLog;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "group",
    description = "Consumer groups.",
    subcommands = {GroupCommand.Commit.class, GroupCommand.Delete.class})
final class GroupCommand implements Runnable {
  @Spec private @Nullable CommandSpec spec;

  @Override
  public void run() {
    if (spec != null) {
      throw new ParameterException(
          spec.commandLine(), "say what to do with a group: commit or delete");
    }
  }

  @Command(
      name = "commit",
      description = {
        "Set a group's cursors in every partition of a queue, as if it had consumed up to there. A group that is new joins.",
        "OFFSET is the last consumed offset, -1 = none; in a shorter partition, its last one."
      })
  static final class Commit extends DatabaseCommand {
    @Parameters(index = "0", paramLabel = "QUEUE")
    private String queue = "";

    @Parameters(index = "1", paramLabel = "GROUP")
    private String group = "";

    @Parameters(index = "2", paramLabel = "OFFSET", arity = "0..1")
    private @Nullable Long offset;

    @Option(
        names = "--fraction",
        paramLabel = "F",
        description = "Instead of OFFSET: this share of the live messages, 0 .. 1, rounded down.")
    private @Nullable BigDecimal fraction;

    @Option(names = "--partition", paramLabel = "NAME", description = "Only this partition.")
    private @Nullable String partition;

    @Override
    int run(Database database, Output output) {
      check();
      LogGateway log = new LogGateway(database.dataSource());
      List<PartitionLog> partitions = QueuePartitions.of(database, queue, partition);
      for (PartitionLog p : partitions) {
        log.seek(p.id(), group, committed(p) + 1);
      }
      if (output.isJson()) {
        output.document(new Document(queue, group, partitions.size()));
      } else {
        output.line(
            "set " + partitions.size() + " cursors of group " + group + " on queue " + queue);
      }
      return ExitCode.DONE;
    }

    private void check() {
      if ((offset == null) == (fraction == null)) {
        throw new UsageException("give either OFFSET or --fraction F");
      }
      if (offset != null && offset < -1) {
        throw new UsageException("OFFSET: must be -1 or more, not " + offset);
      }
      if (fraction != null
          && (fraction.signum() < 0
              || fraction.compareTo(BigDecimal.ONE) > 0
              || fraction.scale() > 100)) {
        throw new UsageException("--fraction: must be from 0 to 1, not " + fraction);
      }
    }

    private long committed(PartitionLog p) {
      if (offset != null) {
        return Math.min(offset, p.lastOffset());
      }
      BigDecimal share = fraction == null ? BigDecimal.ZERO : fraction;
      long consumed =
          share
              .multiply(BigDecimal.valueOf(p.liveMessages()))
              .setScale(0, RoundingMode.FLOOR)
              .longValueExact();
      return p.logStart() + consumed - 1;
    }

    record Document(String queue, String group, int cursors) {}
  }

  @Command(name = "delete", description = "Remove a group from a queue: it pins nothing any more.")
  static final class Delete extends DatabaseCommand {
    @Parameters(index = "0", paramLabel = "QUEUE")
    private String queue = "";

    @Parameters(index = "1", paramLabel = "GROUP")
    private String group = "";

    @Override
    int run(Database database, Output output) {
      long cursors = new QueueGateway(database.dataSource()).deleteGroup(queue, group);
      if (output.isJson()) {
        output.document(new Commit.Document(queue, group, Math.toIntExact(cursors)));
      } else {
        output.line("removed " + cursors + " cursors of group " + group + " from queue " + queue);
      }
      return ExitCode.DONE;
    }
  }
}

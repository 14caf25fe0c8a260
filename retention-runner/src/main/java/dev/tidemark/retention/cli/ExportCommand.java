package dev.tidemark.retention.cli;

import dev.tidemark.retention.cli.events.FrameCodec;
import dev.tidemark.retention.sql.LogGateway;
import dev.tidemark.retention.sql.LogGateway.StoredSegment;
import dev.tidemark.retention.sql.QueueGateway.PartitionLog;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "export",
    description = {
      "Print a queue's live messages as they were imported: one JSON value a line, partition by partition, in log order.",
      "With --json: one JSON array."
    })
final class ExportCommand extends DatabaseCommand {
  private static final int SEGMENTS_A_READ = 100;

  @Parameters(index = "0", paramLabel = "QUEUE")
  private String queue = "";

  @Option(names = "--partition", paramLabel = "NAME", description = "Only this partition.")
  private @Nullable String partition;

  @Override
  int run(Database database, Output output) {
    LogGateway log = new LogGateway(database.dataSource());
    PrintWriter out = spec().commandLine().getOut();
    String separator = output.isJson() ? "[" : "";
    for (PartitionLog p : QueuePartitions.of(database, queue, partition)) {
      long from = p.logStart();
      List<StoredSegment> segments;
      do {
        segments = log.read(p.id(), from, SEGMENTS_A_READ);
        for (StoredSegment segment : segments) {
          for (byte[] frame : FrameCodec.decode(segment.blob())) {
            out.print(separator);
            out.print(new String(frame, StandardCharsets.UTF_8));
            separator = output.isJson() ? ",\n" : "\n";
          }
          from = segment.endOffset() + 1;
        }
      } while (segments.size() == SEGMENTS_A_READ);
    }
    if (output.isJson()) {
      out.println(separator.equals("[") ? "[]" : "]");
    } else if (!separator.isEmpty()) {
      out.println();
    }
    out.flush();
    return ExitCode.DONE;
  }
}

package dev.tidemark.retention.cli;

import dev.tidemark.retention.sql.TableGateway;
import dev.tidemark.retention.sql.TableGateway.Policy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "add",
    description = {
      "Set a policy for a table: rows whose time is older than --keep go. Deletes nothing by itself.",
      "A policy of that name is replaced as a whole. What could not be kept to is refused, and the reason says what to do."
    })
final class TableAddCommand extends DatabaseCommand {
  @Parameters(
      index = "0",
      paramLabel = "TABLE",
      description = "The table, as SQL spells it; without a schema, of schema public.")
  private String table = "";

  @Option(
      names = "--column",
      paramLabel = "COLUMN",
      required = true,
      description = "The column with the time of a row. It needs an index that begins with it.")
  private String column = "";

  @Option(
      names = "--keep",
      paramLabel = "INTERVAL",
      required = true,
      description = "How long a row stays: '30 days', 12h, P1M.")
  private String keep = "";

  @Option(
      names = "--kind",
      paramLabel = "KIND",
      description =
          "How the column tells time: timestamptz, timestamp, date, epoch_s, epoch_ms, epoch_us, epoch_ns or uuidv7."
              + " Without it, as its type says, which a number does not.")
  private @Nullable String kind;

  @Option(
      names = "--zone",
      paramLabel = "ZONE",
      description = "The time zone that a timestamp or a date means: UTC, Europe/Berlin.")
  private @Nullable String zone;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "The policy's name. Without it TABLE, without schema public.")
  private @Nullable String name;

  @Option(
      names = "--batch",
      paramLabel = "N",
      defaultValue = "10000",
      description = "The most rows a step deletes, 1 .. 100000; default ${DEFAULT-VALUE}.")
  private int batch;

  @Option(
      names = "--where",
      paramLabel = "CONDITION",
      description =
          "Only rows for which this holds: an SQL condition over the row, without subqueries.")
  private @Nullable String predicate;

  @Option(
      names = "--archive",
      paramLabel = "TABLE",
      description = "Rows that go are moved into this table.")
  private @Nullable String archive;

  @Option(
      names = "--disabled",
      description = "Set it without letting it delete: plan and status work, run does nothing.")
  private boolean disabled;

  @Override
  int run(Database database, Output output) {
    TableGateway.Outcome set =
        new TableGateway(database.dataSource())
            .set(
                new TableGateway.Wanted(
                    table, column, keep, kind, name, zone, batch, predicate, archive, !disabled));
    if (output.isJson()) {
      output.document(set);
    } else {
      output.table(rows(set.policy()));
      for (TableGateway.Warning w : set.warnings()) {
        output.line("WARNING " + w.hazard() + ": " + w.detail());
        output.line("    " + w.fix());
      }
    }
    return ExitCode.DONE;
  }

  private static List<List<String>> rows(Policy policy) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of(policy.created() ? "policy" : "policy, replaced", policy.name()));
    rows.add(List.of("table", policy.relation()));
    rows.add(List.of("time", TableCommand.time(policy.column(), policy.kind(), policy.zone())));
    rows.add(List.of("keep", policy.keep()));
    if (policy.predicate() != null) {
      rows.add(List.of("where", policy.predicate()));
    }
    if (policy.archive() != null) {
      rows.add(List.of("archive", policy.archive()));
    }
    rows.add(List.of("batch", String.valueOf(policy.batch())));
    rows.add(List.of("enabled", policy.enabled() ? "yes" : "no"));
    return rows;
  }
}

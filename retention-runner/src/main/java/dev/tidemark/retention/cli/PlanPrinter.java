package dev.tidemark.retention.cli;

import dev.tidemark.retention.cli.PlanDocument.Held;
import dev.tidemark.retention.cli.PlanDocument.Total;
import dev.tidemark.retention.sql.PlanGateway.OldRows;
import dev.tidemark.retention.sql.PlanGateway.Preview;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A plan for a person: the sums first, then at most so many partitions for each of them. */
final class PlanPrinter {
  private final Output output;
  private final int limit;

  PlanPrinter(Output output, int limit) {
    this.output = output;
    this.limit = limit;
  }

  void print(PlanDocument plan) {
    output.line(
        "a cycle that begins at "
            + plan.lookedAt()
            + " would take from "
            + plan.queues()
            + " queues: "
            + plan.segmentsDeleted()
            + " segments deleted, "
            + plan.maxWaitEvicted()
            + " evicted, "
            + plan.txnsPurged()
            + " sidecar rows purged, "
            + plan.partitionsDeleted()
            + " empty partitions deleted");
    if (!plan.metrics().isEmpty()) {
      boolean capped = plan.metrics().stream().anyMatch(OldRows::capped);
      output.line(
          (capped ? "at least " : "")
              + plan.metricsPurged()
              + " rows of samples and history purged");
    }
    totals(plan);
    partitions(plan);
    perQueue("held back:", plan.held());
    perQueue(
        "empty partitions that go:",
        plan.empty().stream().map(e -> new Held(e.queue(), e.partition(), e.reason())).toList());
  }

  private void totals(PlanDocument plan) {
    if (plan.totals().isEmpty()) {
      return;
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("queue", "rule", "partitions", "segments", "messages"));
    for (Total t : plan.totals()) {
      rows.add(
          List.of(
              t.queue(),
              t.rule(),
              String.valueOf(t.partitions()),
              String.valueOf(t.segments()),
              String.valueOf(t.messages())));
    }
    output.line("");
    output.table(rows);
  }

  private void partitions(PlanDocument plan) {
    List<List<String>> rows = new ArrayList<>();
    List<String> left = new ArrayList<>();
    rows.add(List.of("queue", "rule", "partition", "segments", "messages", "reason"));
    for (Total total : plan.totals()) {
      List<Preview> all = plan.of(total);
      all.stream()
          .limit(limit)
          .forEach(
              p ->
                  rows.add(
                      List.of(
                          p.queue(),
                          p.rule(),
                          p.partition(),
                          String.valueOf(p.segments()),
                          String.valueOf(p.messages()),
                          p.reason())));
      more(left, all.size(), total.queue() + " by " + total.rule());
    }
    if (!plan.totals().isEmpty()) {
      output.line("");
    }
    table(rows, left);
  }

  private void perQueue(String heading, List<Held> all) {
    if (all.isEmpty()) {
      return;
    }
    List<List<String>> rows = new ArrayList<>();
    List<String> left = new ArrayList<>();
    rows.add(List.of("queue", "partition", "reason"));
    Map<String, List<Held>> byQueue =
        all.stream()
            .collect(Collectors.groupingBy(Held::queue, LinkedHashMap::new, Collectors.toList()));
    byQueue.forEach(
        (queue, held) -> {
          held.stream()
              .limit(limit)
              .forEach(h -> rows.add(List.of(queue, h.partition(), h.reason())));
          more(left, held.size(), queue);
        });
    output.line("");
    output.line(heading);
    table(rows, left);
  }

  private void more(List<String> left, int all, String of) {
    if (all > limit) {
      left.add("... and " + (all - limit) + " more partitions of " + of);
    }
  }

  private void table(List<List<String>> rows, List<String> left) {
    if (rows.size() > 1) {
      output.table(rows);
    }
    left.forEach(output::line);
  }
}

package dev.tidemark.retention.cli;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tidemark.retention.core.cycle.CycleReport;
import dev.tidemark.retention.sql.PlanGateway.EmptyPartition;
import dev.tidemark.retention.sql.PlanGateway.OldRows;
import dev.tidemark.retention.sql.PlanGateway.Plan;
import dev.tidemark.retention.sql.PlanGateway.Preview;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A plan as {@code plan} prints it. The counts have the names that {@code once} gives them
 * afterwards.
 */
record PlanDocument(
    String outcome,
    Instant lookedAt,
    int queues,
    @JsonProperty("segments_deleted") long segmentsDeleted,
    @JsonProperty("txns_purged") long txnsPurged,
    @JsonProperty("max_wait_evicted") long maxWaitEvicted,
    @JsonProperty("partitions_deleted") long partitionsDeleted,
    @JsonProperty("metrics_purged") long metricsPurged,
    List<CycleDocument.Cutoffs> cutoffs,
    List<Total> totals,
    List<Preview> partitions,
    List<Held> held,
    List<EmptyPartition> empty,
    List<OldRows> metrics) {
  private static final String HELD = "held";

  /** The sidecar: its {@code segments} are sidecar rows. */
  static final String SIDECAR = "txns_purge";

  /** What one rule takes from one queue. */
  record Total(String queue, String rule, long partitions, long segments, long messages) {
    Total plus(Preview p) {
      return new Total(
          queue, rule, partitions + 1, segments + p.segments(), messages + p.messages());
    }
  }

  /** A partition in which something is past rule 2's window and no rule takes it. */
  record Held(String queue, String partition, String reason) {}

  static PlanDocument of(Plan plan) {
    List<Preview> goes = new ArrayList<>();
    List<Held> held = new ArrayList<>();
    Map<String, Map<String, Total>> totals = new TreeMap<>();
    for (Preview p : plan.partitions()) {
      if (p.rule().equals(HELD)) {
        held.add(new Held(p.queue(), p.partition(), p.reason()));
      } else {
        goes.add(p);
        totals
            .computeIfAbsent(p.queue(), q -> new TreeMap<>())
            .compute(
                p.rule(),
                (rule, total) ->
                    (total == null ? new Total(p.queue(), rule, 0, 0, 0) : total).plus(p));
      }
    }
    return new PlanDocument(
        "planned",
        plan.lookedAt(),
        plan.rules().size(),
        segments(goes, "retention") + segments(goes, "completed_retention"),
        segments(goes, SIDECAR),
        segments(goes, CycleReport.MAX_WAIT),
        plan.empty().size(),
        plan.oldRows().stream().mapToLong(OldRows::rows).sum(),
        plan.rules().stream().map(CycleDocument.Cutoffs::of).toList(),
        totals.values().stream().flatMap(byRule -> byRule.values().stream()).toList(),
        goes,
        held,
        plan.empty(),
        plan.oldRows());
  }

  /** What a rule takes from a queue, partition by partition, the largest first. */
  List<Preview> of(Total total) {
    return partitions.stream()
        .filter(p -> p.queue().equals(total.queue()) && p.rule().equals(total.rule()))
        .sorted(Comparator.comparingLong(Preview::segments).reversed())
        .toList();
  }

  private static long segments(List<Preview> goes, String rule) {
    return goes.stream().filter(p -> p.rule().equals(rule)).mapToLong(Preview::segments).sum();
  }
}

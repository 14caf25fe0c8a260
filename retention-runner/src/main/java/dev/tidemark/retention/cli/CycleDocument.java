package dev.tidemark.retention.cli;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tidemark.retention.core.cycle.CycleReport;
import dev.tidemark.retention.core.plan.QueueRule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cycle as {@code once} prints it: the counts of the log line, the cutoffs used, and what went by
 * which rule.
 */
record CycleDocument(
    String outcome,
    Instant listedAt,
    int queues,
    long due,
    @JsonProperty("backed_off") long backedOff,
    @JsonProperty("segments_deleted") long segmentsDeleted,
    @JsonProperty("txns_purged") long txnsPurged,
    @JsonProperty("max_wait_evicted") long maxWaitEvicted,
    @JsonProperty("partitions_deleted") long partitionsDeleted,
    long failed,
    long left,
    @JsonProperty("metrics_purged") long metricsPurged,
    @JsonProperty("metrics_error") String metricsError,
    @JsonProperty("history_rolled_up") long historyRolledUp,
    @JsonProperty("history_error") String historyError,
    @JsonProperty("scan_unfinished") boolean scanUnfinished,
    @JsonProperty("elapsed_ms") long elapsedMs,
    List<Cutoffs> cutoffs,
    List<Went> deleted) {

  /** {@code null} = that rule is off. */
  record Cutoffs(
      String queue,
      @Nullable Instant all,
      @Nullable Instant completed,
      Instant txns,
      @Nullable Instant maxWait) {
    static Cutoffs of(QueueRule rule) {
      return new Cutoffs(
          rule.queueName(),
          rule.allCutoff(),
          rule.completedCutoff(),
          rule.txnsCutoff(),
          rule.maxWaitCutoff());
    }
  }

  record Went(String queue, String rule, long segments, long messages) {}

  record Busy(String outcome) {}

  static CycleDocument of(CycleReport report) {
    List<Went> went = new ArrayList<>();
    report
        .byQueue()
        .forEach(
            (queue, rules) ->
                rules.forEach(
                    (rule, d) -> went.add(new Went(queue, rule, d.segments(), d.messages()))));
    return new CycleDocument(
        "swept",
        report.listedAt(),
        report.rules().size(),
        report.visits().due(),
        report.visits().backedOff(),
        report.segmentsDeleted(),
        report.txnsPurged(),
        report.maxWaitEvicted(),
        report.partitionsDeleted(),
        report.visits().failed(),
        report.visits().left(),
        report.metrics().rows(),
        report.metrics().error(),
        report.rollUp().rows(),
        report.rollUp().error(),
        report.scanUnfinished(),
        report.elapsed().toMillis(),
        report.rules().stream().map(Cutoffs::of).toList(),
        went);
  }

  void print(Output output) {
    output.line(
        "swept "
            + queues
            + " queues in "
            + elapsedMs
            + " ms: "
            + segmentsDeleted
            + " segments deleted, "
            + maxWaitEvicted
            + " evicted, "
            + txnsPurged
            + " sidecar rows purged, "
            + partitionsDeleted
            + " empty partitions deleted");
    output.line(
        "due "
            + due
            + ", backed off "
            + backedOff
            + ", left "
            + left
            + ", failed "
            + failed
            + ", metrics purged "
            + metricsPurged
            + ", history rolled up "
            + historyRolledUp);
    if (!metricsError.isEmpty()) {
      output.line("the metrics purge failed: " + metricsError);
    }
    if (!historyError.isEmpty()) {
      output.line("the roll-up of the history failed: " + historyError);
    }
    if (scanUnfinished) {
      output.line(
          "cursors hold more partitions than one cycle probes, and there may be more behind them:"
              + " run goes on there, another once begins anew");
    }
    if (!cutoffs.isEmpty()) {
      output.line("");
      List<List<String>> rows = new ArrayList<>();
      rows.add(
          List.of(
              "queue",
              "older than",
              "consumed and older than",
              "hashes older than",
              "waited since before"));
      cutoffs.forEach(
          c ->
              rows.add(
                  List.of(
                      c.queue(),
                      shown(c.all()),
                      shown(c.completed()),
                      shown(c.txns()),
                      shown(c.maxWait()))));
      output.table(rows);
    }
    if (!deleted.isEmpty()) {
      output.line("");
      List<List<String>> rows = new ArrayList<>();
      rows.add(List.of("queue", "rule", "segments", "messages"));
      deleted.forEach(
          d ->
              rows.add(
                  List.of(
                      d.queue(),
                      d.rule(),
                      String.valueOf(d.segments()),
                      String.valueOf(d.messages()))));
      output.table(rows);
    }
  }

  private static String shown(@Nullable Instant cutoff) {
    return cutoff == null ? "off" : cutoff.toString();
  }
}

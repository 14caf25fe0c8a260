package dev.tidemark.retention.it.mutant;

import java.util.List;

/** Faults in what a queue's options mean and in what a cycle finds due. */
final class PolicyMutants {
  private static final String RULES = "log_cutoffs_v1";
  private static final String LIST_OF_WORK = "log_work_list_v1";
  private static final String HEADS = "log_heads_can_go_v1";
  private static final String CONFIGURE = "configure_queue_v1";
  private static final String METRICS = "cleanup_worker_metrics_v1";

  static final List<Mutant> LIST =
      List.of(
          Mutant.of("a queue with retention off is swept", RULES)
              .edit(
                  "when p_queue.retention_enabled and p_queue.retention_seconds > 0",
                  "when p_queue.retention_seconds > 0")
              .noticedBy("PolicyLaws.aQueueWithRetentionOffKeepsAll"),
          Mutant.of("a window of 0 means now by age", RULES)
              .edit(
                  "when p_queue.retention_enabled and p_queue.retention_seconds > 0",
                  "when p_queue.retention_enabled")
              .noticedBy("PolicyLaws"),
          Mutant.of("a window of 0 means now by consumption", RULES)
              .edit(
                  "when p_queue.retention_enabled and p_queue.completed_retention_seconds > 0",
                  "when p_queue.retention_enabled")
              .noticedBy("PolicyLaws"),
          Mutant.of("a window of 0 means now by waiting", RULES)
              .edit("case when p_queue.max_wait_time_seconds > 0\n", "case when true\n")
              .noticedBy("PolicyLaws"),
          Mutant.of("hashes go before the data that rule 2 still keeps", RULES)
              .edit(
                  "greatest(p_queue.dedup_window_seconds, p_queue.completed_retention_seconds, 900)",
                  "greatest(p_queue.dedup_window_seconds, 900)")
              .noticedBy("PolicyLaws.hashesStayAsLongAsRuleTwoMayKeepTheirSegments"),
          Mutant.of("hashes may go at once", RULES)
              .edit(
                  "p_queue.completed_retention_seconds, 900)",
                  "p_queue.completed_retention_seconds)")
              .noticedBy("PolicyLaws"),
          Mutant.of("max wait is off where retention is", RULES)
              .edit(
                  "when p_queue.max_wait_time_seconds > 0",
                  "when p_queue.retention_enabled and p_queue.max_wait_time_seconds > 0")
              .noticedBy("PolicyLaws.maxWaitHoldsAlsoWhereRetentionIsOff"),
          Mutant.of("max wait is never due", LIST_OF_WORK)
              .edit("p.oldest_live_at < r.max_wait_cutoff", "p.oldest_live_at < null")
              .noticedBy("PolicyLaws.maxWaitHoldsAlsoWhereRetentionIsOff"),
          Mutant.of("the sidecar is due with the log", LIST_OF_WORK)
              .edit("p.oldest_txn_at < r.txns_cutoff", "p.oldest_txn_at < r.all_cutoff")
              .noticedBy("PolicyLaws.hashesGoByTheirOwnWindowAlsoWhereTheLogKeepsForEver"),
          Mutant.of("a head that every group has just committed may not go", HEADS)
              .edit("slowest.committed >= head.end_offset", "slowest.committed > head.end_offset")
              .noticedBy("PolicyLaws.aHeadThatEveryGroupHasJustCommittedGoes"),
          Mutant.of("an absent option is set to its default", CONFIGURE)
              .edit("case when p_options ->> 'mode' = 'replace' then", "case when true then")
              .noticedBy("PolicyLaws.anOptionThatIsNotNamedIsKept"),
          Mutant.of("samples exactly as old as the cutoff go", METRICS)
              .edit("where o.%2$I < $1 order by", "where o.%2$I <= $1 order by")
              .edit("and m.%2$I < $1'", "and m.%2$I <= $1'")
              .noticedBy("PolicyLaws"));

  private PolicyMutants() {}
}

package dev.tidemark.retention.it.mutant;

import java.util.List;

/** Faults in the cleanup of empty partitions and in the watermark walk. */
final class CleanupMutants {
  private static final String SILENT = "log_silent_partitions_v1";
  private static final String DEAD = "log_dead_partitions_v1";
  private static final String CLEANUP = "log_partition_cleanup_step_v1";
  private static final String PAGE = "log_dead_page_v1";
  private static final String WALK = "log_watermark_walk_step_v1";

  static final List<Mutant> LIST =
      List.of(
          Mutant.of("a recent write is no veto", SILENT)
              .edit("p.last_write_at < p_cutoff\n       and p.created_at", "p.created_at")
              .noticedBy("HistoryLaws.aSilentPartitionGoesUnlessSomethingKeepsIt"),
          Mutant.of("a new partition is none either", SILENT)
              .edit("       and p.created_at < p_cutoff\n", "")
              .noticedBy("HistoryLaws.aSilentPartitionGoesUnlessSomethingKeepsIt"),
          Mutant.of("a dead letter is no veto", SILENT)
              .edit(
                  "       and not exists (select 1 from queen.log_dlq d where d.partition_id = p.id offset 0)\n",
                  "")
              .noticedBy("HistoryLaws.aSilentPartitionGoesUnlessSomethingKeepsIt"),
          Mutant.of("streams state is no veto", SILENT)
              .edit(
                  "       and not exists (select 1 from queen_streams.state t where t.partition_id = p.id offset 0)\n",
                  "")
              .noticedBy("HistoryLaws.aSilentPartitionGoesUnlessSomethingKeepsIt"),
          Mutant.of("a live lease is no veto", SILENT)
              .edit(
                  "(c.lease_expires_at >= p_cutoff\n                   or c.lease_acquired_at >= p_cutoff\n                   or ",
                  "(")
              .noticedBy("HistoryLaws.aSilentPartitionGoesUnlessSomethingKeepsIt"),
          Mutant.of("a group that just joined is no veto", SILENT)
              .edit("                   or c.created_at >= p_cutoff\n", "")
              .noticedBy("HistoryLaws.aSilentPartitionGoesUnlessSomethingKeepsIt"),
          Mutant.of("a lease without an end is no veto", SILENT)
              .edit(
                  "\n                   or (c.batch_end is not null and c.lease_expires_at is null)",
                  "")
              .noticedBy("HistoryLaws.aSilentPartitionGoesUnlessSomethingKeepsIt"),
          Mutant.of("a segment that the watermark does not know is no veto", DEAD)
              .edit(
                  "\n       and not exists (select 1 from queen.log_segments s where s.partition_id = p.id and s.base_offset >= p.log_start offset 0)",
                  "")
              .noticedBy("RestoreLaws"),
          Mutant.of("what was a candidate is not looked at again under the lock", CLEANUP)
              .edit(
                  """
                          execute 'select array_agg(d.id) from queen.log_dead_partitions_v1(p_cutoff => $1) d where d.id = any ($2)'
                             into v_dead
                            using p_cutoff, v_free;
                  """,
                  "v_dead := v_free;")
              .noticedBy("RecheckLaws.theCleanupLeavesWhatCameToLifeBetweenItsScanAndItsLocks"),
          Mutant.of("it waits for partitions that somebody holds", CLEANUP)
              .edit(
                  "where p.id = any (v_page.ids)\n                 order by p.id\n                   for update skip locked) l;",
                  "where p.id = any (v_page.ids)\n                 order by p.id\n                   for update) l;")
              .noticedBy("RecheckLaws.theCleanupSkipsWhatOthersHoldAndWaitsForNobody"),
          Mutant.of("it waits for cursors that somebody holds", CLEANUP)
              .edit(
                  "order by c.partition_id, c.consumer_group\n                   for update skip locked) h;",
                  "order by c.partition_id, c.consumer_group\n                   for update) h;")
              .noticedBy("RecheckLaws.theCleanupSkipsWhatOthersHoldAndWaitsForNobody"),
          Mutant.of("the hashes of a partition stay behind", CLEANUP)
              .edit(
                  "        delete from queen.log_txns t where t.partition_id = any (v_dead);\n", "")
              .noticedBy("HistoryLaws.aSilentPartitionGoesUnlessSomethingKeepsIt"),
          Mutant.of("no history of a deleted partition", CLEANUP)
              .edit(
                  "         where p.id = any (v_dead);\n        delete",
                  "         where false;\n        delete")
              .noticedBy("HistoryLaws.aSilentPartitionGoesUnlessSomethingKeepsIt"),
          Mutant.of("the first batch says done", CLEANUP)
              .edit("'done', v_last_id is null", "'done', true")
              .noticedBy("HistoryLaws.aSilentPartitionGoesUnlessSomethingKeepsIt"),
          Mutant.of("every part begins at the head", CLEANUP)
              .edit("v_last_id uuid        := p_after_id", "v_last_id uuid        := null")
              .edit("v_last_at timestamptz := p_after_at", "v_last_at timestamptz := null")
              .noticedBy("CleanupLaws"),
          Mutant.of("the bound on what is looked at is ignored", CLEANUP)
              .edit("p_max_read => p_max_read)", "p_max_read => null)")
              .noticedBy("CleanupLaws"),
          Mutant.of("a look without a bound has one", CLEANUP)
              .edit("p_max_read => p_max_read)", "p_max_read => coalesce(p_max_read, 10))")
              .noticedBy("CleanupLaws"),
          Mutant.of("a batch that others hold ends it, too", CLEANUP)
              .edit(
                  "exit when v_dead is not null or v_last_id is null or p_max_read is not null;",
                  "exit;")
              .noticedBy("CleanupLaws"),
          Mutant.of("what a full batch left of its page is passed over", PAGE)
              .edit("if cardinality(ids) = p_max_rows then", "if false then")
              .noticedBy("CleanupLaws"),
          Mutant.of("what fell silent in the same moment is passed over", PAGE)
              .edit(
                  "where (d.last_write_at, d.id) > ($2, $3)",
                  "where d.last_write_at > $2 and $3 is not null")
              .noticedBy("CleanupLaws"),
          Mutant.of("the last one looked at is passed over", PAGE)
              .edit("(d.last_write_at, d.id) <= ($4, $5)", "(d.last_write_at, d.id) < ($4, $5)")
              .noticedBy("CleanupLaws"),
          Mutant.of("the walk writes what it read before the lock", WALK)
              .edit(
                  "    v_locked   uuid[];",
                  "    v_locked   uuid[];\n    v_live timestamptz[];\n    v_txn timestamptz[];")
              .edit(
                  "select array_agg(w.id) into v_drifted",
                  "select array_agg(w.id), array_agg(w.live_at), array_agg(w.txn_at) into v_drifted, v_live, v_txn")
              .edit(
                  "from queen.log_watermark_truth_v1(p_ids => v_locked) w\n         where p.id = w.id and w.drifted;",
                  "from unnest(v_drifted, v_live, v_txn) w(id, live_at, txn_at)\n         where p.id = w.id and p.id = any (v_locked);")
              .noticedBy("RecheckLaws.theWalkMendsByWhatItReadsUnderTheLock"),
          Mutant.of("the walk waits for partitions that somebody holds", WALK)
              .edit("for update skip locked) l;", "for update) l;")
              .noticedBy("RecheckLaws.theWalkPassesWhatOthersHoldAndWaitsForNobody"),
          Mutant.of("the walk repairs only the log", WALK)
              .edit(",\n               oldest_txn_at = w.txn_at", "")
              .noticedBy("HistoryLaws.aWalkMendsWatermarksThatAreWrong"),
          Mutant.of("the walk begins again after a full page", WALK)
              .edit("coalesce(v_page[v_read], p_after)", "p_after")
              .noticedBy("HistoryLaws.aWalkMendsWatermarksThatAreWrong"));

  private CleanupMutants() {}
}

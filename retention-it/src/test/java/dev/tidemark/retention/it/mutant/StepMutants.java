package dev.tidemark.retention.it.mutant;

import java.util.List;

/** Faults in the steps that delete segments and sidecar rows, and in what every step asks first. */
final class StepMutants {
  private static final String STEP = "log_retention_step_v1";
  private static final String BOUNDARY = "log_retention_boundary_windowed_v1";
  private static final String EVICT = "log_evict_max_wait_step_v1";
  private static final String PURGE = "log_txns_purge_step_v1";
  private static final String CONTEXT = "require_step_context_v1";

  /** What a rule takes: where the walk looks for the first that stays, and where it is deleted. */
  private static final String GOES =
      "(s.created_at < p_all_cutoff or s.created_at < p_completed_cutoff and s.end_offset < v_cap)";

  static final List<Mutant> LIST =
      List.of(
          Mutant.of("rule 2 goes one message past the slowest cursor", STEP)
              .edit("min(c.committed) + 1 into v_cap", "min(c.committed) + 2 into v_cap")
              .noticedBy("ConsumptionLaws"),
          Mutant.of("rule 2 follows the fastest cursor", STEP)
              .edit("min(c.committed) + 1 into v_cap", "max(c.committed) + 1 into v_cap")
              .noticedBy("ConsumptionLaws"),
          Mutant.of("rule 2 takes all of a partition without a cursor", STEP)
              .edit(
                  "min(c.committed) + 1 into v_cap",
                  "coalesce(min(c.committed), 9223372036854775806) + 1 into v_cap")
              .noticedBy("ConsumptionLaws"),
          Mutant.of("rule 2 does not stop at the cursor", STEP)
              .edit(
                  GOES + " is not true",
                  GOES.replace(" and s.end_offset < v_cap", "") + " is not true")
              .edit(GOES + ";", GOES.replace(" and s.end_offset < v_cap", "") + ";")
              .noticedBy("ConsumptionLaws"),
          Mutant.of("the cursors are read by the statement that locks", STEP)
              .edit(
                  "p.last_offset + 1 into v_queue_id, v_log_start, v_next",
                  "p.last_offset + 1,"
                      + " (select min(c.committed) + 1 from queen.log_consumers c where c.partition_id = p_pid)"
                      + " into v_queue_id, v_log_start, v_next, v_cap")
              .edit(
                  "select min(c.committed) + 1 into v_cap from queen.log_consumers c where c.partition_id = p_pid;",
                  "")
              .noticedBy("RecheckLaws.nothingGoesThatAGroupWantsAgainWhoseSeekBackAStepWaitedFor"),
          Mutant.of("the cursors are locked", STEP)
              .edit(
                  "select min(c.committed) + 1 into v_cap",
                  "perform from queen.log_consumers c where c.partition_id = p_pid for key share;\n"
                      + "        select min(c.committed) + 1 into v_cap")
              .noticedBy("LockLaws.aStepHoldsItsPartitionForUpdateAndNothingElse"),
          Mutant.of("the batch horizon is read by the statement that locks", STEP)
              .edit(
                  "p.last_offset + 1 into v_queue_id, v_log_start, v_next",
                  "p.last_offset + 1, (select array_agg(e.base_offset order by e.base_offset)"
                      + " from (select s.base_offset from queen.log_segments s"
                      + " where s.partition_id = p_pid and s.base_offset >= p.log_start"
                      + " order by s.base_offset offset p_max_rows - 1 limit 2) e)"
                      + " into v_queue_id, v_log_start, v_next, v_edge")
              .edit(
                  """
                      select array_agg(e.base_offset order by e.base_offset) into v_edge
                        from (select s.base_offset
                                from queen.log_segments s
                               where s.partition_id = p_pid and s.base_offset >= v_log_start
                               order by s.base_offset
                              offset p_max_rows - 1
                               limit 2) e;
                  """,
                  "")
              .noticedBy("RecheckLaws.aStepThatWaitedForAPushStillDeletesNoMoreThanABatch"),
          Mutant.of("the partition is not locked", STEP)
              .edit("     where p.id = p_pid\n       for update;", "     where p.id = p_pid;")
              .noticedBy("LockLaws.aStepHoldsItsPartitionForUpdateAndNothingElse"),
          Mutant.of("the lock lets a joining group pass", STEP)
              .edit(
                  "     where p.id = p_pid\n       for update;",
                  "     where p.id = p_pid\n       for no key update;")
              .noticedBy("LockLaws.aStepHoldsItsPartitionForUpdateAndNothingElse"),
          Mutant.of("the batch is one segment larger than asked", STEP)
              .edit("offset p_max_rows - 1\n", "offset p_max_rows\n")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("the segment that the cap falls into goes too", STEP)
              .edit(
                  GOES + " is not true",
                  GOES.replace("s.end_offset < v_cap", "s.base_offset < v_cap") + " is not true")
              .edit(GOES + ";", GOES.replace("s.end_offset < v_cap", "s.base_offset < v_cap") + ";")
              .noticedBy("ConsumptionLaws"),
          Mutant.of("log_start moves to the boundary, past what is live", STEP)
              .edit("greatest(p.log_start, v_next)", "greatest(p.log_start, v_next, v_cap)")
              .noticedBy("ConsumptionLaws"),
          Mutant.of("log_start stays", STEP)
              .edit("greatest(p.log_start, v_next)", "p.log_start")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("the watermark is not rewritten", STEP)
              .edit(
                  """
                  ,
                                 oldest_live_at = (select s.created_at
                                                     from queen.log_segments s
                                                    where s.partition_id = p_pid and s.base_offset >= v_next
                                                    order by s.base_offset
                                                    limit 1)
                  """,
                  "\n")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("a full batch says done", STEP)
              .edit("(v_next = v_edge[2]) is not true", "true")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("the last batch does not say done", STEP)
              .edit("(v_next = v_edge[2]) is not true", "false")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("the history counts segments as messages", STEP)
              .edit(
                  "values (p_pid, v_queue_id, v_next - v_log_start, v_segments",
                  "values (p_pid, v_queue_id, v_segments, v_segments")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("no history row", STEP)
              .edit(
                  "values (p_pid, v_queue_id, v_next - v_log_start, v_segments, v_type);",
                  "select p_pid, v_queue_id, v_next - v_log_start, v_segments, v_type where false;")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("a tie of the two rules is called consumption", STEP)
              .edit("is not true or v_kept_at <", "is not true or v_kept is null or v_kept_at <")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("a cap where the age ends is called consumption", STEP)
              .edit("and v_cap > v_kept then", "and v_cap >= v_kept then")
              .noticedBy("ConsumptionLaws.theRuleThatReachesFurtherIsNamed"),
          Mutant.of("a cap inside the segment that stays is not called consumption", STEP)
              .edit(" or v_kept_at < p_completed_cutoff and v_cap > v_kept then", " then")
              .noticedBy("ConsumptionLaws.theRuleThatReachesFurtherIsNamed"),
          Mutant.of("what rule 1 keeps and rule 2 takes is not called consumption", STEP)
              .edit("(v_newest < p_all_cutoff) is not true or ", "")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("a cap past what both rules keep is called consumption", STEP)
              .edit("v_kept_at < p_completed_cutoff and v_cap > v_kept", "v_cap > v_kept")
              .noticedBy("ConsumptionLaws.theRuleThatReachesFurtherIsNamed"),
          Mutant.of("what is exactly as old as rule 1's cutoff goes", STEP)
              .edit(
                  GOES + " is not true",
                  GOES.replace("< p_all_cutoff", "<= p_all_cutoff") + " is not true")
              .edit(GOES + ";", GOES.replace("< p_all_cutoff", "<= p_all_cutoff") + ";")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("what is exactly as old as rule 2's cutoff goes", STEP)
              .edit(
                  GOES + " is not true",
                  GOES.replace("< p_completed", "<= p_completed") + " is not true")
              .edit(GOES + ";", GOES.replace("< p_completed", "<= p_completed") + ";")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("no cutoff means all", STEP)
              .edit("s.end_offset < v_cap) is not true", "s.end_offset < v_cap) is false")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("the last segment vouches for a log out of order", STEP)
              .edit("\n       and " + GOES + ";", ";")
              .noticedBy("RestoreLaws.aBatchOutOfOrderIsRefusedWhole"),
          Mutant.of("of a log out of order a part goes", STEP)
              .edit("v_segments <> p_max_rows then", "false then")
              .noticedBy("RestoreLaws.aBatchOutOfOrderIsRefusedWhole"),
          Mutant.of("the last hash row vouches for a sidecar out of order", PURGE)
              .edit("\n       and t.created_at < p_cutoff;", ";")
              .noticedBy("RestoreLaws.aBatchOutOfOrderIsRefusedWhole"),
          Mutant.of("of a sidecar out of order a part goes", PURGE)
              .edit("v_deleted <> p_max_rows then", "false then")
              .noticedBy("RestoreLaws.aBatchOutOfOrderIsRefusedWhole"),
          Mutant.of("where all goes, the last segment stays", STEP)
              .edit("p.last_offset + 1 into", "p.last_offset into")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("a batch that goes whole has no end", STEP)
              .edit(
                  "v_next := coalesce(v_kept, v_edge[2], v_next);",
                  "v_next := coalesce(v_kept, v_next);")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("where the last one of a batch stays, only that one does", STEP)
              .edit("exit when v_kept is null or v_from = v_log_start;", "exit;")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("the look at the last one of a batch finds nothing", STEP)
              .edit(
                  "v_from := coalesce(v_edge[1], v_log_start);",
                  "v_from := coalesce(v_edge[2], v_log_start);")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("the walk passes the last one of a batch by", STEP)
              .edit("s.base_offset <= coalesce(v_edge[1],", "s.base_offset < coalesce(v_edge[1],")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("the wait for the lock counts as holding it", STEP)
              .edit("v_locked_at := clock_timestamp();", "v_locked_at := now();")
              .noticedBy("DrainLockLaws.aBatchIsMeasuredFromTheGrantOfItsLock"),
          Mutant.of("what is exactly as old as the cutoff goes", BOUNDARY)
              .edit("and s.created_at >= p_cutoff", "and s.created_at > p_cutoff")
              .noticedBy("BoundaryLaws"),
          Mutant.of("no cutoff means all", BOUNDARY)
              .edit("        return p_from;", "        p_cutoff := 'infinity';")
              .noticedBy("BoundaryLaws"),
          Mutant.of("a walk without anything fresh ends before the last segment", BOUNDARY)
              .edit(
                  "select s.end_offset + 1 into v_boundary", "select s.base_offset into v_boundary")
              .noticedBy("BoundaryLaws"),
          Mutant.of("eviction waits for the cursors", EVICT)
              .edit("p_all_cutoff => p_cutoff", "p_all_cutoff => null")
              .edit("p_completed_cutoff => null", "p_completed_cutoff => p_cutoff")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("eviction is not called so in the history", EVICT)
              .edit("p_history_type => 'max_wait_time_eviction'", "p_history_type => null")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("hashes exactly as old as the cutoff go", PURGE)
              .edit(
                  "(t.created_at < p_cutoff) is not true", "(t.created_at <= p_cutoff) is not true")
              .edit("and t.created_at < p_cutoff;", "and t.created_at <= p_cutoff;")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("no cutoff purges all hashes", PURGE)
              .edit("(t.created_at < p_cutoff) is not true", "(t.created_at < p_cutoff) is false")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("txns_start stays", PURGE)
              .edit("greatest(p.txns_start, v_next)", "p.txns_start")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("the sidecar's watermark is not rewritten", PURGE)
              .edit(
                  """
                  ,
                             oldest_txn_at = (select t.created_at
                                                from queen.log_txns t
                                               where t.partition_id = p_pid and t.base_offset >= v_next
                                               order by t.base_offset
                                               limit 1)
                  """,
                  "\n")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("the purge does not lock the partition", PURGE)
              .edit("     where p.id = p_pid\n       for update;", "     where p.id = p_pid;")
              .noticedBy("LockLaws.aStepHoldsItsPartitionForUpdateAndNothingElse"),
          Mutant.of("a full batch of hashes says done", PURGE)
              .edit("(v_next = v_edge[2]) is not true", "true")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("the last batch of hashes does not say done", PURGE)
              .edit("(v_next = v_edge[2]) is not true", "false")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("the batch is one row larger than asked", PURGE)
              .edit("offset p_max_rows - 1\n", "offset p_max_rows\n")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("where all hashes go, the last row stays", PURGE)
              .edit("p.last_offset + 1 into", "p.last_offset into")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("a batch of hashes that goes whole has no end", PURGE)
              .edit(
                  "v_next := coalesce(v_kept, v_edge[2], v_next);",
                  "v_next := coalesce(v_kept, v_next);")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("where the last row of a batch stays, only that one does", PURGE)
              .edit("exit when v_kept is null or v_from = v_txns_start;", "exit;")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("the look at the last row of a batch finds nothing", PURGE)
              .edit(
                  "v_from := coalesce(v_edge[1], v_txns_start);",
                  "v_from := coalesce(v_edge[2], v_txns_start);")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("the wait for the lock counts as holding it", PURGE)
              .edit("v_locked_at := clock_timestamp();", "v_locked_at := now();")
              .noticedBy("DrainLockLaws.aBatchIsMeasuredFromTheGrantOfItsLock"),
          Mutant.of("any isolation level will do", CONTEXT)
              .edit(
                  "if current_setting('transaction_isolation') <> 'read committed' then",
                  "if false then")
              .noticedBy("SessionLaws.anIsolationLevelWhoseSnapshotIsOlderThanTheLockIsRefused"),
          Mutant.of("a session without foreign keys will do", CONTEXT)
              .edit(
                  "if current_setting('session_replication_role') = 'replica' then",
                  "if false then")
              .noticedBy("SessionLaws.aSessionWithoutForeignKeysIsRefused"),
          Mutant.of("no batch size is any batch size", CONTEXT)
              .edit("if (p_max_rows >= 1) is not true then", "if p_max_rows < 1 then")
              .noticedBy("RefusalLaws"));

  private StepMutants() {}
}

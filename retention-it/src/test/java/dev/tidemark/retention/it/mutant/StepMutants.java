package dev.tidemark.retention.it.mutant;

import java.util.List;

/** Faults in the steps that delete segments and sidecar rows, and in what every step asks first. */
final class StepMutants {
  private static final String STEP = "log_retention_step_v1";
  private static final String BOUNDARY = "log_retention_boundary_windowed_v1";
  private static final String EVICT = "log_evict_max_wait_step_v1";
  private static final String PURGE = "log_txns_purge_step_v1";
  private static final String CONTEXT = "require_step_context_v1";

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
              .edit("v_completed := least(v_cap, ", "v_completed := greatest(v_cap, ")
              .noticedBy("ConsumptionLaws"),
          Mutant.of("the cursors are read by the statement that locks", STEP)
              .edit(
                  "select p.queue_id, p.log_start into v_queue_id, v_log_start",
                  "select p.queue_id, p.log_start,"
                      + " (select min(c.committed) + 1 from queen.log_consumers c where c.partition_id = p_pid)"
                      + " into v_queue_id, v_log_start, v_cap")
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
                  "select p.queue_id, p.log_start into v_queue_id, v_log_start",
                  "select p.queue_id, p.log_start, (select s.base_offset from queen.log_segments s"
                      + " where s.partition_id = p_pid and s.base_offset >= p.log_start"
                      + " order by s.base_offset offset p_max_rows limit 1)"
                      + " into v_queue_id, v_log_start, v_horizon")
              .edit(
                  """
                      select s.base_offset into v_horizon
                        from queen.log_segments s
                       where s.partition_id = p_pid and s.base_offset >= v_log_start
                       order by s.base_offset
                      offset p_max_rows
                       limit 1;
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
              .edit("offset p_max_rows\n", "offset p_max_rows + 1\n")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("the segment that the cap falls into goes too", STEP)
              .edit("       and s.end_offset < v_boundary\n", "")
              .noticedBy("ConsumptionLaws"),
          Mutant.of("log_start moves to the boundary, past what is live", STEP)
              .edit(
                  "select s.base_offset, s.end_offset + 1 into v_last_base",
                  "select s.base_offset, v_boundary into v_last_base")
              .noticedBy("ConsumptionLaws"),
          Mutant.of("log_start stays", STEP)
              .edit("greatest(p.log_start, v_new_log_start)", "p.log_start")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("the watermark is not rewritten", STEP)
              .edit(",\n           oldest_live_at = v_oldest", "")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("a full batch says done", STEP)
              .edit("v_boundary is distinct from v_horizon", "true")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("the last batch does not say done", STEP)
              .edit("v_boundary is distinct from v_horizon", "false")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("the history counts segments as messages", STEP)
              .edit(
                  "values (p_pid, v_queue_id, v_messages, v_segments",
                  "values (p_pid, v_queue_id, v_segments, v_segments")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("no history row", STEP)
              .edit(
                  "values (p_pid, v_queue_id, v_messages, v_segments, v_type);",
                  "select p_pid, v_queue_id, v_messages, v_segments, v_type where false;")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("a tie of the two rules is called consumption", STEP)
              .edit("when v_completed > v_all then", "when v_completed >= v_all then")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("what is exactly as old as the cutoff goes", BOUNDARY)
              .edit("and s.created_at >= p_cutoff", "and s.created_at > p_cutoff")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("no cutoff means all", BOUNDARY)
              .edit("        return p_from;", "        p_cutoff := 'infinity';")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("a walk without anything fresh ends before the last segment", BOUNDARY)
              .edit(
                  "select s.end_offset + 1 into v_boundary", "select s.base_offset into v_boundary")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("eviction waits for the cursors", EVICT)
              .edit("p_all_cutoff => p_cutoff", "p_all_cutoff => null")
              .edit("p_completed_cutoff => null", "p_completed_cutoff => p_cutoff")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("eviction is not called so in the history", EVICT)
              .edit("p_history_type => 'max_wait_time_eviction'", "p_history_type => null")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("hashes exactly as old as the cutoff go", PURGE)
              .edit("and t.created_at >= p_cutoff", "and t.created_at > p_cutoff")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("no cutoff purges all hashes", PURGE)
              .edit("if not found and p_cutoff is not null then", "if v_boundary is null then")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("txns_start stays", PURGE)
              .edit("greatest(p.txns_start, v_boundary)", "p.txns_start")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("the sidecar's watermark is not rewritten", PURGE)
              .edit(",\n           oldest_txn_at = v_oldest", "")
              .noticedBy("HistoryLaws.stepsTakeWhatTheRulesSay"),
          Mutant.of("the purge does not lock the partition", PURGE)
              .edit("where p.id = p_pid for update;", "where p.id = p_pid;")
              .noticedBy("LockLaws.aStepHoldsItsPartitionForUpdateAndNothingElse"),
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

package dev.tidemark.retention.it.mutant;

import java.util.List;

/** Faults in the drains on the server. */
final class DrainMutants {
  private static final String DRAIN = "log_drain_v1";
  private static final String STEP = "log_drain_step_v1";
  private static final String NEXT = "log_next_batch_v1";
  private static final String REQUIRE = "require_drain_v1";
  private static final String RETENTION = "log_retention_drain_v1";
  private static final String EVICT = "log_evict_max_wait_drain_v1";
  private static final String PURGE = "log_txns_purge_drain_v1";

  static final List<Mutant> LIST =
      List.of(
          Mutant.of("what is deferred fails at the commit", STEP)
              .edit("    set constraints all immediate;\n", "")
              .noticedBy("DrainFailureLaws.whatIsDeferredFailsWithItsPartition"),
          Mutant.of("its settings stay with a caller that is a procedure", DRAIN)
              .edit("    commit;\nend", "end")
              .noticedBy("DrainSessionLaws.aProcedureThatCallsItGoesOnWithItsOwnSettings"),
          Mutant.of("whose partitions they are does not matter", REQUIRE)
              .edit(" and p.queue_id is distinct from p_queue_id", " and false")
              .noticedBy("RefusalLaws"),
          Mutant.of("partitions of no queue are drained", REQUIRE)
              .edit("p.queue_id is distinct from p_queue_id", "p.queue_id <> p_queue_id")
              .noticedBy("RefusalLaws"),
          Mutant.of("a claim that was lost does not matter", DRAIN)
              .edit("when v_lease <> 'held' then", "when v_lease = 'paused' then")
              .noticedBy("DrainStopLaws.noStepBeginsOnceItsClaimIsGone"),
          Mutant.of("a pause does not matter", DRAIN)
              .edit("when v_lease <> 'held' then", "when v_lease = 'lost' then")
              .noticedBy("DrainStopLaws.noStepBeginsOnceItsClaimIsGone"),
          Mutant.of("what the queue's rule says does not matter", DRAIN)
              .edit(" when v_rule is not true then 'rule'", "")
              .noticedBy("DrainStopLaws.noStepBeginsOnceItsRuleKeepsMore"),
          Mutant.of("a queue that is gone is none that keeps more", DRAIN)
              .edit("when v_rule is not true then", "when not v_rule then")
              .noticedBy("DrainStopLaws.noStepBeginsOnceItsQueueIsGone"),
          Mutant.of("rule 1 is not looked at", DRAIN)
              .edit("(p_all_cutoff is null or p_all_cutoff <= c.all_cutoff)", "true")
              .noticedBy("DrainStopLaws.noStepBeginsOnceItsRuleKeepsMore"),
          Mutant.of("rule 2 is not looked at", DRAIN)
              .edit(
                  "and (p_completed_cutoff is null or p_completed_cutoff <= c.completed_cutoff)",
                  "")
              .noticedBy("DrainStopLaws.noStepBeginsOnceItsRuleKeepsMore"),
          Mutant.of("rule 1 has to be on for rule 2", DRAIN)
              .edit("p_all_cutoff is null or ", "")
              .noticedBy("DrainStopLaws.whatAnotherRuleKeepsDoesNotMatter"),
          Mutant.of("rule 2 has to be on for rule 1", DRAIN)
              .edit("p_completed_cutoff is null or ", "")
              .noticedBy("DrainStopLaws.whatAnotherRuleKeepsDoesNotMatter"),
          Mutant.of("max wait is not looked at", DRAIN)
              .edit("then p_all_cutoff <= c.max_wait_cutoff", "then true")
              .noticedBy("DrainStopLaws.noStepBeginsOnceItsRuleKeepsMore"),
          Mutant.of("the window of the hashes is not looked at", DRAIN)
              .edit("then p_all_cutoff <= c.txns_cutoff", "then true")
              .noticedBy("DrainStopLaws.noStepBeginsOnceItsRuleKeepsMore"),
          Mutant.of("its time has no end", DRAIN)
              .edit("elsif clock_timestamp() >= v_until then", "elsif false then")
              .noticedBy("DrainStopLaws.noStepBeginsOnceTheTimeIsOver"),
          Mutant.of("the statement timeout is none of its business", DRAIN)
              .edit("0.7 * nullif(current_setting('statement_timeout')::interval, '0')", "null")
              .noticedBy("DrainStopLaws.noStepBeginsOnceMostOfTheStatementTimeoutIsOver"),
          Mutant.of("no statement timeout is no time", DRAIN)
              .edit(
                  "nullif(current_setting('statement_timeout')::interval, '0')",
                  "current_setting('statement_timeout')::interval")
              .noticedBy("DrainCallLaws.eachStepIsATransactionOfItsOwnInTheOrderAskedFor"),
          Mutant.of("a partition gets all its batches at once", DRAIN)
              .edit("if v_rows is null or v_batch = p_batches then", "if v_rows is null then")
              .noticedBy("DrainCallLaws.aPartitionGetsSoManyFullBatchesAndThenTheNextOneIsServed"),
          Mutant.of("the batches of all partitions are counted together", DRAIN)
              .edit("            v_batch := 0;\n", "")
              .noticedBy("DrainCallLaws.aPartitionGetsSoManyFullBatchesAndThenTheNextOneIsServed"),
          Mutant.of("a partition begins with the batch of the one before", DRAIN)
              .edit("            v_rows := null;\n", "")
              .noticedBy("DrainCallLaws.aPartitionBeginsWithItsOwnRowsButWithNoMoreThanTheMost"),
          Mutant.of("a step that fails ends the call", DRAIN)
              .edit(
                  "        if v_rows is null or v_batch",
                  "        exit when v_step ->> 'sqlstate' is not null;\n"
                      + "        if v_rows is null or v_batch")
              .noticedBy("DrainFailureLaws.aPartitionThatFailsIsToldAndTheOthersAreServed"),
          Mutant.of("a partition that fails is not told", DRAIN)
              .edit(
                  "        v_steps := v_steps ||",
                  "        if v_step ->> 'sqlstate' is null then v_steps := v_steps ||")
              .edit("'next_rows', v_rows));\n", "'next_rows', v_rows)); end if;\n")
              .noticedBy("DrainFailureLaws.aPartitionThatFailsIsToldAndTheOthersAreServed"),
          Mutant.of("a partition that fails is tried again", DRAIN)
              .edit(
                  "when v_step -> 'done' = 'false' then",
                  "when v_step -> 'done' is distinct from 'true' then")
              .noticedBy("DrainFailureLaws.aPartitionThatFailsIsNotTriedAgainInItsCall"),
          Mutant.of("the isolation level is the session's", DRAIN)
              .edit("        set transaction isolation level read committed;\n", "")
              .noticedBy("DrainSessionLaws.everyStepReadsCommittedWhateverTheSessionsDefault"),
          Mutant.of("the path is the session's", DRAIN)
              .edit(
                  "pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true),\n                ",
                  "")
              .noticedBy("DrainSessionLaws.aHostileSessionGetsTheAnswersOfAPlainOne"),
          Mutant.of("a lock is waited for as long as the session does", DRAIN)
              .edit(
                  "\n                pg_catalog.set_config('lock_timeout', p_lock_timeout_ms::pg_catalog.text, true),",
                  "")
              .noticedBy("DrainSessionLaws.insideEachStepTheSettingsAreAsAskedFor"),
          Mutant.of("each step is flushed as the session has it", DRAIN)
              .edit(
                  ",\n                pg_catalog.set_config('synchronous_commit', p_synchronous_commit, true);",
                  ";")
              .noticedBy("DrainSessionLaws.insideEachStepTheSettingsAreAsAskedFor"),
          Mutant.of("the session keeps how long a lock is waited for", DRAIN)
              .edit(
                  "p_lock_timeout_ms::pg_catalog.text, true)",
                  "p_lock_timeout_ms::pg_catalog.text, false)")
              .noticedBy("DrainSessionLaws.afterTheCallTheSessionIsAsItWas"),
          Mutant.of("the session keeps the path", DRAIN)
              .edit("'pg_catalog, pg_temp', true)", "'pg_catalog, pg_temp', false)")
              .noticedBy("DrainSessionLaws.afterTheCallTheSessionIsAsItWas"),
          Mutant.of("the next batch is always the most", DRAIN)
              .edit(
                  """
                  then queen.log_next_batch_v1(
                              p_rows => v_rows, p_held_ms => (v_step ->> 'held_ms')::numeric, p_hold_ms => p_hold_ms, p_max_rows => p_max_rows) end;
                  """,
                  "then p_max_rows end;\n")
              .noticedBy("DrainCallLaws.theFirstBatchIsATenthAndAQuickOneIsFollowedByTwiceAsMany"),
          Mutant.of("rule 2's cutoff gets lost on the way", DRAIN)
              .edit(
                  "p_all_cutoff => p_all_cutoff, p_completed_cutoff => p_completed_cutoff,\n            p_max_rows => v_rows",
                  "p_all_cutoff => p_all_cutoff, p_completed_cutoff => null,\n            p_max_rows => v_rows")
              .noticedBy("DrainCallLaws.bothRulesGoIn"),
          Mutant.of("the first batch is the whole", DRAIN)
              .edit("greatest(1, p_max_rows / 10)", "p_max_rows")
              .noticedBy("DrainCallLaws.theFirstBatchIsATenthAndAQuickOneIsFollowedByTwiceAsMany"),
          Mutant.of("the first batch may be empty", DRAIN)
              .edit("greatest(1, p_max_rows / 10)", "p_max_rows / 10")
              .noticedBy("DrainCallLaws.theFirstBatchIsNeverEmpty"),
          Mutant.of("a partition's own rows do not matter", DRAIN)
              .edit("p_rows[v_at], ", "")
              .noticedBy("DrainCallLaws.aPartitionBeginsWithItsOwnRowsButWithNoMoreThanTheMost"),
          Mutant.of("a partition's own rows may be more than the most", DRAIN)
              .edit("least(p_max_rows, coalesce(v_rows", "(coalesce(v_rows")
              .noticedBy("DrainCallLaws.aPartitionBeginsWithItsOwnRowsButWithNoMoreThanTheMost"),
          Mutant.of("no partition is no answer", DRAIN)
              .edit("coalesce(to_jsonb(v_steps), '[]')", "to_jsonb(v_steps)")
              .noticedBy("DrainCallLaws.noPartitionIsNoStep"),
          Mutant.of("a step that is cancelled is passed by", STEP)
              .edit(
                  "when others or assert_failure then",
                  "when others or assert_failure or query_canceled then")
              .noticedBy("DrainFailureLaws.aDrainThatIsCancelledEndsAndKeepsWhatItCommitted"),
          Mutant.of("an assertion of a trigger ends the call", STEP)
              .edit("when others or assert_failure then", "when others then")
              .noticedBy("DrainFailureLaws.aPartitionThatFailsIsToldAndTheOthersAreServed"),
          Mutant.of("a snapshot that is too old is the partition's fault", STEP)
              .edit("when sqlstate 'TM001' or sqlstate 'TM002'", "when sqlstate 'TM002'")
              .noticedBy("SessionLaws.anIsolationLevelWhoseSnapshotIsOlderThanTheLockIsRefused"),
          Mutant.of("foreign keys that are off are the partition's fault", STEP)
              .edit("when sqlstate 'TM001' or sqlstate 'TM002'", "when sqlstate 'TM001'")
              .noticedBy("DrainFailureLaws.aSessionWithoutForeignKeysIsTold"),
          Mutant.of("a session that may not write is the partition's fault", STEP)
              .edit(" or read_only_sql_transaction then", " then")
              .noticedBy("DrainFailureLaws.aSessionThatMayNotWriteIsTold"),
          Mutant.of("a failure has no words", STEP)
              .edit("'error', sqlerrm", "'error', sqlstate")
              .noticedBy("DrainFailureLaws.aPartitionThatFailsIsToldAndTheOthersAreServed"),
          Mutant.of("a slow batch is followed by one of the same size", NEXT)
              .edit(", p_rows * p_hold_ms::numeric / greatest(p_held_ms, 0.001)", "")
              .noticedBy("DrainCallLaws.aBatchThatHeldTooLongIsFollowedByASmallerOne"),
          Mutant.of("one quick batch is followed by the most", NEXT)
              .edit(", 2 * p_rows::bigint", "")
              .noticedBy("DrainCallLaws.theNextBatchIsWhatWouldHaveMetTheTarget"),
          Mutant.of("a batch may be empty", NEXT)
              .edit("greatest(1, least(", "(least(")
              .noticedBy("DrainCallLaws.theNextBatchIsWhatWouldHaveMetTheTarget"),
          Mutant.of("a large batch leaves the range of int", NEXT)
              .edit("p_hold_ms::numeric", "p_hold_ms")
              .noticedBy("DrainCallLaws.theNextBatchIsWhatWouldHaveMetTheTarget"),
          Mutant.of("a partition may be null", REQUIRE)
              .edit("array_position(p_pids, null) is null and ", "")
              .noticedBy("RefusalLaws"),
          Mutant.of("no partitions at all are some", REQUIRE)
              .edit(" and cardinality(p_pids) >= 0", "")
              .noticedBy("RefusalLaws"),
          Mutant.of("rows may be fewer than partitions, or more", REQUIRE)
              .edit("cardinality(p_rows) <> cardinality(p_pids) or ", "")
              .noticedBy("RefusalLaws"),
          Mutant.of("a bound that is missing is any bound", REQUIRE)
              .edit("where (b.value >= 1) is not true", "where b.value < 1")
              .noticedBy("RefusalLaws"),
          Mutant.of("rule 2's cutoff is not passed on", RETENTION)
              .edit("p_completed_cutoff => p_completed_cutoff,", "p_completed_cutoff => null,")
              .noticedBy("DrainCallLaws.bothRulesGoIn"),
          Mutant.of("the claim is not passed on", RETENTION)
              .edit("p_task => p_task,", "p_task => null,")
              .noticedBy("DrainStopLaws.noStepBeginsOnceItsClaimIsGone"),
          Mutant.of("the claim is not passed on", EVICT)
              .edit("p_task => p_task,", "p_task => null,")
              .noticedBy("DrainStopLaws.noStepBeginsOnceItsClaimIsGone"),
          Mutant.of("the claim is not passed on", PURGE)
              .edit("p_task => p_task,", "p_task => null,")
              .noticedBy("DrainStopLaws.noStepBeginsOnceItsClaimIsGone"),
          Mutant.of("it drains by the rules", EVICT)
              .edit("p_kind => 'max_wait'", "p_kind => 'retention'")
              .noticedBy("DrainCallLaws.aStepAnswersWhatItWouldHaveAnsweredAlone"),
          Mutant.of("it drains the log", PURGE)
              .edit("p_kind => 'txns'", "p_kind => 'max_wait'")
              .noticedBy("DrainCallLaws.aStepAnswersWhatItWouldHaveAnsweredAlone"));

  private DrainMutants() {}
}

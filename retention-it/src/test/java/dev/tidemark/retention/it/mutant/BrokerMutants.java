package dev.tidemark.retention.it.mutant;

import java.util.List;

/** Faults in push, pop, ack, seek and in the deletion of groups and queues. */
final class BrokerMutants {
  private static final String APPEND = "log_append_v1";
  private static final String MULTI = "log_push_multi_v1";
  private static final String IMPORT = "log_import_v1";
  private static final String LEASE_BATCH = "log_lease_batch_v1";
  private static final String ACK = "log_ack_v1";
  private static final String ACK_BY_HASH = "log_ack_by_hash_v1";
  private static final String SEEK = "log_seek_v1";
  private static final String GROUP = "log_group_delete_v1";
  private static final String QUEUE = "delete_queue_v1";

  static final List<Mutant> LIST =
      List.of(
          Mutant.of("duplicates are looked for by the statement that locks", APPEND)
              .edit(
                  "select p.last_offset, p.txns_start, p.last_created_at, q.dedup_window_seconds into v_partition",
                  "select p.last_offset, p.txns_start, p.last_created_at, q.dedup_window_seconds,"
                      + " queen.log_dup_offsets_v1(p.id, p.txns_start, -1,"
                      + " clock_timestamp() - make_interval(secs => q.dedup_window_seconds), p_hashes) as dups"
                      + " into v_partition")
              .edit(
                  """
                          v_dups := queen.log_dup_offsets_v1(
                              p_partition_id => p_partition_id,
                              p_txns_start => v_partition.txns_start,
                              p_verified => case when p_verified <= v_partition.last_offset then p_verified else -1 end,
                              p_since => v_stamp - make_interval(secs => v_partition.dedup_window_seconds),
                              p_hashes => p_hashes);
                  """,
                  "v_dups := v_partition.dups;")
              .noticedBy("PushRaceLaws"),
          Mutant.of("the partition is not locked", APPEND)
              .edit("       for update of p;", "      ;")
              .noticedBy("PushRaceLaws"),
          Mutant.of("the dedup window has no end", APPEND)
              .edit(
                  "p_since => v_stamp - make_interval(secs => v_partition.dedup_window_seconds)",
                  "p_since => '-infinity'")
              .noticedBy("HistoryLaws.groupsReadWhatIsThereOnce"),
          Mutant.of("the stamp goes back with the clock", APPEND)
              .edit("greatest(clock_timestamp(), v_partition.last_created_at)", "clock_timestamp()")
              .noticedBy("RestoreLaws"),
          Mutant.of("every push moves the watermark", APPEND)
              .edit("coalesce(p.oldest_live_at, v_stamp)", "v_stamp")
              .noticedBy("HistoryLaws.groupsReadWhatIsThereOnce"),
          Mutant.of("the first push leaves the sidecar without a watermark", APPEND)
              .edit("           oldest_txn_at = coalesce(p.oldest_txn_at, v_stamp),\n", "")
              .noticedBy("HistoryLaws.groupsReadWhatIsThereOnce"),
          Mutant.of("a push does not count as a write", APPEND)
              .edit(
                  "then v_stamp else p.last_write_at end",
                  "then p.last_write_at else p.last_write_at end")
              .noticedBy("HistoryLaws.aSilentPartitionGoesUnlessSomethingKeepsIt"),
          Mutant.of("the answers come in the order of the locks", MULTI)
              .edit("v_answers[v_segment.i] :=", "v_answers := v_answers[2:] ||")
              .noticedBy("HistoryLaws.theDatabaseDoesWhatTheModelDoes"),
          Mutant.of("partitions are locked from the last to the first", MULTI)
              .edit(
                  "where p.id = any (v_ids) order by p.id for update",
                  "where p.id = any (v_ids) order by p.id desc for update")
              .noticedBy("LockOrderLaws"),
          Mutant.of("a batch that is leased goes out again", LEASE_BATCH)
              .edit("(v_cursor.lease_expires_at <= v_now) is not true", "false")
              .noticedBy("HistoryLaws.whatHardlyHappensByChanceIsAsTheModelSays"),
          Mutant.of("a lease never ends", LEASE_BATCH)
              .edit("(v_cursor.lease_expires_at <= v_now) is not true", "true")
              .noticedBy("HistoryLaws.groupsReadWhatIsThereOnce"),
          Mutant.of("the last message committed is handed out again", LEASE_BATCH)
              .edit(
                  "greatest(s.base_offset, v_cursor.committed + 1) into v_base, v_from",
                  "greatest(s.base_offset, v_cursor.committed) into v_base, v_from")
              .noticedBy("HistoryLaws.groupsReadWhatIsThereOnce"),
          Mutant.of("one message more than asked for", LEASE_BATCH)
              .edit("p_max_messages - 1", "p_max_messages")
              .noticedBy("HistoryLaws.groupsReadWhatIsThereOnce"),
          Mutant.of("a pop by name does not lock the cursor", LEASE_BATCH)
              .edit("           for update;\n", "           ;\n")
              .noticedBy("CursorLaws.oneBatchIsLeasedToOneWorker"),
          Mutant.of("a pop of any partition does not lock the cursor", LEASE_BATCH)
              .edit("           for update skip locked;", "           ;")
              .noticedBy(
                  "CursorLaws.aBatchThatSomebodyIsAboutToLeaseIsPassedByWhoTakesAnyPartition"),
          Mutant.of("an ack does not lock the cursor", ACK)
              .edit("       for update;", "       ;")
              .noticedBy("CursorLaws.anAckNeverMovesTheCursorBack"),
          Mutant.of("an ack by hash does not lock the cursor before it searches", ACK_BY_HASH)
              .edit("       for update;", "       ;")
              .noticedBy("CursorLaws.anAckByHashLooksIntoTheBatchThatItFindsUnderTheLock"),
          Mutant.of("an import does not lock the partition", IMPORT)
              .edit("       for update;", "       ;")
              .noticedBy("PushRaceLaws.anImportBehindAPushGoesOnWhereThatEnded"),
          Mutant.of("an ack reaches past the batch", ACK)
              .edit(
                  "(v_cursor.worker_id = p_worker and p_offset <= v_cursor.batch_end)",
                  "v_cursor.worker_id = p_worker")
              .noticedBy("HistoryLaws.groupsReadWhatIsThereOnce"),
          Mutant.of("anybody acks a batch", ACK)
              .edit("v_cursor.worker_id = p_worker and ", "")
              .noticedBy("HistoryLaws.groupsReadWhatIsThereOnce"),
          Mutant.of("an ack moves the cursor back", ACK)
              .edit("if p_offset > v_cursor.committed then", "if true then")
              .noticedBy("HistoryLaws.groupsReadWhatIsThereOnce"),
          Mutant.of("a seek does not ask for the partition", SEEK)
              .edit(
                  "where p.id = p_partition_id for no key update;", "where p.id = p_partition_id;")
              .noticedBy("RecheckLaws.nothingGoesThatAGroupWantsAgainWhoseSeekBackAStepWaitedFor"),
          Mutant.of("a seek commits the message that it asks for", SEEK)
              .edit(
                  "values (p_partition_id, p_group, p_offset - 1)",
                  "values (p_partition_id, p_group, p_offset)")
              .noticedBy("HistoryLaws.groupsReadWhatIsThereOnce"),
          Mutant.of("a seek keeps the lease", SEEK)
              .edit("           batch_end = null,\n", "")
              .noticedBy("HistoryLaws.groupsReadWhatIsThereOnce"),
          Mutant.of("a cursor may go where nothing is yet", SEEK)
              .edit(
                  "between 0 and v_last_offset + 1) is not true",
                  "between 0 and v_last_offset + 2) is not true")
              .noticedBy("RefusalLaws"),
          Mutant.of("the cursors of all groups go", GROUP)
              .edit("c.partition_id = p.id and c.consumer_group = p_group", "c.partition_id = p.id")
              .noticedBy("ConsumptionLaws.aGroupThatIsDeletedTakesNoOtherWithIt"),
          Mutant.of("the hashes stay behind", QUEUE)
              .edit(
                  "    delete from queen.log_txns t where t.partition_id = any (v_partitions);\n",
                  "")
              .noticedBy("HistoryLaws.theDatabaseDoesWhatTheModelDoes"),
          Mutant.of("dead letters stay behind", QUEUE)
              .edit(
                  "    delete from queen.log_dlq d where d.partition_id = any (v_partitions);\n",
                  "")
              .noticedBy("HistoryLaws.aSilentPartitionGoesUnlessSomethingKeepsIt"));

  private BrokerMutants() {}
}

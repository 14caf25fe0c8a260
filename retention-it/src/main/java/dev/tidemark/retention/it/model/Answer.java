package dev.tidemark.retention.it.model;

import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What a function answers. */
public sealed interface Answer {
  record Refused(String sqlState) implements Answer {}

  record Queued(long baseOffset, Instant createdAt) implements Answer {}

  record Duplicate(List<Dup> dups) implements Answer {}

  /** The i-th message, and the first offset that has it; null: the push itself has it before. */
  record Dup(int i, @Nullable Long off) {}

  record Each(List<Answer> answers) implements Answer {}

  record Imported(long baseOffset, long endOffset, int segments) implements Answer {}

  record Stepped(
      long deleted, @Nullable Long newLogStart, boolean done, long messages, @Nullable String type)
      implements Answer {}

  record Purged(long deleted, @Nullable Long newTxnsStart, boolean done) implements Answer {}

  record Cleaned(long deleted, boolean done) implements Answer {}

  record Walked(long scanned, long repaired, long held, @Nullable UUID lastId, boolean done)
      implements Answer {}

  record Swept(long segments, long evicted, long hashes, long partitions, long failed)
      implements Answer {}

  record Popped(List<Leased> leased) implements Answer {}

  /** Of a segment [base, end] the messages [from, to], and all the words of its blob. */
  record Leased(
      UUID partition,
      long from,
      long to,
      long base,
      long end,
      Instant createdAt,
      List<String> words) {}

  record Acked(boolean acked, @Nullable Long committed) implements Answer {}

  record Sought(long committed) implements Answer {}

  record Configured(SortedMap<String, Object> options) implements Answer {}

  record Deleted(long rows) implements Answer {}

  record QueueDeleted(boolean deleted, long partitions) implements Answer {}

  record Done() implements Answer {}

  record Dead(boolean dead) implements Answer {}

  /** A transaction of pushes and acks: all went, or what was wrong with it. */
  record Committed(List<Answer> pushes, List<Answer> acks) implements Answer {}

  record Duplicates(List<String> dups) implements Answer {}

  record NotAcked(List<String> refused) implements Answer {}
}

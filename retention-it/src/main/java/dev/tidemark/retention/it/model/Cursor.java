package dev.tidemark.retention.it.model;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A group's row in one partition: done up to committed, and (committed, batchEnd] leased. */
public record Cursor(
    long committed,
    @Nullable Long batchEnd,
    @Nullable String worker,
    @Nullable Instant expiresAt,
    @Nullable Instant acquiredAt,
    int retries,
    long consumed,
    Instant createdAt) {

  static Cursor joined(long committed, Instant createdAt) {
    return new Cursor(committed, null, null, null, null, 0, 0, createdAt);
  }

  /** A lease without an end stands for ever. */
  boolean leased(Instant now) {
    return batchEnd != null && (expiresAt == null || expiresAt.isAfter(now));
  }

  Cursor leasedTo(String by, long end, Instant now, int seconds) {
    int tries = batchEnd == null ? 0 : retries + 1;
    return new Cursor(
        committed, end, by, now.plusSeconds(seconds), now, tries, consumed, createdAt);
  }

  /** Whether an ack of this offset by this worker counts. */
  boolean acks(String by, long offset) {
    return offset <= committed || leases(by, offset);
  }

  /** Whether this worker has the lease, and it reaches so far. */
  boolean leases(String by, long offset) {
    return by.equals(worker) && batchEnd != null && offset <= batchEnd;
  }

  Cursor acked(long offset) {
    if (offset <= committed) {
      return this;
    }
    boolean more = batchEnd != null && offset < batchEnd;
    return new Cursor(
        offset,
        more ? batchEnd : null,
        more ? worker : null,
        more ? expiresAt : null,
        more ? acquiredAt : null,
        0,
        consumed + offset - committed,
        createdAt);
  }

  /** A seek ends the lease and forgets the tries; what was consumed stays counted. */
  Cursor at(long offset) {
    return new Cursor(offset - 1, null, null, null, null, 0, consumed, createdAt);
  }

  public Cursor endingAt(@Nullable Instant time) {
    return new Cursor(committed, batchEnd, worker, time, acquiredAt, retries, consumed, createdAt);
  }

  public Cursor takenAt(Instant time) {
    return new Cursor(committed, batchEnd, worker, expiresAt, time, retries, consumed, createdAt);
  }

  public Cursor joinedAt(Instant time) {
    return new Cursor(committed, batchEnd, worker, expiresAt, acquiredAt, retries, consumed, time);
  }

  Cursor aged(Duration by) {
    return new Cursor(
        committed,
        batchEnd,
        worker,
        expiresAt == null ? null : expiresAt.minus(by),
        acquiredAt == null ? null : acquiredAt.minus(by),
        retries,
        consumed,
        createdAt.minus(by));
  }

  /** Whether it keeps an empty partition: somebody was here, or is, at or after the cutoff. */
  boolean vetoes(Instant cutoff) {
    return !createdAt.isBefore(cutoff)
        || (expiresAt != null && !expiresAt.isBefore(cutoff))
        || (acquiredAt != null && !acquiredAt.isBefore(cutoff))
        || (batchEnd != null && expiresAt == null);
  }
}

package dev.tidemark.retention.cli.events;

import java.time.Duration;
import java.time.Instant;

/**
 * Consecutive messages of one partition, as one row of {@code log_segments} and one of {@code
 * log_txns}. Owns its arrays, which nobody changes; two segments are equal only when they share
 * them.
 *
 * @param createdAt the time of the last message, whole microseconds
 * @param messageCount at least 1
 * @param hashes {@link MessageHash#LENGTH} bytes a message, in the order of the frames
 * @param blob the messages, see {@link FrameCodec}
 */
@SuppressWarnings(
    "ArrayRecordComponent") // On its way to two bytea columns; copies would double it.
public record PackedSegment(Instant createdAt, int messageCount, byte[] hashes, byte[] blob) {

  /** The same messages, created {@code shift} later. */
  public PackedSegment shiftedBy(Duration shift) {
    return new PackedSegment(createdAt.plus(shift), messageCount, hashes, blob);
  }
}

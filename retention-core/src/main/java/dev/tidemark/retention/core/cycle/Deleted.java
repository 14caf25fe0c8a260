package dev.tidemark.retention.core.cycle;

/** Whole segments and the messages in them. */
public record Deleted(long segments, long messages) {
  Deleted plus(Deleted other) {
    return new Deleted(
        Math.addExact(segments, other.segments), Math.addExact(messages, other.messages));
  }
}

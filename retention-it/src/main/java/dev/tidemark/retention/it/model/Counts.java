package dev.tidemark.retention.it.model;

/** What the history says of one partition and type. */
public record Counts(long rows, long segments, long messages) {
  static final Counts NONE = new Counts(0, 0, 0);

  Counts plus(long moreSegments, long moreMessages) {
    return new Counts(rows + 1, segments + moreSegments, messages + moreMessages);
  }
}

package dev.tidemark.retention.cli.bench;

/**
 * A made-up log: {@code load_log.sql}.
 *
 * @param due partitions, spread evenly, whose every segment can go
 * @param segments of each partition, of one message each
 * @param sidecar whether what is not due has hashes
 */
record LogShape(int queues, int partitions, int due, int segments, int blobBytes, boolean sidecar) {
  /** One queue, everything due, no sidecar. */
  static LogShape due(int partitions, int segments, int blobBytes) {
    return new LogShape(1, partitions, partitions, segments, blobBytes, false);
  }

  /** Segments that can go. */
  long deletable() {
    return (long) due * segments;
  }
}

package dev.tidemark.retention.core.cycle;

/**
 * Told by a running cycle, after every step, how far it has come. Called by several workers, one at
 * a time.
 */
public interface Progress {
  /** Nobody watches. */
  Progress UNWATCHED = (segments, sidecarRows) -> {};

  /**
   * One more step has committed.
   *
   * @param segments deleted or evicted so far
   * @param sidecarRows purged so far
   */
  void stepped(long segments, long sidecarRows);
}

package dev.tidemark.retention.core.cycle;

/**
 * Told by a running cycle, after every call, how far it has come: once for each step of the call.
 * Called by several workers, one at a time.
 */
public interface Progress {
  /** Nobody watches. */
  Progress UNWATCHED = (segments, sidecarRows) -> {};

  /**
   * One more step is known to have committed.
   *
   * @param segments deleted or evicted so far
   * @param sidecarRows purged so far
   */
  void stepped(long segments, long sidecarRows);
}

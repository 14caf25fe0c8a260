package dev.tidemark.retention.cli.events;

/**
 * A blob that {@link FrameCodec} did not write, or not like this; the message says what is wrong.
 */
public final class DamagedBlobException extends RuntimeException {

  DamagedBlobException(String problem) {
    super("damaged blob: " + problem);
  }

  DamagedBlobException(String problem, Throwable cause) {
    super("damaged blob: " + problem, cause);
  }
}

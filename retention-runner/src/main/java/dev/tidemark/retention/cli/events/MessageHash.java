package dev.tidemark.retention.cli.events;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * The identity of an imported message: the first 16 bytes of SHA-256 over the partition's name, a
 * NUL, the row's number in decimal digits, a NUL, and the message.
 *
 * <p>The row's number is in it because a file may hold the same row twice and mean two events: by
 * content alone the second would look like a repeated push of the first. The same file imported
 * twice gives the same hashes. A NUL cannot occur in a partition's name or in digits, so no two
 * inputs run together to the same bytes.
 */
public final class MessageHash {

  /** Bytes a message in {@code log_txns.hashes}. */
  public static final int LENGTH = 16;

  private MessageHash() {}

  /**
   * The 16 bytes of one message.
   *
   * @param row its number among all rows of the file, from 1
   * @param frame the message as its segment's blob holds it
   */
  public static byte[] of(String partition, long row, byte[] frame) {
    MessageDigest digest = sha256();
    digest.update(partition.getBytes(StandardCharsets.UTF_8));
    digest.update((byte) 0);
    digest.update(Long.toString(row).getBytes(StandardCharsets.US_ASCII));
    digest.update((byte) 0);
    return Arrays.copyOf(digest.digest(frame), LENGTH);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}

package dev.tidemark.retention.cli.events;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * A segment's messages as one blob, which SQL never looks into.
 *
 * <pre>
 *   blob  = 'T' version(1) zlib(frame*)
 *   frame = length(4 bytes, big-endian, signed, &gt;= 0) message(length bytes, UTF-8)
 * </pre>
 *
 * <p>The zlib wrapper's checksum covers the frames, so a damaged blob is refused rather than read
 * as other messages. The frames of a blob take {@link #MAX_FRAMES} bytes at most, on both ways: a
 * small blob may inflate to anything.
 */
public final class FrameCodec {

  /** Most bytes that all frames of a blob take together, lengths included. */
  public static final int MAX_FRAMES = 64 * 1024 * 1024;

  private static final byte MAGIC = 'T';
  private static final byte VERSION = 1;
  private static final int HEADER = 2;
  private static final int CHUNK = 1 << 13;

  private FrameCodec() {}

  /**
   * Packs messages, none or empty ones included.
   *
   * @throws IllegalArgumentException when they are larger than {@link #MAX_FRAMES} together
   */
  public static byte[] encode(List<byte[]> messages) {
    long size = 0;
    for (byte[] message : messages) {
      size += Integer.BYTES + (long) message.length;
    }
    if (size > MAX_FRAMES) {
      throw new IllegalArgumentException(
          messages.size()
              + " messages of "
              + size
              + " bytes in one segment; at most "
              + MAX_FRAMES);
    }
    ByteArrayOutputStream blob = new ByteArrayOutputStream();
    blob.write(MAGIC);
    blob.write(VERSION);
    Deflater deflater = new Deflater();
    try {
      byte[] chunk = new byte[CHUNK];
      for (byte[] message : messages) {
        deflate(
            deflater,
            ByteBuffer.allocate(Integer.BYTES).putInt(message.length).array(),
            chunk,
            blob);
        deflate(deflater, message, chunk, blob);
      }
      deflater.finish();
      while (!deflater.finished()) {
        blob.write(chunk, 0, deflater.deflate(chunk));
      }
    } finally {
      deflater.end();
    }
    return blob.toByteArray();
  }

  private static void deflate(
      Deflater deflater, byte[] input, byte[] chunk, ByteArrayOutputStream blob) {
    deflater.setInput(input);
    while (!deflater.needsInput()) {
      blob.write(chunk, 0, deflater.deflate(chunk));
    }
  }

  /**
   * Unpacks what {@link #encode} packed.
   *
   * @throws DamagedBlobException when the blob is anything else
   */
  public static List<byte[]> decode(byte[] blob) {
    if (blob.length < HEADER) {
      throw new DamagedBlobException(blob.length + " bytes are too few");
    }
    if (blob[0] != MAGIC) {
      throw new DamagedBlobException(
          "it starts with byte " + (blob[0] & 0xFF) + ", not " + MAGIC + ": another writer's");
    }
    if (blob[1] != VERSION) {
      throw new DamagedBlobException(
          "it has version " + (blob[1] & 0xFF) + ", only " + VERSION + " is known");
    }
    return split(ByteBuffer.wrap(inflate(blob)));
  }

  private static byte[] inflate(byte[] blob) {
    Inflater inflater = new Inflater();
    try {
      inflater.setInput(blob, HEADER, blob.length - HEADER);
      ByteArrayOutputStream frames = new ByteArrayOutputStream();
      byte[] chunk = new byte[CHUNK];
      while (!inflater.finished()) {
        int count = inflater.inflate(chunk);
        if (count == 0 && !inflater.finished()) {
          throw new DamagedBlobException(
              inflater.needsDictionary() ? "it needs a dictionary" : "it is truncated");
        }
        if (frames.size() + count > MAX_FRAMES) {
          throw new DamagedBlobException("it inflates to more than " + MAX_FRAMES + " bytes");
        }
        frames.write(chunk, 0, count);
      }
      if (inflater.getRemaining() > 0) {
        throw new DamagedBlobException(inflater.getRemaining() + " bytes follow its end");
      }
      return frames.toByteArray();
    } catch (DataFormatException e) {
      throw new DamagedBlobException("it does not inflate: " + e.getMessage(), e);
    } finally {
      inflater.end();
    }
  }

  private static List<byte[]> split(ByteBuffer frames) {
    List<byte[]> messages = new ArrayList<>();
    while (frames.hasRemaining()) {
      if (frames.remaining() < Integer.BYTES) {
        throw new DamagedBlobException("its last frame has only part of a length");
      }
      int length = frames.getInt();
      if (length < 0 || length > frames.remaining()) {
        throw new DamagedBlobException(
            "frame "
                + (messages.size() + 1)
                + " claims "
                + Integer.toUnsignedString(length)
                + " bytes where "
                + frames.remaining()
                + " are left");
      }
      byte[] message = new byte[length];
      frames.get(message);
      messages.add(message);
    }
    return messages;
  }
}

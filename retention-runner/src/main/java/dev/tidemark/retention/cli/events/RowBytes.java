package dev.tidemark.retention.cli.events;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** The bytes of one row while it is being split off; keeps {@link #LIMIT} of them at most. */
final class RowBytes {

  /** Longest row, in bytes. A quote that is never closed must not pull the file into memory. */
  static final int LIMIT = 16 * 1024 * 1024;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
  private boolean tooLong;

  void add(int b) {
    if (bytes.size() < LIMIT) {
      bytes.write(b);
    } else {
      tooLong = true;
    }
  }

  boolean isEmpty() {
    return bytes.size() == 0;
  }

  /** The row as text; refused when it is too long or not UTF-8. */
  String text() throws RefusedRowException {
    if (tooLong) {
      throw new RefusedRowException("the row is longer than " + LIMIT + " bytes");
    }
    ByteBuffer input = ByteBuffer.wrap(bytes.toByteArray());
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(input).toString();
    } catch (CharacterCodingException e) {
      throw new RefusedRowException("malformed UTF-8 at byte " + (input.position() + 1) + " of it");
    }
  }
}

package dev.tidemark.retention.cli.events;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;

/**
 * The bytes of a file one by one, with the place of the next one; owns and closes its stream.
 *
 * <p>It splits the file by bytes, not characters, so that malformed UTF-8 costs one row and not the
 * rest of the file: every character that separates rows is ASCII, and no byte of a longer UTF-8
 * sequence is.
 */
final class ByteScanner implements Closeable {

  /** What {@link #peek} and {@link #next} return at the end of the file. */
  static final int END = -1;

  private final InputStream in;
  private final byte[] buffer = new byte[1 << 16];
  private int index;
  private int limit;
  private long line = 1;
  private long column = 1;

  /** Skips a byte order mark. */
  ByteScanner(InputStream in) throws IOException {
    this.in = in;
    limit = in.readNBytes(buffer, 0, buffer.length);
    if (limit >= 3
        && buffer[0] == (byte) 0xEF
        && buffer[1] == (byte) 0xBB
        && buffer[2] == (byte) 0xBF) {
      index = 3;
    }
  }

  /** The next byte, unsigned, left where it is. */
  int peek() throws IOException {
    if (index == limit) {
      index = 0;
      limit = in.readNBytes(buffer, 0, buffer.length);
    }
    return index == limit ? END : buffer[index] & 0xFF;
  }

  /** Takes the next byte, unsigned. */
  int next() throws IOException {
    int b = peek();
    if (b == END) {
      return END;
    }
    index++;
    if (b == '\n') {
      line++;
      column = 1;
    } else if ((b & 0xC0) != 0x80) {
      column++;
    }
    return b;
  }

  /** Takes spaces, tabs and line ends. */
  void skipBlank() throws IOException {
    while (isBlank(peek())) {
      next();
    }
  }

  static boolean isBlank(int b) {
    return b == ' ' || b == '\t' || b == '\r' || b == '\n';
  }

  /** Where the next byte is. */
  Position position() {
    return new Position(line, column);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}

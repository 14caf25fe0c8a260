package dev.tidemark.retention.cli.events;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A file of events, read row by row; UTF-8, with or without a byte order mark.
 *
 * <p>What is wrong with a row comes back as a {@link BadRow}, never as an exception; an {@link
 * IOException} means that the file itself could not be read. A file without rows has none, and that
 * is no error. Not safe for use by several threads. Close it after use.
 */
public final class EventFile implements Closeable {

  private final ByteScanner scanner;
  private final FileFormat format;
  private final RowSource rows;

  private EventFile(ByteScanner scanner, FileFormat format, RowSource rows) {
    this.scanner = scanner;
    this.format = format;
    this.rows = rows;
  }

  /** Opens {@code file} and looks at its first bytes to tell its format. */
  public static EventFile open(Path file, EventFields fields, EventTime eventTime)
      throws IOException {
    InputStream in = Files.newInputStream(file);
    try {
      return read(in, file.toString(), fields, eventTime);
    } catch (IOException | RuntimeException e) {
      in.close();
      throw e;
    }
  }

  /** Reads {@code in}, which it closes in the end, as if it were a file of that name. */
  public static EventFile read(InputStream in, String name, EventFields fields, EventTime eventTime)
      throws IOException {
    ByteScanner scanner = new ByteScanner(in);
    scanner.skipBlank();
    FileFormat format = FileFormat.detect(name, scanner.peek());
    EventMaker maker = new EventMaker(fields, eventTime);
    RowSource rows =
        switch (format) {
          case JSON_ARRAY -> new JsonArrayRows(scanner, maker);
          case NDJSON -> new NdjsonRows(scanner, maker);
          case CSV -> new CsvRows(scanner, maker);
        };
    return new EventFile(scanner, format, rows);
  }

  /** What the file was taken for. */
  public FileFormat format() {
    return format;
  }

  /** The next row in the file's order; empty at the end. */
  public Optional<EventRow> next() throws IOException {
    return rows.next();
  }

  @Override
  public void close() throws IOException {
    scanner.close();
  }
}

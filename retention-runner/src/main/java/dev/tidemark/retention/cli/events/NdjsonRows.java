package dev.tidemark.retention.cli.events;

import java.io.IOException;
import java.util.Optional;

/** One JSON object a line. Whatever is wrong with a line, the next one is read. */
final class NdjsonRows implements RowSource {

  private final ByteScanner scanner;
  private final EventMaker maker;
  private final JsonRowParser parser;
  private long row;

  NdjsonRows(ByteScanner scanner, EventMaker maker) {
    this.scanner = scanner;
    this.maker = maker;
    this.parser = new JsonRowParser(maker.fields());
  }

  @Override
  public Optional<EventRow> next() throws IOException {
    scanner.skipBlank();
    if (scanner.peek() == ByteScanner.END) {
      return Optional.empty();
    }
    Position start = scanner.position();
    RowPlace place = new RowPlace(start.line(), ++row, false);
    RowBytes bytes = line();
    try {
      return Optional.of(maker.event(place, parser.parse(bytes.text(), start)));
    } catch (RefusedRowException e) {
      return Optional.of(new BadRow(place, e.reason()));
    } catch (JsonSyntaxException e) {
      return Optional.of(new BadRow(place, e.reason()));
    }
  }

  private RowBytes line() throws IOException {
    RowBytes bytes = new RowBytes();
    for (int b = scanner.next(); b != '\n' && b != ByteScanner.END; b = scanner.next()) {
      bytes.add(b);
    }
    return bytes;
  }
}
